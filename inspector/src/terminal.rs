//! Text that a terminal shows and does not act on.

use std::fmt::Write;

/// Escapes control characters, line ends among them, and those that change the direction of the text.
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let hidden = matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        if c.is_control() || hidden {
            let _ = write!(shown, "{}", c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        for (text, want) in [
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"),
            ("\r\t\u{7}\u{7f}\u{9b}", "\\u{d}\\u{9}\\u{7}\\u{7f}\\u{9b}"),
            ("txt.\u{202e}exe", "txt.\\u{202e}exe"),
            ("a\nb", "a\\u{a}b"),
            ("größe 😀", "größe 😀"),
        ] {
            assert_eq!(escaped(text), want);
        }
    }
}
