//! The entropy of a row, as closely as an order-free sum knows it.
//!
//! The rule (`rules::entropy`): `H = -sum p ln p` in double, term by term in rank order, p being
//! binary32(e / S), e = expf(x), x = l - m in binary32. Let q = e^x / S and h = 2^-53.
//!
//! 1. *No logarithm.* e is within 2^-23.9 of e^x, relatively, and p within 2^-24 of e / S, so p = q (1 + d) with
//!    `|d| < 2^-22.9`, and `p ln(1 + d) = q (1 + d)(d - d^2 / 2 + ...)`, which lies between q d and
//!    q d + 2^-46 q. With ln q = x - ln S and q d = p - q:
//!    `-p ln p = p (ln S - x) - (p - q) - t`, 0 <= t <= 2^-46 q.
//!    The sum of these over all tokens is `H = P ln S + X - P + Q / S`, with P the sum of p, X that of -p x, Q that of
//!    e^x, and an error below 2^-46 (1 + 2^-20), the q being 1 together, nearly.
//! 2. *Q.* Each e^x is known within 2^-40 of itself, and so is their sum. Q / S is within 2^-22 of 1: the error of
//!    H is below 2^-39.9.
//! 3. *Left out.* Where x < -87 or p is below 2^-126, p < 2^-125, and each term, of the rule or here, is below
//!    2^-118. For fewer than 2^31 tokens that is less than 2^-87.
//! 4. *Roundings of p.* The product e * (1 / S), rounded, is within r of e / S as the rule rounds it to double, r
//!    being 4 h and the doubt about S. Rounded to binary32 it is p, unless a middle between two binary32 numbers
//!    lies within r: then p may be a neighbour of it. `-p ln p` changes by at most |ln p + 1| times the change of
//!    p, and that is at most 2^-23 p (1 + ln S - x), which is at most 2^-23 (1 + ln S) p (1 - x). Those
//!    tokens are added up apart.
//! 5. *Sums.* A double sum of n terms of one sign, each with a few roundings, is within (n + 8) h, relatively, of their
//!    real sum, but for terms in h^2. That holds for H as the rule adds it up (a p is at most 1, so no term is
//!    negative), where a term has the error of the C library's logarithm, at most an ulp, and of the product; and for
//!    P, X and Q, whose kernels add up lanes of a sixteenth of the row and then those of each segment.
//! 6. *Head.* The first ranks are few and can be most of H: their terms are those of the rule, in its order. All errors
//!    but those of lemma 5 for H are of the others, and in proportion to P, X and Q of these.
//!
//! [`Row::entropy`] adds up these errors, each rounded up.

use super::Row;
use crate::Error;
use crate::chain::scratch::Scratch;
use crate::draw::normalizer::double::{
    Bounds, by_definition, exact_from, from_maxima, least_large,
};
use crate::memory::resize;
use crate::rules::entropy::{entropy, information};
use crate::rules::softmax::probability;
use crate::rules::{maths, softmax};
use crate::simd::{BATCH_LEN, BLOCK_LEN, Division, EntropySums, ExpfRange, ExpsOfRow};

/// The entropy of a row lies between these.
#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Entropy {
    pub low: f64,
    pub high: f64,
    /// The number of tokens above -inf.
    pub count: usize,
    /// S of the softmax.
    pub sum: Bounds,
}

/// How many ranks are the head.
const HEAD_RANKS: usize = 64;

/// The terms that lemma 3 leaves out.
const LEFT_OUT: f64 = 1.0 / (1_u128 << 87) as f64;

/// h.
const HALF_UNIT: f64 = f64::EPSILON / 2.0;

impl Row<'_> {
    /// Of a whole row whose largest logit is finite.
    pub(in crate::chain::candidates) fn entropy(
        &self,
        scratch: &mut Scratch,
    ) -> Result<Entropy, Error> {
        let count = self.count_above(scratch)?;
        let Scratch { kernels, scan, prefix, weights, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        let (top, len) = (blocked.top, blocked.len);
        prefix.clear();
        prefix.grow(&mut blocked, len.min(HEAD_RANKS))?;
        if prefix.is_whole() {
            let sum = by_definition(prefix);
            let (entropy, _) = entropy(prefix.exps().iter().map(|e| probability(*e, sum.low)));
            return Ok(Entropy { low: entropy, high: entropy, count, sum });
        }
        // Tokens that equal the last rank may be in the prefix or not: they belong to the others.
        let highest = prefix.last().0.logit();
        let head = prefix.keys().partition_point(|key| key.logit() > highest);
        let head = &prefix.exps()[..head];
        let range = ExpfRange { top, least_large: least_large(from_maxima(&blocked, prefix).high) };
        resize(weights, blocked.block_maxima.len() * BLOCK_LEN, 0.0)?;
        let mut all = ExpsOfRow::default();
        let mut rest = &mut weights[..];
        for segment in &blocked.segments {
            let (own, others) = rest.split_at_mut(segment.logits.len());
            let part = kernels.write_expf(*segment, range, highest, own);
            all.exact += part.exact;
            all.expf.large += part.expf.large;
            all.expf.small += part.expf.small;
            all.expf.smalls += part.expf.smalls;
            rest = others;
        }
        // The running sum of the head is that of the rule, whether its exps are large or not.
        all.expf.large += softmax::sum(head);
        let sum = exact_from(all.expf);
        let doubt_of_sum = (sum.high - sum.low) / sum.low;
        let middle = sum.low / 2.0 + sum.high / 2.0;
        let units = (doubt_of_sum + 8.0 * HALF_UNIT) / HALF_UNIT;
        let doubt = (units as u64 + 2).min(1 << 27);
        let division = Division { top, inverse: 1.0 / middle, doubt };
        let mut terms = EntropySums::default();
        let mut rest = &weights[..];
        for segment in &blocked.segments {
            let (own, others) = rest.split_at(segment.logits.len());
            let part = kernels.sum_entropy(*segment, own, division);
            terms.p += part.p;
            terms.px += part.px;
            terms.doubtful += part.doubtful;
            rest = others;
        }
        let of_head = |sum: f64| entropy(head.iter().map(|e| probability(*e, sum))).0;
        let term = |p: f32| if p > 0.0 { f64::from(p) * information(p) } else { 0.0 };
        let moves =
            |e: &f32| (term(probability(*e, sum.low)) - term(probability(*e, sum.high))).abs();
        let doubt_of_head: f64 = head.iter().map(moves).sum();
        let (ln_sum, share) = (maths::ln(middle), all.exact / middle);
        let entropy = of_head(sum.low) + (terms.p * ln_sum + terms.px - terms.p + share);
        // Lemma 3: no token is left out if all are this near to the top.
        let near = |logits| kernels.count_reaching(logits, top - 60.0);
        let is_all = blocked.segments.iter().map(|part| near(part.logits)).sum::<usize>() == count;
        // The rule adds up all terms, the kernels' lanes a sixteenth of them each.
        let of_rule = 1.01 * (count + 64) as f64 * HALF_UNIT;
        let of_lanes = 2.0 * (len / BATCH_LEN + 64) as f64 * HALF_UNIT;
        let sizes = terms.p * (ln_sum + 1.0) + terms.px + share;
        let error = f64::EPSILON * f64::from(1 << 13) * share
            + if is_all { 0.0 } else { LEFT_OUT }
            + 2.0 * (1.0 + ln_sum) * terms.doubtful / f64::from(1 << 23)
            + 2.0 * doubt_of_head
            + of_rule * entropy
            + of_lanes * sizes
            + 4.0 * doubt_of_sum * (terms.p + share);
        Ok(Entropy { low: (entropy - error).max(0.0), high: entropy + error, count, sum })
    }
}
