//! Rows of logits: the four families of the golden data, and shapes that strain one rule each.

/// splitmix64: the generator behind every row, reproducible on every machine.
#[derive(Clone)]
pub struct SplitMix(pub u64);

impl SplitMix {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, near enough to uniform for choosing test cases.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A float in [0, 1) with 24 bits.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 * 2.0_f32.powi(-24)
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

pub fn bell(n: usize, scale: f32, seed: u64) -> Vec<f32> {
    let mut random = SplitMix(seed);
    let mut logit = || {
        let r = random.next();
        let x = (r & 0x1f_ffff) + ((r >> 21) & 0x1f_ffff) + ((r >> 42) & 0x1f_ffff);
        (x as i64 - 3_145_727) as f32 * scale
    };
    (0..n).map(|_| logit()).collect()
}

pub fn peaky(n: usize, scale: f32, seed: u64) -> Vec<f32> {
    let mut row = bell(n, scale, seed);
    let mut random = SplitMix(seed ^ 0xD1B5_4A32_D192_ED03);
    for _ in 0..if n < 50 { 1 + n / 8 } else { 50 } {
        let a = random.next() % n as u64;
        let b = random.next();
        row[a as usize] = (b & 0xff_ffff) as f32 * 2.0_f32.powi(-21) + 8.0;
    }
    row
}

pub fn masked(n: usize, scale: f32, seed: u64) -> Vec<f32> {
    let mut row = bell(n, scale, seed);
    let open = if n >= 4097 { 4096 } else { n.div_ceil(2) };
    let b = n - open;
    for i in (0..b).filter(|&i| i != b / 2) {
        row[i] = f32::NEG_INFINITY;
    }
    row
}

pub fn tied(n: usize, scale: f32, seed: u64) -> Vec<f32> {
    bell(n, scale, seed).into_iter().map(|l| (l * 8.0).floor() * 0.125).collect()
}

/// A row of the golden data's families.
pub fn generated(family: &str, n: usize, scale: f32, seed: u64) -> Vec<f32> {
    match family {
        "bell" => bell(n, scale, seed),
        "peaky" => peaky(n, scale, seed),
        "masked" => masked(n, scale, seed),
        "tied" => tied(n, scale, seed),
        other => panic!("unknown family {other}"),
    }
}

/// A shape of rows: its name, and the row of a length and a seed.
pub type Kind = (&'static str, fn(usize, u64) -> Vec<f32>);

/// About the spread of a language model's logits.
const SCALE: f32 = 1.0 / (1 << 19) as f32;

/// Every shape the sampler is held against the oracle with.
pub const KINDS: &[Kind] = &[
    ("bell", |n, seed| bell(n, SCALE, seed)),
    ("peaky", |n, seed| peaky(n, SCALE, seed)),
    ("masked", |n, seed| masked(n, SCALE, seed)),
    ("tied", |n, seed| tied(n, SCALE, seed)),
    ("flat", |n, seed| each(n, seed, |r, _| 5.0 + 0.01 * r.unit())),
    ("all equal", |n, seed| vec![SplitMix(seed).unit() * 40.0 - 20.0; n]),
    ("ascending", |n, seed| sorted(n, seed)),
    ("descending", |n, seed| sorted(n, seed).into_iter().rev().collect()),
    ("sawtooth", |n, seed| each(n, seed, |_, i| (i % 37) as f32 * 0.25)),
    ("two levels", |n, seed| each(n, seed, |r, _| r.pick(&[0.0, 0.0, 0.0, 3.0]))),
    ("signed zeros", |n, seed| each(n, seed, |r, _| r.pick(&[0.0, -0.0]))),
    ("heavy tail", heavy_tail),
    ("absorbed tail", |n, seed| topped(n, seed, |r, _| -15.0 - 3.0 * r.unit())),
    ("exp underflows", |n, seed| each(n, seed, |r, _| -110.0 * r.unit())),
    ("sprinkled -inf", |n, seed| sprinkled(n, seed, 3, &[f32::NEG_INFINITY])),
    ("sprinkled NaN", |n, seed| sprinkled(n, seed, 5, &[f32::NAN, -f32::NAN])),
    ("sprinkled +inf", |n, seed| sprinkled(n, seed, 40, &[f32::INFINITY, f32::NAN])),
    ("no number", |n, seed| each(n, seed, |r, _| r.pick(&[f32::NEG_INFINITY, f32::NAN]))),
    ("one number", one_number),
    ("denormals", |n, seed| each(n, seed, |r, _| f32::from_bits(r.next() as u32 & 0x807f_ffff))),
    ("3e38", |n, seed| each(n, seed, |r, _| (r.unit() - 0.5) * f32::MAX * 2.0)),
    ("bf16", |n, seed| bell(n, SCALE, seed).into_iter().map(bf16).collect()),
    ("bit patterns", |n, seed| each(n, seed, |r, _| f32::from_bits(r.next() as u32))),
];

fn each(n: usize, seed: u64, logit: impl Fn(&mut SplitMix, usize) -> f32) -> Vec<f32> {
    let mut random = SplitMix(seed);
    (0..n).map(|i| logit(&mut random, i)).collect()
}

fn sorted(n: usize, seed: u64) -> Vec<f32> {
    let mut row = bell(n, SCALE, seed);
    row.sort_by(f32::total_cmp);
    row
}

/// A row as `each` makes it, with one token at zero above it.
fn topped(n: usize, seed: u64, logit: impl Fn(&mut SplitMix, usize) -> f32) -> Vec<f32> {
    let mut row = each(n, seed, logit);
    row[SplitMix(!seed).below(n)] = 0.0;
    row
}

/// Many small terms carry the sum across a power of two, where the spacing of floats doubles.
fn heavy_tail(n: usize, seed: u64) -> Vec<f32> {
    let share = SplitMix(seed).pick(&[0.98, 1.0, 1.02, 3.0, 7.05, 15.0]) / n as f32;
    topped(n, seed, |r, _| (share * (0.8 + 0.4 * r.unit())).ln())
}

fn sprinkled(n: usize, seed: u64, every: usize, values: &[f32]) -> Vec<f32> {
    let mut row = bell(n, SCALE, seed);
    let mut random = SplitMix(!seed);
    for l in &mut row {
        if random.below(every) == 0 {
            *l = random.pick(values);
        }
    }
    row
}

fn one_number(n: usize, seed: u64) -> Vec<f32> {
    let mut row = vec![f32::NEG_INFINITY; n];
    row[SplitMix(seed).below(n)] = -3.0;
    row
}

fn bf16(l: f32) -> f32 {
    f32::from_bits(l.to_bits() & 0xffff_0000)
}
