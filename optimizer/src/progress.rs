//! How far long work is: a line on a terminal that comes after a second and goes when the work is done.

use std::io::{self, IsTerminal};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::output;

/// How long work may take before anybody is told, and how often they are told then.
const PATIENCE: Duration = Duration::from_secs(1);
const BEAT: Duration = Duration::from_millis(100);

/// How many characters the bar has.
const WIDTH: usize = 30;

/// Does some work, and shows how much of it is done: so many things, of so many.
pub(crate) fn show<T>(what: &str, done: impl Fn() -> (usize, usize) + Sync, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    thread::scope(|scope| {
        let (finish, finished) = mpsc::channel::<()>();
        let done = &done;
        scope.spawn(move || {
            let mut wait = PATIENCE;
            // It ends when the other side of the channel goes, also by a panic.
            while finished.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
                let (done, all) = done();
                output::stderr(&format!("\r\x1b[K{}", line(what, done, all)));
                wait = BEAT;
            }
            if wait == BEAT {
                output::stderr("\r\x1b[K");
            }
        });
        let result = work();
        drop(finish);
        result
    })
}

fn line(what: &str, done: usize, all: usize) -> String {
    let filled = WIDTH * done.min(all) / all.max(1);
    format!("{what} [{}{}] {done} of {all}", "=".repeat(filled), " ".repeat(WIDTH - filled))
}

#[cfg(test)]
mod tests {
    use super::{line, show};

    #[test]
    fn the_bar_fills() {
        assert_eq!(line("looking", 1, 2), format!("looking [{}{}] 1 of 2", "=".repeat(15), " ".repeat(15)));
        assert_eq!(line("looking", 0, 0), format!("looking [{}] 0 of 0", " ".repeat(30)));
        assert_eq!(show("working", || (0, 1), || 7), 7);
    }
}
