//! The README's example for Rust.
#![allow(clippy::print_stdout)]

use s2sampler_core::{Error, Sampler, SamplerParams};

fn main() -> Result<(), Error> {
    let logits = [1.0, 3.0, 2.5, 2.0];
    let params = SamplerParams { top_p: 0.95, ..SamplerParams::default() };
    let mut sampler = Sampler::new(42); // Sampler::from_system() seeds itself
    print!("tokens:");
    for _ in 0..5 {
        print!(" {}", sampler.sample(&logits, &params)?);
    }
    println!();
    Ok(())
}
