//! Gives the shared library its SONAME; cargo sets none, and a consumer could record a full path.
//!
//! By default that is the name of the file that cargo writes, so a program linked with it starts. A build
//! that installs the library under a versioned name passes this name in `S2SAMPLER_SONAME`, as
//! CMakeLists.txt does.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=S2SAMPLER_SONAME");
    let target_os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let soname = std::env::var("S2SAMPLER_SONAME").unwrap_or_else(|_| "libs2sampler.so".to_owned());
    if ["linux", "android", "freebsd", "netbsd", "openbsd", "dragonfly"]
        .contains(&target_os.as_str())
    {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{soname}");
    }
}
