//! A row as text: numbers with whitespace or commas between them, nan and inf among them.
//!
//! What can be read in two ways is refused, see [`Commas`] and [`Columns`].

use super::{MAX_LOGITS, quoted, said, too_many};
use std::io::BufRead;

/// More than the digits of the longest row take.
const LONGEST: u64 = 32 * MAX_LOGITS;

pub fn read(file: impl BufRead) -> Result<Vec<f32>, String> {
    let mut file = file.take(LONGEST + 1);
    let mut logits = Vec::new();
    let (mut commas, mut columns) = (Commas::default(), Columns::default());
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if file.read_until(b'\n', &mut line).map_err(said)? == 0 {
            break;
        }
        if file.limit() == 0 {
            return Err(format!("more than {LONGEST} bytes of text; save one row alone"));
        }
        let at = |why: String| format!("line {number}: {why}");
        let text = str::from_utf8(&line).map_err(|_| {
            at("not text; raw float32 is read with --format f32 or --columns".to_owned())
        })?;
        let mut numbers = Line::new(number);
        for word in text.split_whitespace() {
            commas.word(number, word);
            for word in word.split(',').filter(|word| !word.is_empty()) {
                logits.push(value(word).map_err(at)?);
                numbers.add(word);
                if logits.len() as u64 > MAX_LOGITS {
                    return Err(too_many(logits.len() as u64));
                }
            }
        }
        columns.add(&numbers);
    }
    commas.verdict()?;
    columns.verdict()?;
    Ok(logits)
}

fn value(word: &str) -> Result<f32, String> {
    let value: f32 = word.parse().map_err(|_| {
        format!(
            "{} is no number; numbers have spaces, commas or line ends between them",
            quoted(word)
        )
    })?;
    // What overflows would pass for an infinity that somebody wrote.
    if value.is_infinite() && word.contains(|c: char| c.is_ascii_digit()) {
        return Err(format!(
            "{} is beyond the range of float32, in which logits are held",
            quoted(word)
        ));
    }
    Ok(value)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The part before an exponent, if there is one that is a whole number.
fn mantissa(word: &str) -> &str {
    match word.split_once(['e', 'E']) {
        Some((digits, power)) if is_digits(unsigned(power)) => digits,
        _ => word,
    }
}

fn unsigned(word: &str) -> &str {
    word.strip_prefix(['+', '-']).unwrap_or(word)
}

/// Whether a comma separates numbers or is a decimal mark.
///
/// `1,5` is a number with a decimal comma or two numbers. It is two if the file shows elsewhere what its
/// commas are: by a number with a point, or by commas that cannot be decimal, as in `1,2,3` or `1,-5`.
/// Without a point `0,05` has a decimal comma: nobody writes the whole number 5 as 05.
#[derive(Default)]
struct Commas {
    /// The first word that can be read in two ways, and its line.
    doubtful: Option<(u64, String)>,
    /// The first with a decimal comma.
    decimal: Option<(u64, String)>,
    points: bool,
    separate: bool,
}

impl Commas {
    /// A word between whitespace.
    fn word(&mut self, line: u64, word: &str) {
        self.points |= word.contains('.');
        let word = word.trim_matches(',');
        let parts: Vec<&str> = word.split(',').collect();
        match parts[..] {
            [_] => {}
            [first, second] if is_digits(unsigned(first)) && is_digits(mantissa(second)) => {
                self.doubtful.get_or_insert_with(|| (line, quoted(word)));
            }
            _ => self.separate = true,
        }
        let padded = |part: &&str| {
            let digits = mantissa(part);
            digits.len() > 1 && digits.starts_with('0') && is_digits(digits)
        };
        if parts.iter().skip(1).any(padded) {
            self.decimal.get_or_insert_with(|| (line, quoted(word)));
        }
    }

    fn verdict(self) -> Result<(), String> {
        if self.points {
            return Ok(());
        }
        if let Some((line, word)) = self.decimal {
            return Err(format!("line {line}: {word} has a decimal comma; write decimal points"));
        }
        match self.doubtful {
            Some((line, word)) if !self.separate => Err(format!(
                "line {line}: {word} can be one number with a decimal comma, or two; write a decimal \
                 point, or a space behind the comma (and of pairs of an id and its logit the logit alone)"
            )),
            _ => Ok(()),
        }
    }
}

/// Whether each line is an id with its logit: two numbers, of which the first is whole. Of tables with more
/// columns the last must have a fraction in every line.
#[derive(Default)]
struct Columns {
    /// The numbers in a line, if all lines have as many.
    count: Option<u64>,
    first_line: u64,
    lines: u64,
    /// Some line is none of such a table.
    other: bool,
}

/// The numbers of one line.
struct Line {
    number: u64,
    count: u64,
    first_is_id: bool,
    last_is_whole: bool,
}

impl Line {
    fn new(number: u64) -> Self {
        Self { number, count: 0, first_is_id: false, last_is_whole: false }
    }

    fn add(&mut self, word: &str) {
        self.count += 1;
        self.last_is_whole = is_digits(unsigned(word));
        if self.count == 1 {
            self.first_is_id = is_digits(word);
        }
    }
}

impl Columns {
    fn add(&mut self, line: &Line) {
        if line.count == 0 {
            return;
        }
        if self.lines == 0 {
            self.first_line = line.number;
        }
        self.lines += 1;
        self.other |= *self.count.get_or_insert(line.count) != line.count
            || !line.first_is_id
            || (line.count > 2 && line.last_is_whole);
    }

    fn verdict(&self) -> Result<(), String> {
        let table = match self.count {
            _ if self.other => false,
            Some(2) => self.lines >= 2,
            Some(3..) => self.lines >= 3,
            _ => false,
        };
        if !table {
            return Ok(());
        }
        Err(format!(
            "line {}: every line begins with a whole number, as an id before its logit does; give the \
             logits alone, in the order of their ids (if all numbers are logits, put them on one line)",
            self.first_line
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn numbers_stand_between_blanks_and_commas() {
        let text = "1 -2.5,\t3e-1\r\n\n, inf ,-INF,+7\n0";
        let want = [1.0, -2.5, 0.3, f32::INFINITY, f32::NEG_INFINITY, 7.0, 0.0];
        assert_eq!(read(text.as_bytes()), Ok(want.to_vec()));
        assert!(read(&b"nan"[..]).is_ok_and(|row| row.len() == 1 && row[0].is_nan()));
        assert_eq!(read(&b" \n,"[..]), Ok(vec![]));
    }

    #[test]
    fn commas_that_separate_are_read() {
        for (text, want) in [
            ("1,2,3", &[1.0, 2.0, 3.0][..]),
            ("1,2,3\n4,5\n", &[1.0, 2.0, 3.0, 4.0, 5.0]),
            ("1, 2", &[1.0, 2.0]),
            ("1,\n5,\n", &[1.0, 5.0]),
            ("1.5,2.25\n-3.5,4", &[1.5, 2.25, -3.5, 4.0]),
            ("-1,-5", &[-1.0, -5.0]),
            ("1,5 2.5", &[1.0, 5.0, 2.5]),
            ("1e2,5", &[100.0, 5.0]),
            ("-inf,5", &[f32::NEG_INFINITY, 5.0]),
            ("0,0,1", &[0.0, 0.0, 1.0]),
        ] {
            assert_eq!(read(text.as_bytes()), Ok(want.to_vec()), "{text}");
        }
    }

    #[test]
    fn decimal_commas_are_refused() {
        for (text, want) in [
            ("1,5\n2,25\n3,75\n", "line 1: \"1,5\" can be one number with a decimal comma, or two"),
            ("1,5 2,25", "line 1: \"1,5\" can be one number"),
            ("7\n-1,5\n-inf\nnan", "line 2: \"-1,5\" can be one number"),
            ("1,5e-3", "line 1: \"1,5e-3\" can be one number"),
            ("1,5, 2,25, 3,75", "line 1: \"1,5\" can be one number"),
            ("1,05,2,25", "line 1: \"1,05,2,25\" has a decimal comma; write decimal points"),
            ("1,2,3 0,05", "line 1: \"0,05\" has a decimal comma"),
            ("1,5;2,25", "line 1: \"5;2\" is no number; numbers have spaces, commas or line ends"),
        ] {
            let why = read(text.as_bytes()).expect_err(text);
            assert!(why.starts_with(want), "{text}: {why}");
        }
    }

    #[test]
    fn ids_before_their_logits_are_refused() {
        for text in [
            "0 1.5\n1 -2.25\n",
            "\n20\t1.5\n\n7\t3\n",
            "0,1.5\n1,-2.25",
            "0, 1.5\n1, -inf",
            "0 12 1.5\n1 7 1.25\n2 3 nan",
            "20 -1.5 0.25\n3 -1.75 0.125\n7 -2 1e-3",
        ] {
            let why = read(text.as_bytes()).expect_err(text);
            assert!(why.contains("every line begins with a whole number"), "{text}: {why}");
        }
        for (text, count) in [
            ("0 1.5", 2),
            ("0 1.5\n1 2 3", 5),
            ("0.0 1.5\n1.0 2.5", 4),
            ("-1 1.5\n1 2.5", 4),
            ("1 2 3\n4 5 6\n7 8 9", 9),
            ("1 2.5 3.5\n4 5.5 6.5", 6),
            ("1 2.5 3.5\n4.5 5.5 6.5\n1 2.5 3.5", 9),
            ("1\n2\n3", 3),
        ] {
            assert_eq!(read(text.as_bytes()).map(|row| row.len()), Ok(count), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line() {
        for (text, want) in [
            (&b"1\n2 x3\n"[..], "line 2: \"x3\" is no number"),
            (b"1;2", "line 1: \"1;2\" is no number"),
            (b"0\n\n1e39", "line 3: \"1e39\" is beyond the range of float32"),
            (b"\x93NUMPY", "line 1: not text; raw float32 is read with --format f32 or --columns"),
            (b"\x1b[31m", "line 1: \"\\u{1b}[31m\" is no number"),
        ] {
            let why = read(text).expect_err(want);
            assert!(why.starts_with(want), "{why}");
        }
        let long = "x".repeat(1000);
        assert!(read(long.as_bytes()).expect_err("no number").len() < 200);
    }

    #[test]
    fn text_that_never_ends_is_refused() {
        let why = read(io::BufReader::new(io::repeat(b' '))).expect_err("endless");
        assert!(why.starts_with("more than 134217728 bytes of text"), "{why}");
        let text = "1 ".repeat(4_194_305);
        let why = read(text.as_bytes()).expect_err("too many");
        assert!(why.starts_with("4194305 logits in one row: at most 4194304"), "{why}");
        assert_eq!(read(&text.as_bytes()[2..]).map(|row| row.len()), Ok(4_194_304));
    }
}
