//! Masked copies of rows, and the bits of masks, against plain loops.

use super::*;
use crate::TokenRange;

#[test]
fn masked_copies_are_those_of_single_bits() {
    for kernels in levels() {
        let mut next = uniform(5);
        for len in [0, 1, 7, 31, 32, 33, 63, 64, 65, 100, 1000, 1027] {
            let mut row = row(kernels, 5, 5);
            row.truncate(len);
            let words: Vec<u32> =
                (0..len.div_ceil(32)).map(|_| (next() * 4_294_967_296.0) as u32).collect();
            for words in [&words[..], &vec![u32::MAX; words.len()], &vec![0; words.len()]] {
                // Exactly as long as the row, and what was there before does not show.
                let mut out = vec![7.0; len];
                kernels.mask(&row, words, &mut out);
                for (i, (value, out)) in row.iter().zip(&out).enumerate() {
                    let allowed = words[i / 32] >> (i % 32) & 1 == 1;
                    let expected = if allowed { *value } else { f32::NEG_INFINITY };
                    assert_eq!(out.to_bits(), expected.to_bits(), "{len}: {i}");
                }
            }
        }
    }
}

/// Rows that begin anywhere; tiles of which all, none, one token or half of the tokens are allowed.
#[test]
fn masked_tiles_are_masked_copies_with_their_block_maxima() {
    for kernels in levels() {
        let tile_len = kernels.tile_len();
        let mut next = uniform(6);
        for (tiles, start) in [(0, 0), (1, 0), (1, 1), (2, 3), (4, 7), (9, 15)] {
            let longer = row(kernels, tiles + 1, 6);
            let row = &longer[start..start + tiles * tile_len];
            let words: Vec<u32> = (0..tiles)
                .flat_map(|tile| vec![tile % 4; tile_len / 32])
                .enumerate()
                .map(|(i, kind)| match kind {
                    0 => (next() * 4_294_967_296.0) as u32,
                    1 => 0,
                    2 => u32::MAX,
                    _ => u32::from(i % (tile_len / 32) == tile_len / 64) << 31,
                })
                .collect();
            let (mut copy, mut out) = (vec![0.0; row.len()], vec![7.0; row.len()]);
            let mut maxima = vec![7.0; row.len() / BLOCK_LEN];
            kernels.mask(row, &words, &mut copy);
            kernels.mask_tiles(row, &words, &mut out, &mut maxima);
            let bits = |row: &[f32]| row.iter().map(|l| l.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&out), bits(&copy), "{tiles}");
            assert_eq!(maxima, maxima_of(kernels, &copy), "{tiles}");
        }
    }
}

/// Lists from none to several chunks, sorted with any distance or not, around the ends of rows that begin anywhere.
#[test]
fn ids_and_ranges_are_bits() {
    let mut next = uniform(7);
    let mut below = |n: i64| (f64::from(next()) * n as f64) as i64;
    for case in 0..6000_i64 {
        let n = [1, 31, 32, 33, 64, 65, 128, 1000, 5000][below(9) as usize];
        let most = i64::from(i32::MAX);
        let first = [0, 0, 1, 77, 5000, most - n + 1][below(6) as usize];
        let row = RowIds { first: first as i32, last: (first + n - 1) as i32 };
        let len = [0, 1, 15, 16, 17, 63, 64, 65, 129, 300][below(10) as usize];
        let step = [0, 1, 2, 3, 4, 7, 40][below(7) as usize];
        let mut id = first + below(n) - 20 * (case % 2);
        let mut ids: Vec<i32> = (0..len)
            .map(|i| {
                // In row for the vectors' sake, but for a few.
                id += [step, below(2 * step + 1)][(case / 2 % 2) as usize];
                match case % 5 {
                    0 => first + below(n + 40) - 20,
                    1 if i == len / 2 => [i64::from(i32::MIN), -1, most][below(3) as usize],
                    _ => id,
                }
                .clamp(i32::MIN.into(), most) as i32
            })
            .collect();
        if case % 7 == 0 {
            ids.reverse();
        }
        let ranges: Vec<TokenRange> = ids
            .iter()
            .map(|id| {
                let len = [0, 1, 20, 31, 32, 33, 63, 64, 65, 200, -1, n][below(12) as usize];
                let last = (i64::from(*id) + len).min(most) as i32;
                TokenRange { first: *id, last }
            })
            .collect();
        let words = (n as usize).div_ceil(32);
        let places = |words: &[u32]| -> Vec<i64> {
            (0..n).filter(|i| words[*i as usize / 32] >> (i % 32) & 1 == 1).collect()
        };
        let listed = |i: &i64| ids.iter().any(|id| i64::from(*id) == first + i);
        for kernels in levels() {
            let what = format!("{:?} {row:?} {ids:?}", kernels.level());
            let mut bits = vec![0; words];
            kernels.set_ids(&ids, row, &mut bits);
            assert_eq!(places(&bits), (0..n).filter(listed).collect::<Vec<_>>(), "{what}");
            assert_eq!(
                kernels.count_bits(&bits),
                bits.iter().map(|w| w.count_ones() as usize).sum()
            );
            let mut bits = vec![u32::MAX; words];
            kernels.clear_ids(&ids, row, &mut bits);
            assert_eq!(places(&bits), (0..n).filter(|i| !listed(i)).collect::<Vec<_>>(), "{what}");

            let mut bits = vec![0; words + 1];
            let mut long = vec![TokenRange { first: 0, last: 0 }; ranges.len() + 1];
            let longs = kernels.set_range_starts(&ranges, row, &mut bits, &mut long);
            let (mut want, mut want_long) = (vec![0; words + 1], Vec::new());
            for range in &ranges {
                let mut ids = (i64::from(range.first).max(first)
                    ..=i64::from(range.last).min(first + n - 1))
                    .map(|id| (id - first) as usize);
                let Some(start) = ids.clone().next().map(|place| place / 32) else { continue };
                let starts = ids.clone().take_while(|place| place / 32 <= start + 1);
                starts.for_each(|place| want[place / 32] |= 1 << (place % 32));
                if ids.any(|place| place / 32 > start + 1) {
                    want_long.push(*range);
                }
            }
            assert_eq!(bits, want, "{:?} {row:?} {ranges:?}", kernels.level());
            assert_eq!(long[..longs], want_long);
        }
    }
}
