//! What the benchmarks share: the rows and the parameters, by name.

// Each benchmark is a crate of its own and uses only a part.
#![allow(dead_code)]

use s2sampler_core::SamplerParams;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The generator of the tests' rows.
#[path = "../../tests/common/rows.rs"]
pub mod rows;

pub use rows::SplitMix;

/// A shape of rows: its name, and the row of a length and a seed, which starts at 1.
pub type Shape = (&'static str, fn(usize, u64) -> Vec<f32>);

/// Parameters with the name that the results carry.
pub type Job = (&'static str, SamplerParams);

pub const DEFAULT: Job = ("default", SamplerParams { temperature: 0.8, top_p: 0.8, top_k: 30 });
pub const NUCLEUS: Job = ("nucleus", SamplerParams { temperature: 0.8, top_p: 0.9, top_k: 0 });
pub const GREEDY: Job = ("greedy", SamplerParams { temperature: 0.0, top_p: 0.8, top_k: 30 });
pub const WIDE: Job = ("k 1000", SamplerParams { temperature: 0.8, top_p: 0.8, top_k: 1000 });

/// Normal with mean 0 and deviation 3, by Box and Muller.
pub fn normal(n: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix(seed);
    let mut uniform = || ((random.next() >> 11) as f64 + 0.5) * 2.0_f64.powi(-53);
    let mut logit = || {
        let (radius, angle) = (uniform(), uniform());
        (3.0 * (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()) as f32
    };
    (0..n).map(|_| logit()).collect()
}

/// Between -1 and 1.
pub fn uniform(n: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix(seed);
    (0..n).map(|_| 2.0 * random.unit() - 1.0).collect()
}

/// Normal, with fifty tokens raised far above the others.
pub fn peaked(n: usize, seed: u64) -> Vec<f32> {
    let mut row = normal(n, seed);
    let mut random = SplitMix(!seed);
    for _ in 0..50 {
        row[random.below(n)] = 12.0 + 8.0 * random.unit();
    }
    row
}

/// Normal, of which the last 4,097 tokens, or a half of a short row, are allowed.
pub fn masked(n: usize, seed: u64) -> Vec<f32> {
    let mut row = normal(n, seed);
    row[..n - 4097.min(n / 2)].fill(f32::NEG_INFINITY);
    row
}

/// Within a hundredth of each other.
pub fn flat(n: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix(seed);
    (0..n).map(|_| 5.0 + 0.01 * random.unit()).collect()
}

/// Normal in 16 bits, as models that compute in bf16 give it: many logits are equal.
pub fn tied(n: usize, seed: u64) -> Vec<f32> {
    let round = |l: f32| f32::from_bits(l.to_bits().wrapping_add(0x8000) & 0xffff_0000);
    normal(n, seed).into_iter().map(round).collect()
}

pub fn ascending(n: usize, seed: u64) -> Vec<f32> {
    let mut row = normal(n, seed);
    row.sort_by(f32::total_cmp);
    row
}

/// Part of the hardest real row that is kept here, for each seed another while there are others.
pub fn real(n: usize, seed: u64) -> Vec<f32> {
    let row = read(&repository().join("tests/data/logits/row27.f32"));
    let parts = row.len() / n;
    assert!(parts > 0, "the real row has {} logits", row.len());
    let start = (seed as usize - 1) % parts * n;
    row[start..start + n].to_vec()
}

/// The real rows in the repository, and those in the directory that `S2_LOGITS_DIR` names, by name.
pub fn all_real() -> BTreeMap<String, Vec<f32>> {
    let own = repository().join("tests/data/logits");
    let more = std::env::var_os("S2_LOGITS_DIR").map(PathBuf::from);
    let mut all = BTreeMap::new();
    for directory in [Some(own), more].into_iter().flatten() {
        let files = std::fs::read_dir(&directory)
            .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        for path in files.map(|file| file.expect("a file").path()) {
            if path.extension().is_some_and(|extension| extension == "f32") {
                let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                all.insert(name, read(&path));
            }
        }
    }
    all
}

/// The repository's root, for a benchmark of the crate and for one in the workspace below it.
pub fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().find(|path| path.join("tests/data").is_dir()).expect("tests/data").to_owned()
}

fn read(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (words, []) = bytes.as_chunks::<4>() else { panic!("{}: cut short", path.display()) };
    words.iter().map(|&word| f32::from_le_bytes(word)).collect()
}
