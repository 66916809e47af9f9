//! Where a row lies when a draw begins.

use std::hint::{black_box, spin_loop};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// This thread wrote it last.
    Hot,
    /// A thread on another core wrote it last, and everything else is in no cache.
    Written,
    /// In no cache.
    Cold,
}

impl State {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Written => "written",
            Self::Cold => "cold",
        }
    }
}

const OTHER_BYTES: usize = 64 << 20;

type Copy = Box<dyn FnOnce() + Send>;

pub struct Caches {
    other: Vec<u8>,
    copies: Sender<(Copy, Arc<AtomicBool>)>,
}

impl Caches {
    /// This thread stays on the first CPU that it may use, and the one that writes rows on the second.
    pub fn new() -> Self {
        let cpus = allowed_cpus();
        assert!(cpus.len() > 1, "a row is written by another core, and there is only one");
        pin(cpus[0]);
        let (copies, commands) = channel::<(Copy, Arc<AtomicBool>)>();
        std::thread::spawn(move || {
            pin(cpus[1]);
            for (copy, done) in commands {
                copy();
                done.store(true, Ordering::Release);
            }
        });
        Self { other: vec![0; OTHER_BYTES], copies }
    }

    /// Copies `from` to `to` so that `to` is in the state.
    pub fn place<T: std::marker::Copy + Send + Sync>(
        &mut self,
        state: State,
        from: &[T],
        to: &mut [T],
    ) {
        assert_eq!(from.len(), to.len());
        match state {
            State::Hot => to.copy_from_slice(from),
            State::Cold => {
                to.copy_from_slice(from);
                self.evict();
            }
            State::Written => {
                self.evict();
                let done = Arc::new(AtomicBool::new(false));
                let (source, target) = (from.as_ptr() as usize, to.as_mut_ptr() as usize);
                let bytes = size_of_val(from);
                let copy = move || {
                    // SAFETY: both are slices of that many bytes that this call borrows, and it ends only
                    // after the copy.
                    unsafe {
                        std::ptr::copy_nonoverlapping(
                            source as *const u8,
                            target as *mut u8,
                            bytes,
                        );
                    }
                };
                let command: (Copy, _) = (Box::new(copy), Arc::clone(&done));
                self.copies.send(command).expect("the thread runs");
                while !done.load(Ordering::Acquire) {
                    spin_loop();
                }
            }
        }
    }

    fn evict(&mut self) {
        for byte in self.other.iter_mut().step_by(64) {
            *byte = byte.wrapping_add(1);
        }
        black_box(&self.other);
    }
}

fn allowed_cpus() -> Vec<usize> {
    // SAFETY: a set of CPUs is plain bits, and the call writes one.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set), 0);
        set
    };
    // SAFETY: the numbers are below the size of the set.
    (0..libc::CPU_SETSIZE as usize).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect()
}

fn pin(cpu: usize) {
    // SAFETY: a set of CPUs is plain bits; the number is one that the kernel gave.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        assert_eq!(libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set), 0);
    }
}
