//! The library as plain cargo builds it: a C program links with it and starts, and a Rust library that uses the
//! core exports nothing of the C ABI.
#![cfg(target_os = "linux")]

use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _};
use object::{Object as _, ObjectSymbol as _, elf};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command to its end: what it printed. Panics with its errors if it fails.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Cargo's directory: this test is in its debug/deps.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    test.ancestors().nth(3).expect("a target directory").to_owned()
}

/// Builds a manifest's library: the directory with its files.
fn build(manifest: &Path, target: &Path) -> PathBuf {
    // The fat link of a release build takes long; the names of files and symbols do not depend on it.
    let is_quick = std::env::var("S2_TEST_SCALE").is_ok_and(|scale| scale == "quick");
    let mut cargo = Command::new(env!("CARGO"));
    // Its own Cargo.lock, or that of the workspace: nothing is fetched.
    cargo.args(["build", "--quiet", "--lib", "--locked", "--offline", "--manifest-path"]);
    cargo.arg(manifest).arg("--target-dir").arg(target);
    cargo.args((!is_quick).then_some("--release"));
    // What cargo sets for this test is not for another build.
    for name in ["CARGO_BUILD_TARGET", "S2SAMPLER_SONAME", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        cargo.env_remove(name);
    }
    run(&mut cargo);
    target.join(if is_quick { "debug" } else { "release" })
}

/// The directory with the shared library that plain `cargo build` makes.
pub fn built() -> &'static Path {
    static BUILT: LazyLock<PathBuf> =
        LazyLock::new(|| build(&root().join("Cargo.toml"), &target()));
    &BUILT
}

/// The symbols that a shared library defines for others.
pub fn exported(library: &Path) -> BTreeSet<String> {
    let bytes = std::fs::read(library).unwrap_or_else(|e| panic!("{}: {e}", library.display()));
    let file = object::File::parse(&*bytes).expect("an ELF file");
    file.dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && !symbol.is_local())
        .map(|symbol| symbol.name().expect("a UTF-8 name").to_owned())
        .collect()
}

/// The name that a program linked with the library looks for.
fn soname(library: &Path) -> String {
    let bytes = std::fs::read(library).unwrap_or_else(|e| panic!("{}: {e}", library.display()));
    let file = ElfFile64::<object::Endianness>::parse(&*bytes).expect("an ELF file");
    let endian = file.endian();
    let sections = file.elf_header().sections(endian, &*bytes).expect("sections");
    let (entries, strings) =
        sections.dynamic(endian, &*bytes).expect("readable").expect("a dynamic section");
    let strings = sections.strings(endian, &*bytes, strings).expect("strings");
    let entry = entries.iter().find(|entry| entry.d_tag(endian) == elf::DT_SONAME);
    let name = entry.expect("a SONAME").string(endian, strings).expect("a name");
    String::from_utf8(name.to_vec()).expect("UTF-8")
}

#[test]
fn soname_is_the_name_of_a_file_beside_the_library() {
    let library = built().join("libs2sampler.so");
    let soname = soname(&library);
    let file = built().join(&soname);
    assert!(!soname.contains('/') && file.is_file(), "{} is missing", file.display());
    assert_eq!(std::fs::read(file).expect("a file"), std::fs::read(library).expect("a file"));
}

#[test]
fn c_program_links_with_the_built_library_and_starts() {
    let program = built().join("quickstart");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    run(Command::new(compiler)
        .arg("-I")
        .arg(root().join("include"))
        .arg(root().join("examples/quickstart.c"))
        .arg("-L")
        .arg(built())
        .arg("-ls2sampler")
        .arg("-o")
        .arg(&program));
    let printed = run(Command::new(&program).env("LD_LIBRARY_PATH", built()));
    assert!(!printed.is_empty());
}

#[test]
fn rust_library_on_the_core_exports_no_symbol_of_the_c_abi() {
    let place = target().join("rust_user");
    std::fs::create_dir_all(place.join("src")).expect("a directory");
    let manifest = place.join("Cargo.toml");
    let core = root().join("core");
    let text = format!(
        "[workspace]\n\n[package]\nname = \"rust_user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [lib]\ncrate-type = [\"cdylib\"]\n\n\
         [dependencies]\ns2sampler-core = {{ path = {core:?} }}\n"
    );
    std::fs::write(&manifest, text).expect("it is written");
    // The versions of the workspace: cargo drops the packages that this one does not need.
    std::fs::copy(root().join("Cargo.lock"), place.join("Cargo.lock")).expect("it is copied");
    let code = "#[unsafe(no_mangle)]\npub extern \"C\" fn rust_user_token(seed: u32) -> i64 {\n    \
                let mut sampler = s2sampler_core::Sampler::new(seed);\n    \
                let params = s2sampler_core::SamplerParams::default();\n    \
                sampler.sample(&[0.5, 1.5], &params).map_or(-1, i64::from)\n}\n";
    std::fs::write(place.join("src/lib.rs"), code).expect("it is written");
    run(Command::new(env!("CARGO"))
        .args(["update", "--quiet", "--workspace", "--offline", "--manifest-path"])
        .arg(&manifest));

    let exported = exported(&build(&manifest, &place.join("target")).join("librust_user.so"));
    assert!(exported.contains("rust_user_token"), "{exported:?}");
    let of_the_c_abi: Vec<_> = exported.iter().filter(|name| name.starts_with("s2_")).collect();
    assert!(of_the_c_abi.is_empty(), "{of_the_c_abi:?}");
}
