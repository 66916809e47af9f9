//! Gives the shared library its SONAME; cargo sets none, and a consumer would record a full path.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target_os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // While the version is 0.y, y stands for the compatible series; CMakeLists.txt forms the same name.
    let minor = std::env::var("CARGO_PKG_VERSION_MINOR").unwrap_or_default();
    if ["linux", "android", "freebsd", "netbsd", "openbsd", "dragonfly"]
        .contains(&target_os.as_str())
    {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libs2sampler.so.0.{minor}");
    }
}
