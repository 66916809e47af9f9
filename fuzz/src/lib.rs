//! What the fuzz targets share: rows and parameters made of a fuzzer's bytes.

#[path = "../../core/tests/common/oracle.rs"]
pub mod oracle;

// The inspector's readers of rows, with the modules that they name.
#[allow(dead_code)]
#[path = "../../inspector/src/problem.rs"]
mod problem;
#[allow(dead_code)]
#[path = "../../inspector/src/row/mod.rs"]
pub mod row;

use arbitrary::{Arbitrary, Result, Unstructured};
use s2sampler_core::{Sampler, SamplerParams, SimdLevel};

/// A row of logits in a buffer of exactly its size, so that one float too many read is seen.
/// `seeds.py` writes such rows: change both.
#[derive(Debug)]
pub struct Row(pub Box<[f32]>);

/// How the logits of a row are made; bits as they come seldom lie near each other.
#[derive(Debug, Arbitrary)]
enum Shape {
    Bits,
    Grid,
    Slope,
    Masked,
}

impl<'a> Arbitrary<'a> for Row {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let shape = Shape::arbitrary(bytes)?;
        let repeat = 1 + usize::from(u8::arbitrary(bytes)?) % 40;
        let len = 1 + usize::from(u16::arbitrary(bytes)?) % 600;
        let seen: Vec<f32> = (0..len)
            .map(|place| {
                Ok(match shape {
                    Shape::Bits => f32::from_bits(u32::arbitrary(bytes)?),
                    Shape::Grid => f32::from(i8::arbitrary(bytes)?) / 8.0,
                    Shape::Slope => {
                        f32::from(u8::arbitrary(bytes)?) / 64.0 - place as f32 / len as f32
                    }
                    Shape::Masked => match u8::arbitrary(bytes)? {
                        byte if byte < 250 => f32::NEG_INFINITY,
                        250 => f32::NAN,
                        251 => f32::INFINITY,
                        byte => f32::from(byte),
                    },
                })
            })
            .collect::<Result<_>>()?;
        // Repeated, with a little less each time: long rows out of few bytes.
        let logits = (0..repeat).flat_map(|turn| {
            let less = turn as f32 / 16.0;
            seen.iter().map(move |logit| logit - less)
        });
        Ok(Self(logits.collect()))
    }
}

/// Parameters, mostly in the range where they do something.
#[derive(Debug)]
pub struct Params(pub SamplerParams);

impl<'a> Arbitrary<'a> for Params {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let any = u8::arbitrary(bytes)?;
        let number = |bytes: &mut Unstructured<'a>, any: bool| {
            Ok(if any {
                f32::from_bits(u32::arbitrary(bytes)?)
            } else {
                f32::from(u16::arbitrary(bytes)?) / 65_536.0
            })
        };
        Ok(Self(SamplerParams {
            temperature: 2.0 * number(bytes, any & 1 == 1)?,
            top_p: number(bytes, any & 2 == 2)?,
            top_k: if any & 4 == 4 { i32::arbitrary(bytes)? } else { u8::arbitrary(bytes)?.into() },
        }))
    }
}

/// A sampler at each SIMD level that this machine has.
pub fn at_each_level(seed: u32) -> impl Iterator<Item = (SimdLevel, Sampler)> {
    SimdLevel::ALL.into_iter().filter_map(move |level| {
        Sampler::with_simd_level(seed, level).map(|sampler| (level, sampler))
    })
}
