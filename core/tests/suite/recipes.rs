//! Each engine's tokens from its recipe, over all that is known of the engines.

use crate::common::{golden, recipes};
use std::path::PathBuf;

macro_rules! engines {
    ($($name:ident: $lines:literal,)*) => {
        $(#[test]
        fn $name() {
            let file = golden::data("engines").join(concat!(stringify!($name), ".tsv"));
            let held = recipes::run(&file).expect("a file of this kind");
            assert!(held.holds(), "{held}\n{}", held.failures.join("\n"));
            assert_eq!(held.lines, $lines);
            let blind = recipes::blind(&file).expect("a file of this kind");
            assert!(blind.is_empty(), "a changed digit is not seen in {blind:?}");
        })*

        #[test]
        fn every_file_has_a_test() {
            let files = recipes::files(&golden::data("engines")).expect("files");
            let stem = |file: &PathBuf| Some(file.file_stem()?.to_str()?.to_owned());
            let names: Vec<String> = files.iter().filter_map(stem).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

engines! {
    bark: 60,
    cosyvoice3: 70,
    fish_audio: 60,
    greedy_decode: 60,
    hfsampler: 90,
    huggingface: 300,
    koboldcpp: 100,
    llamacpp: 120,
    qwentts: 90,
    s2_gen0: 90,
    s2_gen1: 90,
    s2_loop: 60,
    ttscpp: 60,
    whisper: 60,
    zonos2: 80,
}

#[test]
fn other_files_are_errors() {
    assert!(recipes::run(&golden::data("golden/engine_loop.tsv")).is_err());
    assert!(recipes::run(&golden::data("engines/none.tsv")).is_err());
    let folder = std::env::temp_dir().join(format!("s2-recipes-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("a folder");
    let of_folder = |text: Option<&str>| {
        let file = folder.join("bark.tsv");
        text.inspect(|text| std::fs::write(&file, text).expect("a file"));
        recipes::files(&folder).and_then(|files| recipes::run(&files[0]))
    };
    let header = "# family\tn\tscale\tseed\ttemperature\trng_seed\ttokens\teos_p\n";
    let results = [None, Some(""), Some(header), Some("a\n"), Some(&format!("{header}bell\t3\n"))];
    let results: Vec<_> = results.into_iter().map(of_folder).collect();
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(results[..4].iter().all(Result::is_err));
    // A line that is no case does not hold.
    assert!(results[4].as_ref().is_ok_and(|held| held.lines == 1 && !held.holds()));
}
