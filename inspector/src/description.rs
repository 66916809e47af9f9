//! A chain in words: the names of its stages, each with its arguments in parentheses.
//!
//! `penalties(64, 1.1) top_k(40) temperature(0.8) dist(42)`. An argument is a number; a pair `12:-1.5`
//! for `logit_bias`; a sequence of tokens `[13 198]` for `dry`.
//!
//! Numbers have a decimal point. `top_p(0,9)` would be two whole numbers, which is hardly ever meant: a
//! comma between whole numbers needs a space behind it, unless the call has a number with a point.

use crate::problem::Problem;
use std::fmt;

/// One stage as it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub name: String,
    pub arguments: Vec<Argument>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    Word(String),
    Pair(String, String),
    List(Vec<String>),
}

/// Takes a description apart; what the names and the numbers mean is not looked at here.
pub fn parse(text: &str) -> Result<Vec<Call>, Problem> {
    let mut reader = Reader { text, at: 0 };
    let mut calls = Vec::new();
    while reader.peek().is_some() {
        calls.push(reader.call()?);
    }
    if calls.is_empty() {
        return Err(Problem::Usage("the chain has no stages".to_owned()));
    }
    Ok(calls)
}

struct Reader<'a> {
    text: &'a str,
    /// In bytes, always before a character.
    at: usize,
}

impl Reader<'_> {
    fn call(&mut self) -> Result<Call, Problem> {
        let name = self.word(|c| c.is_ascii_alphanumeric() || c == '_', "the name of a stage")?;
        let mut arguments = Vec::new();
        if self.takes('(') && !self.takes(')') {
            let mut doubt = None;
            loop {
                let start = self.at;
                let tight = self.is_tight_comma(start);
                arguments.push(self.argument()?);
                if let [.., before, Argument::Word(after)] = &arguments[..]
                    && tight
                    && before.ends_whole()
                    && is_fraction(after)
                    && doubt.is_none()
                {
                    doubt = Some((start, format!("{},{after}", before.last())));
                }
                if self.takes(')') {
                    break;
                }
                if !self.takes(',') {
                    return Err(self.expected("a comma or a closing parenthesis"));
                }
            }
            if let Some((at, pair)) = doubt.filter(|_| !arguments.iter().any(Argument::has_point)) {
                return Err(self.doubtful(at, &pair));
            }
        }
        Ok(Call { name, arguments })
    }

    fn argument(&mut self) -> Result<Argument, Problem> {
        if self.takes('[') {
            let mut list = Vec::new();
            while !self.takes(']') {
                list.push(self.number("a token or a closing bracket")?);
                self.takes(',');
            }
            return Ok(Argument::List(list));
        }
        let word = self.number("a number")?;
        if self.takes(':') {
            return Ok(Argument::Pair(word, self.number("a number")?));
        }
        Ok(Argument::Word(word))
    }

    fn number(&mut self, what: &str) -> Result<String, Problem> {
        self.word(|c| c.is_ascii_alphanumeric() || "+-._".contains(c), what)
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool, what: &str) -> Result<String, Problem> {
        self.peek();
        let word: String = self.rest().chars().take_while(|c| belongs(*c)).collect();
        if word.is_empty() {
            return Err(self.expected(what));
        }
        self.at += word.len();
        Ok(word)
    }

    fn takes(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// The next character that is not white.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Whether a comma without blanks around it comes before `at`.
    fn is_tight_comma(&self, at: usize) -> bool {
        let before = self.text.get(..at).and_then(|text| text.strip_suffix(','));
        before.is_some_and(|before| !before.ends_with(char::is_whitespace))
            && !self.rest().starts_with(char::is_whitespace)
    }

    /// A pair of whole numbers that may be one with a decimal comma; the second begins at `at`.
    fn doubtful(&self, at: usize, pair: &str) -> Problem {
        let column = self.column(at) - (pair.find(',').unwrap_or_default() + 1);
        let (point, space) = (pair.replace(',', "."), pair.replace(',', ", "));
        Problem::Usage(format!(
            "chain, column {column}: {pair} may be one number or two; write {point}, or {space}"
        ))
    }

    /// Of a place in the text, counted in characters from 1.
    fn column(&self, at: usize) -> usize {
        self.text.get(..at).unwrap_or_default().chars().count() + 1
    }

    fn expected(&mut self, what: &str) -> Problem {
        let found = self.peek().map_or("the end".to_owned(), |c| format!("'{}'", c.escape_debug()));
        let column = self.column(self.at);
        Problem::Usage(format!("chain, column {column}: expected {what}, found {found}"))
    }
}

/// Digits alone, as behind a decimal comma; an exponent may follow.
fn is_fraction(word: &str) -> bool {
    let (digits, power) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
    is_whole(digits) && is_whole(power.strip_prefix(['+', '-']).unwrap_or(power))
}

fn is_whole(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

impl Argument {
    /// The last number in it.
    fn last(&self) -> &str {
        match self {
            Self::Word(word) | Self::Pair(_, word) => word,
            Self::List(_) => "",
        }
    }

    fn has_point(&self) -> bool {
        self.last().contains('.')
    }

    /// Whether it ends with a whole number, as stands before a decimal comma.
    fn ends_whole(&self) -> bool {
        is_whole(self.last().strip_prefix(['+', '-']).unwrap_or(self.last()))
    }
}

/// As it would be written, so that reading it gives the same.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        let arguments: Vec<String> = self.arguments.iter().map(Argument::to_string).collect();
        write!(f, "({})", arguments.join(", "))
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Pair(key, value) => write!(f, "{key}:{value}"),
            Self::List(list) => write!(f, "[{}]", list.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        let calls = parse(text).expect("a description");
        calls.iter().map(Call::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn descriptions_come_back() {
        for (text, want) in [
            ("greedy", "greedy"),
            ("greedy()", "greedy"),
            ("  top_k( 40 )top_p(0.9,1)\n dist ", "top_k(40) top_p(0.9, 1) dist"),
            ("logit_bias(12:-inf, 3 : +1.5e-3)", "logit_bias(12:-inf, 3:+1.5e-3)"),
            (
                "dry(0.8, 1.75, 2, -1, [13], [1,2 3], [])",
                "dry(0.8, 1.75, 2, -1, [13], [1 2 3], [])",
            ),
        ] {
            assert_eq!(canonical(text), want);
            assert_eq!(canonical(want), want);
            assert_eq!(parse(text), parse(want));
        }
    }

    #[test]
    fn decimal_commas_are_refused() {
        for (text, want) in [
            (
                "top_p(0,9) dist",
                "chain, column 7: 0,9 may be one number or two; write 0.9, or 0, 9",
            ),
            ("temperature(0,8)", "chain, column 13: 0,8 may be"),
            ("top_k(40) xtc(0,5, 0,1)", "chain, column 15: 0,5 may be"),
            (
                "min_p( 0,05 )",
                "chain, column 8: 0,05 may be one number or two; write 0.05, or 0, 05",
            ),
            ("temperature(1,5e-1)", "chain, column 13: 1,5e-1 may be"),
            ("logit_bias(12:-1,5)", "chain, column 15: -1,5 may be one number or two; write -1.5"),
            ("penalties(64,1)", "chain, column 11: 64,1 may be"),
        ] {
            let Err(Problem::Usage(problem)) = parse(text) else { panic!("{text} was taken") };
            assert!(problem.starts_with(want), "{text}: {problem}");
        }
        for text in [
            "top_p(0, 9)",
            "top_p(0 ,\t9)",
            "penalties(64,1.1)",
            "mirostat_v2(7,5,0.1)",
            "logit_bias(1:2,3:4)",
            "dry(1,[1,2],[3,4])",
            "xtc(1,-1)",
            "xtc(1,inf)",
        ] {
            parse(text).expect(text);
        }
    }

    #[test]
    fn mistakes_are_shown_with_their_column() {
        for (text, want) in [
            ("", "the chain has no stages"),
            (" \t", "the chain has no stages"),
            ("(40)", "column 1: expected the name of a stage, found '('"),
            ("top_k(40", "column 9: expected a comma or a closing parenthesis, found the end"),
            ("top_k(40 50)", "column 10: expected a comma or a closing parenthesis, found '5'"),
            ("top_k(40,)", "column 10: expected a number, found ')'"),
            ("top_k(40))", "column 10: expected the name of a stage, found ')'"),
            ("über", "column 1: expected the name of a stage, found 'ü'"),
            ("top_p(„9)", "column 7: expected a number, found '„'"),
            ("logit_bias(1:)", "column 14: expected a number, found ')'"),
            ("dry(1, [2", "column 10: expected a token or a closing bracket, found the end"),
        ] {
            let Err(Problem::Usage(problem)) = parse(text) else { panic!("{text} was taken") };
            assert!(problem.ends_with(want), "{text}: {problem}");
        }
    }
}
