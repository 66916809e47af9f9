//! How often tokens were drawn beside how often they should be, and whether chance explains the difference.

use super::figures::{bar, percent};
use super::grid::Grid;
use s2sampler_core::Report;
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::collections::BTreeMap;

/// Below so many expected draws a token shares its bin with others, as is usual for the test.
const LEAST_EXPECTED: f64 = 5.0;

/// A histogram of the `show` likeliest tokens, the rest in a line, and the test over all.
pub fn histogram(report: &Report, counts: &BTreeMap<u32, u32>, show: usize) -> String {
    let draws: u32 = counts.values().sum();
    let draws = f64::from(draws);
    let tokens = tokens(report, counts);
    let full = tokens.iter().map(|token| token.drawn).fold(0.0, f64::max);
    let mut grid = Grid::new(&["id", "final", "expected", "drawn", "sigma", ""], ">>>>><");
    let (shown, rest) = tokens.split_at(show.min(tokens.len()));
    for token in shown {
        grid.row(token.cells(token.id.to_string(), draws, full));
    }
    if !rest.is_empty() {
        let others = Token {
            id: 0,
            share: rest.iter().map(|token| token.share).sum(),
            drawn: rest.iter().map(|token| token.drawn).sum(),
        };
        grid.row(others.cells(format!("{} others", rest.len()), draws, full));
    }
    grid.text() + &verdict(&tokens, draws)
}

struct Token {
    id: u32,
    share: f64,
    drawn: f64,
}

impl Token {
    fn cells(&self, name: String, draws: f64, full: f64) -> Vec<String> {
        let Self { share, drawn, .. } = *self;
        let expected = share * draws;
        let sigma = (drawn - expected) / (expected * (1.0 - share)).sqrt();
        let sigma = if sigma.is_finite() { format!("{sigma:+.1}") } else { String::new() };
        let expected = format!("{expected:.1}");
        vec![name, percent(share), expected, drawn.to_string(), sigma, bar(drawn, full)]
    }
}

/// All that can be drawn or were, the likeliest first.
fn tokens(report: &Report, counts: &BTreeMap<u32, u32>) -> Vec<Token> {
    let all = report.candidates.iter().map(|c| Token {
        id: c.id,
        share: c.final_probability,
        drawn: counts.get(&c.id).map_or(0.0, |count| f64::from(*count)),
    });
    let mut tokens: Vec<Token> = all.filter(|t| t.share > 0.0 || t.drawn > 0.0).collect();
    tokens.sort_by(|a, b| b.share.total_cmp(&a.share));
    tokens
}

/// The chi-square test of the counts, in words.
fn verdict(tokens: &[Token], draws: f64) -> String {
    let impossible: f64 = tokens.iter().filter(|t| t.share == 0.0).map(|t| t.drawn).sum();
    if impossible > 0.0 {
        return format!(
            "chi-square: {impossible} draws of tokens that have no final probability\n"
        );
    }
    let bins = bins(tokens, draws);
    let statistic: f64 =
        bins.iter().map(|[expected, drawn]| (drawn - expected).powi(2) / expected).sum();
    match ChiSquared::new(bins.len() as f64 - 1.0) {
        Ok(law) => {
            let (bins, freedom, p) = (bins.len(), bins.len() - 1, law.sf(statistic));
            format!(
                "chi-square {statistic:.2} in {bins} bins, {freedom} degrees of freedom: as far off or \
                 farther in {} of such runs\n",
                percent(p)
            )
        }
        Err(_) => "chi-square: one bin, nothing to test\n".to_owned(),
    }
}

/// Expected and drawn, the unlikely tokens together until enough are expected.
fn bins(tokens: &[Token], draws: f64) -> Vec<[f64; 2]> {
    let mut bins: Vec<[f64; 2]> = Vec::new();
    let mut open = [0.0; 2];
    for token in tokens {
        open = [open[0] + token.share * draws, open[1] + token.drawn];
        if open[0] >= LEAST_EXPECTED {
            bins.push(open);
            open = [0.0; 2];
        }
    }
    match bins.last_mut() {
        Some(last) => *last = [last[0] + open[0], last[1] + open[1]],
        None => bins.push(open),
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(parts: &[(f64, f64)]) -> Vec<Token> {
        let tokens = parts.iter().zip(0..);
        tokens.map(|(&(share, drawn), id)| Token { id, share, drawn }).collect()
    }

    #[test]
    fn unlikely_tokens_share_a_bin() {
        let tokens = tokens(&[(0.9, 91.0), (0.06, 5.0), (0.03, 2.0), (0.01, 2.0)]);
        let bins = bins(&tokens, 100.0);
        let want = [[90.0, 91.0], [10.0, 9.0]];
        assert_eq!(bins.len(), want.len());
        for (bin, want) in bins.iter().flatten().zip(want.iter().flatten()) {
            assert!((bin - want).abs() < 1e-9, "{bins:?}");
        }
    }

    /// Known values: 3.841 and 9.210 are the 5 % point of one and the 1 % point of two degrees.
    #[test]
    fn the_verdict_is_that_of_the_tables() {
        let off = (3.841_459_f64 * 2500.0).sqrt() / 100.0;
        let text = verdict(&tokens(&[(0.5, 50.0 + off * 10.0), (0.5, 50.0 - off * 10.0)]), 100.0);
        assert!(text.contains("chi-square 3.84 in 2 bins, 1 degrees of freedom"), "{text}");
        assert!(text.contains("5.000 %"), "{text}");
        assert!(verdict(&tokens(&[(1.0, 9.0)]), 9.0).contains("nothing to test"));
        assert!(verdict(&tokens(&[(1.0, 8.0), (0.0, 1.0)]), 9.0).contains("1 draws of tokens"));
    }
}
