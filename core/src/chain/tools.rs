//! The working memory of a chain, grown once and kept.

use super::TokenData;
use crate::rules::rank::RankKey;
use crate::select::{RankedPrefix, RowScan};
use crate::simd::Kernels;

/// Buffers that the stages share; what is in them means something within one stage only, but for the
/// copy and the edits of a row.
#[derive(Debug)]
pub(super) struct Tools {
    pub kernels: &'static Kernels,
    pub scan: RowScan,
    pub prefix: RankedPrefix,
    /// The row with everything done to it so far, where that had to be written down.
    pub copy: Vec<f32>,
    /// Logits of single tokens that differ from the row's, in id order.
    pub edits: Vec<(u32, f32)>,
    pub keys: Vec<RankKey>,
    pub weights: Vec<f32>,
    /// Candidates with a score, and their ranks.
    pub scores: Vec<(f64, u32, TokenData)>,
    /// The list of candidates between two draws.
    pub list: Vec<TokenData>,
}

impl Tools {
    pub(super) const fn new(kernels: &'static Kernels) -> Self {
        Self {
            kernels,
            scan: RowScan::new(),
            prefix: RankedPrefix::new(),
            copy: Vec::new(),
            edits: Vec::new(),
            keys: Vec::new(),
            weights: Vec::new(),
            scores: Vec::new(),
            list: Vec::new(),
        }
    }
}
