//! Gives the shared library the name by which loaders look for it; cargo sets none, and a consumer could record
//! a full path.
//!
//! By default that is the name of the file that cargo writes, so a program linked with it starts. A build
//! that installs the library under a versioned name passes this name in `S2SAMPLER_SONAME`, as
//! CMakeLists.txt does. On Apple's systems the name is the install name, below `@rpath`. A DLL has the name of
//! its file.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=S2SAMPLER_SONAME");
    let named = std::env::var("S2SAMPLER_SONAME");
    let cfg = |name| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if cfg("VENDOR") == "apple" {
        let name = named.unwrap_or_else(|_| "libs2sampler.dylib".to_owned());
        println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/{name}");
    } else if ["linux", "android", "freebsd", "netbsd", "openbsd", "dragonfly"]
        .contains(&cfg("OS").as_str())
    {
        let name = named.unwrap_or_else(|_| "libs2sampler.so".to_owned());
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}");
    }
}
