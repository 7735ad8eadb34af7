//! The thread side: niceness by Java's and Android's levels, affinity, and what the kernel tells of each processor.
//!
//! All work on the thread that calls. What the kernel does not allow is an error that says so; nothing is faked.

use std::fs;
use std::io;

/// A nice value, from -20, the most urgent, to 19.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Nice(pub i32);

impl Nice {
    /// Android's level for what may take as long as it likes.
    pub const LOWEST: Nice = Nice(19);
    /// Android's level for work in the background.
    pub const BACKGROUND: Nice = Nice(10);
    /// Where threads begin.
    pub const DEFAULT: Nice = Nice(0);
    /// Android's level for what the user looks at.
    pub const FOREGROUND: Nice = Nice(-2);
    /// Android's level for drawing.
    pub const DISPLAY: Nice = Nice(-4);
    /// Android's level for drawing in time, and for input.
    pub const URGENT_DISPLAY: Nice = Nice(-8);
    /// Android's level for video.
    pub const VIDEO: Nice = Nice(-10);
    /// Android's level for sound.
    pub const AUDIO: Nice = Nice(-16);
    /// Android's level for sound in time.
    pub const URGENT_AUDIO: Nice = Nice(-19);

    /// The nice value of a Java priority, 1 to 10; none of others.
    pub fn of_java_priority(priority: u32) -> Option<Nice> {
        const LEVELS: [i32; 10] = [19, 16, 13, 10, 0, -2, -4, -5, -6, -8];
        let index = usize::try_from(priority).ok()?.checked_sub(1)?;
        LEVELS.get(index).copied().map(Nice)
    }
}

/// The system's error, with what was tried.
fn failed(what: &str, error: &io::Error) -> io::Error {
    let help = match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => "; that needs CAP_SYS_NICE or a higher RLIMIT_NICE",
        _ => "",
    };
    io::Error::new(error.kind(), format!("{what}: {error}{help}"))
}

/// Sets the niceness of this thread.
///
/// # Errors
/// The kernel does not allow it: becoming less nice needs a privilege.
pub fn set_nice(nice: Nice) -> io::Result<()> {
    // SAFETY: takes numbers only. On Linux, 0 is the thread that calls, and not the process.
    let result = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice.0) };
    if result == 0 {
        Ok(())
    } else {
        Err(failed(&format!("cannot set nice value {}", nice.0), &io::Error::last_os_error()))
    }
}

/// The niceness of this thread.
///
/// # Errors
/// The kernel does not tell.
pub fn nice() -> io::Result<Nice> {
    // SAFETY: the place of `errno` is this thread's; the call takes numbers only. -1 is a nice value as well as an error,
    // so `errno` decides.
    let (nice, error) = unsafe {
        *libc::__errno_location() = 0;
        let nice = libc::getpriority(libc::PRIO_PROCESS, 0);
        (nice, *libc::__errno_location())
    };
    if error == 0 {
        Ok(Nice(nice))
    } else {
        Err(failed("cannot read the nice value", &io::Error::from_raw_os_error(error)))
    }
}

/// Has this thread run on these processors only.
///
/// # Errors
/// None of them is there or allowed.
pub fn set_affinity(processors: &[usize]) -> io::Result<()> {
    // SAFETY: all zero is the empty set; the set is ours, and numbers beyond it are left out before.
    let result = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for processor in processors.iter().filter(|processor| **processor < libc::CPU_SETSIZE as usize) {
            libc::CPU_SET(*processor, &mut set);
        }
        libc::sched_setaffinity(0, std::mem::size_of::<libc::cpu_set_t>(), &set)
    };
    if result == 0 {
        Ok(())
    } else {
        Err(failed(&format!("cannot run on processors {processors:?}"), &io::Error::last_os_error()))
    }
}

/// The processors that this thread may run on.
///
/// # Errors
/// The kernel does not tell.
pub fn affinity() -> io::Result<Vec<usize>> {
    // SAFETY: the set is ours and as large as is said, and it is read only if the kernel has filled it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, std::mem::size_of::<libc::cpu_set_t>(), &mut set) != 0 {
            return Err(failed("cannot read the affinity", &io::Error::last_os_error()));
        }
        Ok((0..libc::CPU_SETSIZE as usize).filter(|processor| libc::CPU_ISSET(*processor, &set)).collect())
    }
}

fn read_number(processor: usize, file: &str) -> io::Result<u64> {
    let path = format!("/sys/devices/system/cpu/cpu{processor}/{file}");
    let text = fs::read_to_string(&path).map_err(|error| failed(&format!("the kernel shows no {path}"), &error))?;
    text.trim()
        .parse()
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, format!("{path}: {text:?} is no number")))
}

/// How much a processor can do, where the fastest of the machine has 1024.
///
/// # Errors
/// The kernel does not show it: it does on machines with processors of several kinds.
pub fn capacity(processor: usize) -> io::Result<u64> {
    read_number(processor, "cpu_capacity")
}

/// The frequency of a processor now, in kHz.
///
/// # Errors
/// The kernel does not show it, as in many virtual machines.
pub fn frequency(processor: usize) -> io::Result<u64> {
    read_number(processor, "cpufreq/scaling_cur_freq")
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn java_priorities_are_nice_values() {
        let nice: Vec<i32> = (0..12).filter_map(Nice::of_java_priority).map(|nice| nice.0).collect();
        assert_eq!(nice, [19, 16, 13, 10, 0, -2, -4, -5, -6, -8]);
    }

    #[test]
    fn a_thread_becomes_nicer_and_stays_where_it_is_put() {
        std::thread::spawn(|| {
            let all = affinity().expect("the kernel tells");
            set_affinity(&all[..1]).expect("it is allowed already");
            assert_eq!(affinity().expect("the kernel tells"), all[..1]);
            let error = set_affinity(&[]).expect_err("nowhere to run");
            assert!(error.to_string().starts_with("cannot run on processors []"), "{error}");
            set_nice(Nice::LOWEST).expect("everybody may be nicer");
            assert_eq!(nice().expect("the kernel tells"), Nice::LOWEST);
        })
        .join()
        .expect("all of it holds");
    }

    #[test]
    fn what_the_kernel_does_not_show_is_an_error() {
        let error = capacity(usize::MAX).expect_err("there is no such processor");
        assert!(error.to_string().starts_with("the kernel shows no /sys/devices/system/cpu/"), "{error}");
    }
}
