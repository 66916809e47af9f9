//! Columns without lines, figures to the right.

use comfy_table::{CellAlignment, Table, presets};

/// One letter of `sides` for each column: `<` for text, `>` for figures.
pub struct Grid {
    table: Table,
}

impl Grid {
    pub fn new(head: &[&str], sides: &str) -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(head);
        for (column, side) in table.column_iter_mut().zip(sides.chars()) {
            let right = side == '>';
            column.set_cell_alignment(if right {
                CellAlignment::Right
            } else {
                CellAlignment::Left
            });
        }
        Self { table }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.table.add_row(cells);
    }

    pub fn text(&self) -> String {
        self.table.trim_fmt() + "\n"
    }
}
