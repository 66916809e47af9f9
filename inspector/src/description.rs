//! A chain in words: the names of its stages, each with its arguments in parentheses.
//!
//! `penalties(64, 1.1) top_k(40) temperature(0.8) dist(42)`. An argument is a number; a pair `12:-1.5`
//! for `logit_bias`; a sequence of tokens `[13 198]` for `dry`.

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
            loop {
                arguments.push(self.argument()?);
                if self.takes(')') {
                    break;
                }
                if !self.takes(',') {
                    return Err(self.expected("a comma or a closing parenthesis"));
                }
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

    fn expected(&mut self, what: &str) -> Problem {
        let found = self.peek().map_or("the end".to_owned(), |c| format!("'{c}'"));
        let column = self.text.get(..self.at).unwrap_or_default().chars().count() + 1;
        Problem::Usage(format!("chain, column {column}: expected {what}, found {found}"))
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
