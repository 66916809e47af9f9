//! Masked draws against draws from rows with -inf by hand, by requests of samplers and of chains.

use crate::common;

use common::levels;
use common::rows::{KINDS, SplitMix};
use common::scale;
use s2sampler_core::{
    Chain, ChainRequest, Error, SampleRequest, Sampler, SamplerParams, Stage, TokenRange,
};

/// The fewest tiles that a scan moves to a cache line, of the longest tile.
const ALIGNED: usize = 32 * 512;

/// The masks that are bits: bitmasks, long lists, many ranges, many bans.
#[derive(Debug, Default)]
struct Masks {
    bitmask: Vec<i32>,
    ranges: Vec<TokenRange>,
    allowed: Vec<i32>,
    banned: Vec<i32>,
}

impl Masks {
    fn new(n: usize, random: &mut SplitMix) -> Self {
        let mut masks = Self::default();
        let kind = random.below(5);
        if kind == 0 {
            masks.bitmask = (0..n.div_ceil(32)).map(|_| random.next() as i32).collect();
        }
        if kind == 1 {
            // Words of one kind in turn, so that whole tiles are empty or full.
            masks.bitmask = (0..n.div_ceil(32)).map(|i| -i32::from(i / 50 % 3 == 1)).collect();
            masks.bitmask[0] = 1;
        }
        if kind == 2 {
            let step = random.pick(&[1, 2, 3, 9]);
            masks.allowed = (0..n as i32).step_by(step).collect();
        }
        if kind == 3 {
            let longest = random.pick(&[3, 20, 200]);
            let range = |first: usize, len: usize| TokenRange {
                first: first as i32,
                last: (first + len) as i32,
            };
            masks.ranges = (0..65).map(|_| range(random.below(n), random.below(longest))).collect();
        }
        if kind == 4 || random.below(3) == 0 {
            masks.banned = (0..1025).map(|_| random.below(2 * n) as i32).collect();
        }
        masks
    }

    fn allow(&self, id: i32) -> bool {
        let Self { bitmask, ranges, allowed, banned } = self;
        (bitmask.is_empty() || bitmask[id as usize / 32] >> (id % 32) & 1 == 1)
            && (ranges.is_empty() || ranges.iter().any(|r| r.first <= id && id <= r.last))
            && (allowed.is_empty() || allowed.contains(&id))
            && !banned.contains(&id)
    }
}

#[test]
fn masked_draws_are_those_of_rows_masked_by_hand() {
    let lens = [31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1024, 1029, 4096];
    let lens = lens.into_iter().chain([ALIGNED - 1, ALIGNED, ALIGNED + 1, ALIGNED + 513]);
    let lens: Vec<usize> = lens.collect();
    let mut drawn = 0;
    let cases = scale::cases(300);
    for case in 0..cases as u64 {
        let mut random = SplitMix(case ^ 0x3a5c);
        let (kind, make) = random.pick(KINDS);
        let n = lens[case as usize % lens.len()];
        let start = random.below(17);
        let mut row = vec![0.0; start];
        row.extend(make(n, case));
        let row = &row[start..];
        let masks = Masks::new(n, &mut random);
        let by_hand: Vec<f32> = (0..)
            .zip(row)
            .map(|(id, logit)| if masks.allow(id) { *logit } else { f32::NEG_INFINITY })
            .collect();
        let params = random.pick(&[
            SamplerParams::default(),
            SamplerParams { temperature: 1.5, top_p: 0.999, top_k: 0 },
            SamplerParams { temperature: 0.0, top_p: 1.0, top_k: 0 },
        ]);
        let Masks { bitmask, ranges, allowed, banned } = &masks;
        let request = SampleRequest {
            bitmask,
            ranges,
            allowed_ids: allowed,
            banned,
            ..SampleRequest::new(row, params)
        };
        let plain = SampleRequest::new(&by_hand, params);
        let chain_request = ChainRequest {
            bitmask,
            ranges,
            allowed_ids: allowed,
            banned,
            ..ChainRequest::new(row)
        };
        for level in levels::all() {
            let what = format!("{level:?} {kind} n {n} start {start} case {case} {masks:?}");
            let sampler = || Sampler::with_simd_level(case as u32, level).unwrap();
            let want = sampler().sample_request_token(&plain);
            let got = sampler().sample_request_token(&request);
            if got == Err(Error::EmptyRow) {
                assert!(!by_hand.iter().any(|logit| *logit > f32::NEG_INFINITY), "{what}");
                continue;
            }
            // Draws that nothing can be drawn from, and the count of candidates, agree too.
            assert_eq!(got, want, "{what}");
            drawn += 1;
            let chain = || {
                let mut chain = Chain::new();
                chain.add(Stage::top_k(40)).unwrap();
                chain.add(Stage::top_p(0.95, 1).unwrap()).unwrap();
                chain.add(Stage::dist(case as u32)).unwrap();
                chain.with_simd_level(level).unwrap()
            };
            let want = chain().sample_request_token(&ChainRequest::new(&by_hand));
            assert_eq!(chain().sample_request_token(&chain_request), want, "{what}");
        }
    }
    assert!(drawn * 2 > cases * levels::all().len(), "{drawn}");
}
