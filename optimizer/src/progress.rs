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
    show_by(&output::stderr, PATIENCE, what, done, work)
}

/// Does the same, where `print` prints what is shown after so long.
fn show_by<T>(
    print: &(impl Fn(&str) + Sync),
    patience: Duration,
    what: &str,
    done: impl Fn() -> (usize, usize) + Sync,
    work: impl FnOnce() -> T,
) -> T {
    thread::scope(|scope| {
        let (finish, finished) = mpsc::channel::<()>();
        let done = &done;
        scope.spawn(move || {
            let mut wait = patience;
            let mut is_shown = false;
            // It ends when the other side of the channel goes, also by a panic.
            while finished.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
                let (done, all) = done();
                print(&format!("\r\x1b[K{}", line(what, done, all)));
                (wait, is_shown) = (BEAT, true);
            }
            if is_shown {
                print("\r\x1b[K");
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
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;

    use super::{line, show, show_by};

    #[test]
    fn the_bar_fills() {
        assert_eq!(line("looking", 1, 2), format!("looking [{}{}] 1 of 2", "=".repeat(15), " ".repeat(15)));
        assert_eq!(line("looking", 0, 0), format!("looking [{}] 0 of 0", " ".repeat(30)));
        assert_eq!(show("working", || (0, 1), || 7), 7);
    }

    #[test]
    fn what_takes_long_is_shown_and_the_line_goes_with_it() {
        let (shown, is_shown) = mpsc::channel();
        let shown = Mutex::new(shown);
        let print = |text: &str| shown.lock().unwrap().send(text.to_owned()).unwrap();
        let mut first = String::new();
        // The work is done once it was shown.
        let work = || first = is_shown.recv().unwrap();
        show_by(&print, Duration::ZERO, "looking", || (3, 60), work);
        drop(shown);
        assert_eq!(first, format!("\r\x1b[K{}", line("looking", 3, 60)));
        assert_eq!(is_shown.iter().last().unwrap(), "\r\x1b[K");
    }

    #[test]
    fn what_is_done_in_time_shows_nothing() {
        let print = |text: &str| panic!("{text:?} is shown");
        assert_eq!(show_by(&print, Duration::from_secs(3600), "looking", || (0, 60), || 7), 7);
    }
}
