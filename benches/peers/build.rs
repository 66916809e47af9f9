//! Compiles the two yardsticks, the same sources that the C++ timing program has.

fn main() {
    let sources =
        ["src/plain.cpp", "../../c_tests/engine/src/s2_sampler.cpp", "../table/max_pass.cpp"];
    for source in sources.iter().chain(&["../../c_tests/engine/include", "../table/max_pass.hpp"]) {
        println!("cargo:rerun-if-changed={source}");
    }
    // -O2, whatever the profile is: it is what the plain sampler is known by.
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .warnings(false)
        .files(sources)
        .compile("yardsticks");
    if std::env::var_os("CARGO_FEATURE_LLAMA").is_some() {
        println!("cargo:rerun-if-changed=src/bin/agree/dry.cpp");
        cc::Build::new().cpp(true).std("c++17").file("src/bin/agree/dry.cpp").compile("dry");
    }
}
