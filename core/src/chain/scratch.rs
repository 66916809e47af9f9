//! The working memory of a chain. It grows to what the largest draw needs and is kept.

use super::TokenData;
use super::candidates::RowMemory;
use crate::rules::rank::RankKey;
use crate::select::{RankedPrefix, RowScan, TokenScan};
use crate::simd::Kernels;

/// The memory of candidates, which borrow it during a pass.
#[derive(Debug)]
pub(super) struct Memory {
    pub scratch: Scratch,
    /// The changes to a row.
    pub row: RowMemory,
    /// The list of candidates, once a row has been cut.
    pub list: Vec<TokenData>,
}

/// Buffers that mean nothing from one stage to the next.
#[derive(Debug)]
pub(super) struct Scratch {
    pub kernels: &'static Kernels,
    pub scan: RowScan,
    pub tokens: TokenScan,
    pub prefix: RankedPrefix,
    pub keys: Vec<RankKey>,
    pub weights: Vec<f32>,
    /// Places of candidates in an order of their own, and the weights in that order.
    pub order: Vec<u32>,
    pub ordered: Vec<f32>,
    /// Probabilities that a stage keeps while it computes others.
    pub kept: Vec<f32>,
    /// Candidates with a score and their ranks.
    pub scores: Vec<(f64, u32, TokenData)>,
    /// The least and the most information of ranks.
    pub of_ranks: Vec<[f64; 2]>,
    /// Sums over parts of a row.
    pub sums: Vec<f64>,
}

impl Memory {
    pub(super) const fn new(kernels: &'static Kernels) -> Self {
        let scratch = Scratch {
            kernels,
            scan: RowScan::new(),
            tokens: TokenScan::new(),
            prefix: RankedPrefix::new(),
            keys: Vec::new(),
            weights: Vec::new(),
            order: Vec::new(),
            ordered: Vec::new(),
            kept: Vec::new(),
            scores: Vec::new(),
            of_ranks: Vec::new(),
            sums: Vec::new(),
        };
        Self { scratch, row: RowMemory::new(), list: Vec::new() }
    }
}
