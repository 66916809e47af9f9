//! Whether counts fit what was expected of them, by bounds that follow from how many there are.

/// How far from its mean a statistic may be, in standard deviations: by chance once in 1.7 million.
const SIGMAS: f64 = 5.0;

/// The fewest draws that a cell of a chi-square test should expect; tokens with fewer share a cell.
const LEAST: f64 = 10.0;

/// The two values between which a chi-square of `freedom` degrees lies, but for [`SIGMAS`]: Wilson and
/// Hilferty's cube of a normal.
fn chi_square_bounds(freedom: f64) -> (f64, f64) {
    let spread = 2.0 / (9.0 * freedom);
    let at = |sigmas: f64| freedom * (1.0 - spread + sigmas * spread.sqrt()).max(0.0).powi(3);
    (at(-SIGMAS), at(SIGMAS))
}

/// Counts of tokens, and the probability of each, in each of several conditions.
///
/// Pearson's chi-square and the G statistic are summed over the conditions. Both must be neither larger than
/// chance makes them nor smaller, which is what draws that are too regular come to. A token of probability
/// zero must not be there at all.
pub fn fit(expected: &[Vec<f64>], counts: &[Vec<u64>]) -> Result<(), String> {
    let (mut chi_square, mut g, mut freedom) = (0.0, 0.0, 0.0);
    for (expected, counts) in expected.iter().zip(counts) {
        let n = counts.iter().sum::<u64>() as f64;
        let (mut rare, mut cells) = ((0.0, 0.0), Vec::new());
        for (token, (p, count)) in expected.iter().zip(counts).enumerate() {
            let observed = *count as f64;
            match n * p {
                _ if *p <= 0.0 && *count > 0 => {
                    return Err(format!("token {token} is excluded, and drawn {count} times"));
                }
                mean if mean < LEAST => rare = (rare.0 + mean, rare.1 + observed),
                mean => cells.push((mean, observed)),
            }
        }
        if rare.0 >= LEAST {
            cells.push(rare);
        } else if let Some(last) = cells.last_mut() {
            *last = (last.0 + rare.0, last.1 + rare.1);
        }
        for (mean, observed) in &cells {
            chi_square += (observed - mean).powi(2) / mean;
            g += 2.0 * observed * (observed / mean).ln().max(f64::MIN);
        }
        freedom += cells.len().saturating_sub(1) as f64;
    }
    if freedom < 1.0 {
        return Err("nothing to compare".to_owned());
    }
    let (low, high) = chi_square_bounds(freedom);
    let told = format!("chi-square {chi_square:.1}, G {g:.1}, both to lie in {low:.1}..{high:.1}");
    let fits = |statistic: f64| low < statistic && statistic < high;
    if fits(chi_square) && fits(g) { Ok(()) } else { Err(told) }
}

/// Whether two sequences are uncorrelated: their coefficient times the root of their length is normal.
pub fn uncorrelated(a: &[f64], b: &[f64]) -> Result<(), String> {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mean = |x: &[f64]| x.iter().sum::<f64>() / n as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let product = |x: &[f64], mx: f64, y: &[f64], my: f64| {
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>()
    };
    let r = product(a, mean_a, b, mean_b)
        / (product(a, mean_a, a, mean_a) * product(b, mean_b, b, mean_b)).sqrt();
    let sigmas = r * (n as f64).sqrt();
    // NaN, of a sequence that never changes, is no success.
    if sigmas.abs() < SIGMAS { Ok(()) } else { Err(format!("correlated by {sigmas:.1} sigmas")) }
}
