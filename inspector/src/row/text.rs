//! A row as text: numbers with whitespace or commas between them, nan and inf among them.

use super::said;
use std::io::BufRead;

pub fn read(mut file: impl BufRead) -> Result<Vec<f32>, String> {
    let mut logits = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if file.read_until(b'\n', &mut line).map_err(said)? == 0 {
            break;
        }
        let at = |why: String| format!("line {number}: {why}");
        let text = str::from_utf8(&line)
            .map_err(|_| at("not text; the name of a raw row ends in .f32".to_owned()))?;
        for word in text.split(|c: char| c == ',' || c.is_whitespace()).filter(|w| !w.is_empty()) {
            logits.push(value(word).map_err(at)?);
        }
    }
    Ok(logits)
}

fn value(word: &str) -> Result<f32, String> {
    let value: f32 = word.parse().map_err(|_| format!("{word:?} is no number"))?;
    // What overflows would pass for an infinity that somebody wrote.
    if value.is_infinite() && word.contains(|c: char| c.is_ascii_digit()) {
        return Err(format!("{word} is beyond a binary32 number"));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_between_blanks_and_commas() {
        let text = "1 -2.5,\t3e-1\r\n\n, inf ,-INF,+7\n0";
        let want = [1.0, -2.5, 0.3, f32::INFINITY, f32::NEG_INFINITY, 7.0, 0.0];
        assert_eq!(read(text.as_bytes()), Ok(want.to_vec()));
        assert!(read(&b"nan"[..]).is_ok_and(|row| row.len() == 1 && row[0].is_nan()));
        assert_eq!(read(&b" \n,"[..]), Ok(vec![]));
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line() {
        for (text, want) in [
            (&b"1\n2 x3\n"[..], "line 2: \"x3\" is no number"),
            (b"1;2", "line 1: \"1;2\" is no number"),
            (b"0\n\n1e39", "line 3: 1e39 is beyond a binary32 number"),
            (b"\x93NUMPY", "line 1: not text; the name of a raw row ends in .f32"),
        ] {
            assert_eq!(read(text), Err(want.to_owned()));
        }
    }
}
