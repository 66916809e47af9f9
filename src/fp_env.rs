//! The floating-point environment: a call works in the default one and restores the host's.
//!
//! Another rounding mode or flush-to-zero would change tokens, and an exception that the host unmasked would
//! end the process, since the kernels compute inf - inf on purpose. The control word is written only if it
//! differs from the default, because writing it costs tens of cycles and reading it a few.
#![allow(unsafe_code)]

/// While it lives, the default environment: round to nearest, no exception traps, denormals kept.
/// Dropping it restores the host's, exception flags included.
pub(crate) struct DefaultFpEnv {
    host: Word,
}

impl DefaultFpEnv {
    #[inline(always)]
    pub(crate) fn enter() -> Self {
        let host = read();
        let default = host & FLAGS | DEFAULT;
        if host != default {
            write(default);
        }
        Self { host }
    }
}

impl Drop for DefaultFpEnv {
    #[inline(always)]
    fn drop(&mut self) {
        if read() != self.host {
            write(self.host);
        }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
mod control {
    use core::arch::asm;

    /// MXCSR: exception flags, masks, rounding, flush-to-zero and denormals-are-zero.
    pub(super) type Word = u32;
    pub(super) const FLAGS: Word = 0x3f;
    /// All exceptions masked, the rest zero.
    pub(super) const DEFAULT: Word = 0x1f80;

    #[inline(always)]
    pub(super) fn read() -> Word {
        let mut word: Word = 0;
        // SAFETY: writes 4 bytes to `word`. The asm clobbers memory, so it stays where it is.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        word
    }

    #[inline(always)]
    pub(super) fn write(word: Word) {
        // SAFETY: `word` is a value that was read, with other control bits at most. Rust code runs under
        // the default environment alone: only the C caller's comes before `enter` and after `drop`.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    use core::arch::asm;

    /// FPCR in the upper half, FPSR with the exception flags in the lower.
    pub(super) type Word = u64;
    pub(super) const FLAGS: Word = 0xffff_ffff;
    pub(super) const DEFAULT: Word = 0;

    #[inline(always)]
    pub(super) fn read() -> Word {
        let (control, status): (u64, u64);
        // SAFETY: reads two registers that every aarch64 program may read.
        unsafe {
            asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) control, out(reg) status, options(nostack));
        }
        control << 32 | status & FLAGS
    }

    #[inline(always)]
    pub(super) fn write(word: Word) {
        // SAFETY: as on x86.
        unsafe {
            asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) word >> 32, in(reg) word & FLAGS, options(nostack));
        }
    }
}

/// Elsewhere the environment stays the host's.
#[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
mod control {
    pub(super) type Word = u32;
    pub(super) const FLAGS: Word = 0;
    pub(super) const DEFAULT: Word = 0;

    pub(super) fn read() -> Word {
        0
    }

    pub(super) fn write(_: Word) {}
}

use control::{DEFAULT, FLAGS, Word, read, write};
