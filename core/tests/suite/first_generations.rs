//! The rule of the S2 engines' first generations against what they returned, and against a slow twin.

use crate::common;

use common::oracle::{Mt19937, discrete, rank};
use common::rows::{SplitMix, generated};
use common::{golden, levels};
use hexf_parse::parse_hexf32;
use s2sampler_core::{
    Chain, Error, Preset, PresetParams, SampleRequest, Sampler, SamplerParams, Stage, TokenData,
    TokenRange, sample_token_first, seed_thread,
};

/// One draw of the rule: the token and the words used; none if nothing is above -inf. Written from the
/// manual.
fn draw(row: &[f32], params: &SamplerParams, keep: i32, mt: &mut Mt19937) -> (Option<u32>, u64) {
    let SamplerParams { temperature, top_p, top_k } = *params;
    let ranked = rank(row);
    let k = if top_k > 0 { row.len().min(top_k as usize) } else { row.len() };
    let mut left: Vec<(u32, f32)> = (0..k).map(|i| (ranked.ids[i], ranked.logits[i])).collect();
    let place = ranked.ids.iter().position(|id| i64::from(*id) == i64::from(keep));
    if let Some(place) = place
        && place >= k
        && ranked.logits[place] > -1e30
    {
        left.push((ranked.ids[place], ranked.logits[place]));
    }
    let m = left[0].1;
    if m == f32::NEG_INFINITY {
        return (None, 0);
    }
    if m == f32::INFINITY {
        if left.len() > 1 {
            mt.uniform();
        }
        return (Some(left[0].0), if left.len() > 1 { 2 } else { 0 });
    }
    let weight = |l: f32| match temperature {
        t if t == f32::INFINITY => f32::from(u8::from(l > f32::NEG_INFINITY)),
        t if t > 0.0 => ((l - m) / t).exp(),
        _ => f32::from(u8::from(l == m)),
    };
    let mut weights: Vec<f32> = left.iter().map(|(_, l)| weight(*l)).collect();
    let mut sum = 0.0_f32;
    weights.iter().for_each(|w| sum += w);
    weights.iter_mut().for_each(|w| *w /= sum);
    let (mut running, mut end) = (0.0_f32, weights.len());
    for (i, w) in weights.iter().enumerate() {
        running += w;
        if running >= top_p {
            end = i + 1;
            break;
        }
    }
    if let Some(kept) = left.iter().position(|(id, _)| i64::from(*id) == i64::from(keep)) {
        end = end.max(kept + 1);
    }
    weights.truncate(end);
    let mut sum = 0.0_f32;
    weights.iter().for_each(|w| sum += w);
    weights.iter_mut().for_each(|w| *w /= sum);
    if end == 1 {
        return (Some(left[0].0), 0);
    }
    (Some(left[discrete(&weights, mt.uniform())].0), 2)
}

fn request(row: &[f32], params: SamplerParams, keep: i32) -> SampleRequest<'_> {
    let keep_id = (keep >= 0).then_some(keep);
    SampleRequest { keep_id, first_generations: true, ..SampleRequest::new(row, params) }
}

/// The tokens of every way to this rule, at every level.
fn check(
    row: &[f32],
    params: SamplerParams,
    keep: i32,
    seed: u32,
    draws: usize,
    text: &str,
) -> Vec<u32> {
    let mut mt = Mt19937::new(seed);
    let drawn: Vec<_> = (0..draws).map(|_| draw(row, &params, keep, &mut mt)).collect();
    for level in levels::all() {
        let mut sampler = Sampler::with_simd_level(seed, level).expect("it is available");
        let mut chain = Chain::new().with_simd_level(level).expect("it is available");
        let level = level.name();
        chain.add(Stage::s2_first(params, keep)).expect("memory");
        chain.add(Stage::dist(seed)).expect("memory");
        let mut list = chain.try_clone().expect("memory");
        for (i, (want, words)) in drawn.iter().enumerate() {
            let want = want.ok_or(Error::NoCandidate);
            let got = sampler.sample_request(&request(row, params, keep));
            let token = got.map(|got| got.token as u32);
            assert_eq!(token, want, "request, {level}, draw {i}, {text}");
            if let Ok(got) = got {
                assert_eq!(u64::from(got.rng_words), *words, "{level}, draw {i}, {text}");
                assert_eq!(got.candidates > 1, *words > 0, "{level}, draw {i}, {text}");
            }
            assert_eq!(chain.sample(row), want, "chain, {level}, draw {i}, {text}");
            // From the back: a list has an order of its own.
            let mut tokens: Vec<TokenData> =
                (0..).zip(row).map(|(id, l)| TokenData { id, logit: *l, p: 0.0 }).collect();
            tokens.reverse();
            let applied = list.apply(&mut tokens, false);
            let token = applied.map(|a| tokens[a.selected.expect("dist selects")].id as u32);
            assert_eq!(token, want, "list, {level}, draw {i}, {text}");
        }
    }
    seed_thread(seed);
    for (i, (want, _)) in drawn.iter().enumerate() {
        let keep_id = (keep >= 0).then_some(keep);
        let token = sample_token_first(row, &params, keep_id);
        assert_eq!(token, Ok(want.unwrap_or(0)), "the thread's generator, draw {i}, {text}");
    }
    drawn.iter().map(|(token, _)| token.unwrap_or(0)).collect()
}

fn golden_lines(name: &str, has_keep: bool) -> usize {
    let path = golden::data("engines").join(name);
    let table = std::fs::read_to_string(path).expect("a table");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let float = |i: usize| parse_hexf32(fields[i], false).expect("a float");
            let int = |i: usize| fields[i].parse::<i32>().expect("a number");
            let seed = fields[3].parse().expect("a seed");
            let row = generated(fields[0], int(1) as usize, float(2), seed);
            let params = SamplerParams { temperature: float(4), top_p: float(5), top_k: int(6) };
            let keep = if has_keep { int(7) } else { -1 };
            let rest = &fields[7 + usize::from(has_keep)..];
            let tokens: Vec<u32> =
                rest[1].split(',').map(|token| token.parse().expect("a token")).collect();
            let seed = rest[0].parse().expect("a seed");
            assert_eq!(check(&row, params, keep, seed, tokens.len(), line), tokens, "{line}");
        })
        .count()
}

#[test]
fn golden_tokens_of_the_first_release() {
    assert_eq!(golden_lines("s2_gen0.tsv", false), 90);
}

#[test]
fn golden_tokens_of_the_generation_with_a_kept_id() {
    assert_eq!(golden_lines("s2_gen1.tsv", true), 90);
}

/// Small rows of few values: ties, -inf, NaN and +inf at every place, and ids that are kept, cut, at -inf or
/// outside the row.
#[test]
fn random_rows() {
    let mut random = SplitMix(20);
    let inf = f32::INFINITY;
    for case in 0..common::scale::cases(4000) {
        let n = 1 + random.below(12);
        let values = [0.0, 0.0, 1.0, 2.5, -1.0, -inf, -inf, f32::NAN, -1e30, -2e30, 3.0, inf];
        // +inf in a few rows only.
        let most = values.len() - usize::from(random.below(8) > 0);
        let row: Vec<f32> = (0..n).map(|_| random.pick(&values[..most])).collect();
        let params = SamplerParams {
            temperature: random.pick(&[0.7, 1.0, 0.0, -1.0, f32::NAN, inf, 1e-40, 3.0]),
            top_p: random.pick(&[0.7, 0.5, 0.25, 0.0, -1.0, 1.0, 1.5, f32::NAN, 0.9]),
            top_k: random.pick(&[30, 0, -1, 1, 2, 3, 5, n as i32, n as i32 - 1]),
        };
        let keep = random.below(n + 3) as i32 - 1;
        let text = format!("case {case}: {row:?} {params:?} keep {keep}");
        check(&row, params, keep, case as u32, 4, &text);
    }
}

/// Ranges are a row with -inf at every other id, to the rank of a kept id at -inf.
#[test]
fn ranges_are_a_mask() {
    let mut random = SplitMix(21);
    for case in 0..common::scale::cases(1000) {
        let n = 1 + random.below(12);
        let values = [0.0, 1.0, 2.5, f32::NEG_INFINITY];
        let row: Vec<f32> = (0..n).map(|_| random.pick(&values)).collect();
        let (first, last) = (random.below(n) as i32, random.below(n) as i32);
        let end = random.below(n) as i32;
        let ranges = [TokenRange { first, last }, TokenRange { first: end, last: end }];
        let allowed = |id: i32| ranges.iter().any(|r| (r.first..=r.last).contains(&id));
        let masked: Vec<f32> = (0..)
            .zip(&row)
            .map(|(id, l)| if allowed(id) { *l } else { f32::NEG_INFINITY })
            .collect();
        let top_k = random.pick(&[0, 2, 5, 30]);
        let params = SamplerParams { temperature: 0.7, top_p: 0.5, top_k };
        let any = random.below(n) as i32;
        let keep = random.pick(&[end, -1, any]);
        let mut words = Vec::new();
        // The same mask in every form that it has inside: ranges, ids, bits, and bans of different numbers.
        let ids: Vec<i32> = (0..n as i32).filter(|id| allowed(*id)).collect();
        let mut many_ids = ids.clone();
        many_ids.resize(ids.len() + 65, -1);
        let banned: Vec<i32> = (0..n as i32).filter(|id| !allowed(*id)).collect();
        let mut many_bans = banned.clone();
        many_bans.resize(banned.len() + 1025, -1);
        let mut long = row.clone();
        long.resize(n + 4096, f32::NEG_INFINITY);
        let plain = request(&row, params, keep);
        let tokens = [
            request(&masked, params, keep),
            SampleRequest { ranges: &ranges, ..plain },
            SampleRequest { allowed_ids: &ids, ..plain },
            SampleRequest { allowed_ids: &many_ids, ..plain },
            SampleRequest { banned: &banned, ..plain },
            SampleRequest { banned: &many_bans, ..plain },
            SampleRequest { logits: &long, allowed_ids: &many_ids, ..plain },
        ];
        for request in tokens {
            let mut sampler = Sampler::new(case as u32);
            let token =
                || sampler.sample_request_token(&request).map(|got| (got.token, got.rng_words));
            words.push(core::iter::repeat_with(token).take(4).collect::<Vec<_>>());
        }
        let text = format!("case {case}: {row:?} {ranges:?} {params:?} keep {keep}");
        assert!(words.iter().all(|got| *got == words[0]), "{text}: {words:?}");
    }
}

/// There is nothing to draw, but the kept id is a second candidate, so two words are used.
#[test]
fn a_kept_id_beside_infinity_counts() {
    let params = SamplerParams { temperature: 0.7, top_p: 0.7, top_k: 1 };
    let row = [1.0, f32::INFINITY, 2.0, -2e30];
    for (keep, words) in [(0, 2), (2, 2), (1, 0), (3, 0), (-1, 0), (4, 0)] {
        let got = Sampler::new(1).sample_request(&request(&row, params, keep)).expect("a token");
        assert_eq!((got.token, got.rng_words), (1, words), "keep {keep}");
        check(&row, params, keep, 1, 3, "+inf");
    }
}

#[test]
fn final_probabilities() {
    let row = [3.0, 2.0, 1.0, 0.0, -1.0];
    let params = SamplerParams { temperature: 0.5, top_p: 0.1, top_k: 2 };
    let e = |l: f64| ((l - 3.0) / 0.5).exp();
    // Two ranks and the kept one; the nucleus reaches up to it.
    let total = e(3.0) + e(2.0) + e(0.0);
    let request = SampleRequest { watched_id: Some(3), ..request(&row, params, 3) };
    let got = Sampler::new(1).sample_request(&request).expect("a token");
    assert_eq!(got.candidates, 3);
    assert!((got.watched.final_p - e(0.0) / total).abs() < 1e-6, "{got:?}");
}

#[test]
fn the_preset() {
    let row = generated("bell", 300, 1e-6, 4);
    let params = PresetParams::of(Preset::S2First);
    let mut chain = Chain::preset(Preset::S2First, &params, 5).expect("a chain");
    seed_thread(5);
    for _ in 0..200 {
        let want = sample_token_first(&row, &SamplerParams::FIRST, None);
        assert_eq!(chain.sample(&row), want);
    }
}

#[test]
fn min_p_is_no_part_of_the_rule() {
    let row = [1.0, 2.0];
    let bad = SampleRequest { min_p: 0.1, ..request(&row, SamplerParams::FIRST, -1) };
    assert_eq!(Sampler::new(1).sample_request(&bad), Err(Error::BadArgument));
    assert_eq!(sample_token_first(&[], &SamplerParams::FIRST, None), Err(Error::EmptyRow));
}
