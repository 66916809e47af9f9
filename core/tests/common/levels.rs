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

/// Goes by the target first: under an emulator of another architecture /proc/cpuinfo is the host's.
fn names_by_the_system() -> Vec<&'static str> {
    let has_avx2 = ["avx2", "fma", "bmi1", "bmi2", "popcnt"].into_iter().all(has);
    let levels = [
        ("baseline", true),
        ("avx2", has_avx2),
        ("avx512", has_avx2 && has("avx512f")),
        ("neon", cfg!(target_arch = "aarch64")),
    ];
    levels.into_iter().filter(|(_, present)| *present).map(|(name, _)| name).collect()
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn has(flag: &str) -> bool {
    let cpu = std::fs::read_to_string("/proc/cpuinfo")
        .expect("/proc/cpuinfo, to know the levels that must be tested");
    cpu.split_whitespace().any(|word| word == flag)
}

/// No file tells it; the library detects in the same way.
#[cfg(all(target_arch = "x86_64", not(target_os = "linux")))]
fn has(flag: &str) -> bool {
    match flag {
        "avx2" => is_x86_feature_detected!("avx2"),
        "fma" => is_x86_feature_detected!("fma"),
        "bmi1" => is_x86_feature_detected!("bmi1"),
        "bmi2" => is_x86_feature_detected!("bmi2"),
        "popcnt" => is_x86_feature_detected!("popcnt"),
        "avx512f" => is_x86_feature_detected!("avx512f"),
        other => panic!("{other} is not known"),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has(_flag: &str) -> bool {
    false
}
