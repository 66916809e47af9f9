//! The README's block about the inspector is what the inspector prints.

use std::path::Path;
use std::process::Command;

/// The arguments that `make inspect ROW=... ARGS='...'` hands on.
fn arguments(command: &str) -> Vec<String> {
    let rest = command.strip_prefix("make inspect ROW=").expect("a row");
    let (row, rest) = rest.split_once(" ARGS='").expect("arguments");
    let words = rest.strip_suffix('\'').expect("the arguments are closed").split('"').enumerate();
    let mut arguments = vec![row.to_owned()];
    // Every second part stands between double quotes and is one argument.
    for (index, part) in words {
        match index % 2 {
            0 => arguments.extend(part.split_whitespace().map(str::to_owned)),
            _ => arguments.push(part.to_owned()),
        }
    }
    arguments
}

#[test]
fn console_block_is_what_the_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let (_, block) = readme.split_once("```console\n$ ").expect("a console block");
    let (block, _) = block.split_once("```").expect("the block is closed");
    let (command, shown) = block.split_once('\n').expect("output");
    let mut inspector = Command::new(env!("CARGO_BIN_EXE_s2inspect"));
    let done = inspector.current_dir(root).args(arguments(command)).output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let printed = String::from_utf8(done.stdout).expect("text");
    // Trailing spaces would not survive an editor.
    let lines =
        |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(shown), lines(&printed));
}
