//! The functions of the maths library that decide a token, other than `expf`: one place to define them.

/// ln x, within an ulp.
pub(crate) fn ln(x: f64) -> f64 {
    x.ln()
}

/// e^x, within an ulp.
pub(crate) fn exp(x: f64) -> f64 {
    x.exp()
}

/// ln x in binary32.
pub(crate) fn lnf(x: f32) -> f32 {
    x.ln()
}

/// log2 x in binary32.
pub(crate) fn log2f(x: f32) -> f32 {
    x.log2()
}

/// x^y in binary32.
pub(crate) fn powf(x: f32, y: f32) -> f32 {
    x.powf(y)
}

/// x^y.
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    x.powf(y)
}
