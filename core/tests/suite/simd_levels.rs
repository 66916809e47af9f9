//! The environment variable S2SAMPLER_SIMD: names that count, names that do not, and none.

use crate::common;

use common::levels;
use s2sampler_core::{Sampler, SamplerParams, SimdLevel};
use std::ffi::OsStr;
use std::process::Command;

const VARIABLE: &str = "S2SAMPLER_SIMD";

/// Stands before the level's name in the output of the second test.
const MARK: &str = "level in use: ";

/// The level is chosen once for a process, so each value needs a process of its own: this program,
/// asked for its other test.
fn level_with(value: Option<&OsStr>) -> String {
    let mut child = Command::new(std::env::current_exe().expect("this program has a path"));
    child.args(["--exact", "simd_levels::the_level_in_use_is_one_of_this_cpu", "--nocapture"]);
    match value {
        Some(value) => child.env(VARIABLE, value),
        None => child.env_remove(VARIABLE),
    };
    let output = child.output().expect("it can be run");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{VARIABLE}={value:?}: {text}");
    let level = text.split_once(MARK).and_then(|(_, rest)| rest.lines().next());
    level.unwrap_or_else(|| panic!("no level in {text}")).to_owned()
}

#[test]
fn the_variable_names_the_level() {
    let all = levels::all();
    let best = all.last().expect("there is a baseline").name();
    assert_eq!(level_with(None), best);
    for level in SimdLevel::ALL {
        let expected = if all.contains(&level) { level.name() } else { best };
        assert_eq!(level_with(Some(level.name().as_ref())), expected);
    }
    // Only whole names count. With the baseline's letters in them, since the best level would not show
    // whether it was taken or left.
    for name in
        ["", "none", "Baseline", "BASELINE", " baseline", "baseline ", "baseline,avx2", "base"]
    {
        assert_eq!(level_with(Some(name.as_ref())), best, "{name:?}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        assert_eq!(level_with(Some(OsStr::from_bytes(b"baseline\xff"))), best);
    }
}

#[test]
fn the_level_in_use_is_one_of_this_cpu() {
    let sampler = &mut Sampler::new(1);
    assert_eq!(sampler.sample(&[0.0, 9.0], &SamplerParams::default()), Ok(1));
    let level = SimdLevel::in_use();
    assert!(levels::all().contains(&level), "{level:?}");
    println!("{MARK}{}", level.name());
}
