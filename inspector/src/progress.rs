//! A bar on the terminal for what takes longer than a second; nothing for what does not.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{Read, Result};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);

pub struct Progress {
    bar: ProgressBar,
    since: Instant,
    shown: bool,
}

impl Progress {
    pub fn new(what: &'static str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {percent} % {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(what);
        Self { bar, since: Instant::now(), shown: false }
    }

    pub fn add(&mut self, done: u64) {
        if !self.shown && self.since.elapsed() > PATIENCE {
            self.shown = true;
            // Draws nothing where stderr is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Does the work; after a second something turns on the terminal until it is done.
pub fn waiting<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    let (done, wait) = mpsc::channel::<()>();
    let watcher = thread::spawn(move || {
        if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let spinner = ProgressBar::new_spinner().with_message(what);
            spinner.enable_steady_tick(Duration::from_millis(100));
            // Ends with an error, as the other end is dropped.
            let _ = wait.recv();
            spinner.finish_and_clear();
        }
    });
    let result = work();
    drop(done);
    // It cannot panic, and a progress bar is no reason to.
    let _ = watcher.join();
    result
}

/// A reader whose bytes move a bar.
pub struct Watched<R> {
    reader: R,
    progress: Progress,
}

impl<R> Watched<R> {
    pub fn new(reader: R, total: u64) -> Self {
        Self { reader, progress: Progress::new("reading", total) }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.reader.read(buffer)?;
        self.progress.add(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_shown_after_a_second_only() {
        let mut progress = Progress::new("test", 3);
        progress.add(1);
        assert!(!progress.shown);
        progress.since -= PATIENCE;
        progress.add(1);
        assert!(progress.shown);
    }

    #[test]
    fn waiting_ends_with_the_work() {
        assert_eq!(waiting("test", || 7), 7);
        let since = Instant::now();
        waiting("test", || thread::sleep(PATIENCE + Duration::from_millis(200)));
        assert!(since.elapsed() > PATIENCE);
    }

    #[test]
    fn a_watched_reader_counts_and_changes_nothing() {
        let mut watched = Watched::new(&b"abc"[..], 3);
        let mut text = String::new();
        watched.read_to_string(&mut text).expect("bytes in memory");
        assert_eq!((text.as_str(), watched.progress.bar.position()), ("abc", 3));
    }
}
