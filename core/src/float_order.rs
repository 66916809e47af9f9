//! The places of binary32 numbers in their order.

/// The place of a float in the order of all floats.
pub(crate) fn index_of(x: f32) -> i64 {
    let bits = x.to_bits() as i32;
    i64::from(bits ^ (bits >> 31) & 0x7fff_ffff)
}

/// The float at a place in the order of all floats.
pub(crate) fn float_at(index: i64) -> f32 {
    let bits = index as i32;
    f32::from_bits((bits ^ (bits >> 31) & 0x7fff_ffff) as u32)
}

/// The float halfway between two in the order of all floats, `low < high`; `low` if none lies between.
pub(crate) fn halfway(low: f32, high: f32) -> f32 {
    let (low, high) = (index_of(low), index_of(high));
    float_at(low + (high - low) / 2)
}
