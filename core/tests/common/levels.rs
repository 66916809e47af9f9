//! The SIMD levels a test must run at: those of the library, held against what the system says of the CPU.

use s2sampler_core::SimdLevel;
use std::sync::OnceLock;

/// Every level this CPU has, the best last; fails if the library skips one.
pub fn all() -> Vec<SimdLevel> {
    // No LazyLock: that would tell the reason of a failure to one test alone.
    static ALL: OnceLock<Vec<SimdLevel>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let all: Vec<_> = SimdLevel::ALL.into_iter().filter(|l| l.is_available()).collect();
        let names: Vec<_> = all.iter().map(|level| level.name()).collect();
        assert_eq!(names, names_by_the_system(), "the library's levels and this CPU's");
        all
    });
    all.clone()
}

fn names_by_the_system() -> Vec<&'static str> {
    let cpu = std::fs::read_to_string("/proc/cpuinfo")
        .expect("/proc/cpuinfo, to know the levels that must be tested");
    let has = |flag: &str| cpu.split_whitespace().any(|word| word == flag);
    let mut names = vec!["baseline"];
    if has("avx2") && has("fma") {
        names.push("avx2");
    }
    if has("avx512f") {
        names.push("avx512");
    }
    if has("asimd") {
        names.push("neon");
    }
    names
}
