//! Sleeping on a descriptor, which can sit in somebody else's epoll, mio or calloop, and in which other descriptors can
//! be watched.
//!
//! It is an epoll of three kinds of things: an eventfd, written by the waker; a timer for the deadline, so that who polls
//! the descriptor needs no timeout; and whatever else is watched.

use std::io;
use std::os::raw::{c_int, c_long};
use std::os::unix::io::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::time::Duration;

use crate::park::Sleep;

/// Sleeps on a descriptor. It is readable when the looper is to look, be it woken or be the deadline reached.
///
/// In an event loop of others: poll the descriptor; when it is readable, [`clear`](Self::clear) it, take what
/// [`poll_with`](crate::Receiver::poll_with) has until that is [`Pending`](crate::Next::Pending), and
/// [`arm`](Self::arm) it with how long the deadline is away.
#[derive(Debug)]
pub struct EventSleep {
    epoll: OwnedFd,
    timer: OwnedFd,
    event: Arc<Event>,
    waker: Waker,
    /// Whether the timer is set.
    armed: bool,
    /// Descriptors that are watched and were ready in the last sleep.
    ready: Vec<RawFd>,
}

#[derive(Debug)]
struct Event(OwnedFd);

impl Wake for Event {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let one = 1_u64.to_ne_bytes();
        // SAFETY: eight bytes of ours, to a descriptor that lives as long as this. It fails only if the counter is full,
        // and then the descriptor is readable already.
        unsafe { libc::write(self.0.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }
}

/// A new descriptor, or the system's error.
fn owned(fd: c_int) -> io::Result<OwnedFd> {
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Takes the count out of an eventfd or a timer; it is no error if there is none.
fn take_count(fd: &OwnedFd) {
    let mut count = [0_u8; 8];
    // SAFETY: eight bytes of ours, which are written at most.
    unsafe { libc::read(fd.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
}

impl EventSleep {
    /// New descriptors.
    ///
    /// # Errors
    /// The system has no more descriptors for this process.
    pub fn new() -> io::Result<Self> {
        // SAFETY: these calls take numbers only.
        let (epoll, event, timer) = unsafe {
            (
                owned(libc::epoll_create1(libc::EPOLL_CLOEXEC))?,
                owned(libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK))?,
                owned(libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK))?,
            )
        };
        let event = Arc::new(Event(event));
        let waker = event.clone().into();
        let sleep = Self { epoll, timer, event, waker, armed: false, ready: Vec::new() };
        sleep.watch(sleep.event.0.as_fd())?;
        sleep.watch(sleep.timer.as_fd())?;
        Ok(sleep)
    }

    /// Watches another descriptor as well: the sleep ends when it can be read. It has to stay open until it is
    /// [`unwatch`](Self::unwatch)ed.
    ///
    /// # Errors
    /// The system's; a file cannot be watched, say, or the descriptor is watched already.
    pub fn watch(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        let fd = fd.as_raw_fd();
        let mut interest = libc::epoll_event { events: libc::EPOLLIN as u32, u64: fd as u64 };
        // SAFETY: both descriptors are open, and the event is ours.
        checked(unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &mut interest) }).map(drop)
    }

    /// No longer watches a descriptor.
    ///
    /// # Errors
    /// The system's; it is not watched, say.
    pub fn unwatch(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        let none = std::ptr::null_mut();
        // SAFETY: both descriptors are open; removing takes no event.
        checked(unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_DEL, fd.as_raw_fd(), none) }).map(drop)
    }

    /// The descriptors, of those that are watched, that could be read when the last sleep ended.
    pub fn ready(&self) -> &[RawFd] {
        &self.ready
    }

    /// Makes the descriptor unreadable again.
    pub fn clear(&mut self) {
        take_count(&self.event.0);
        take_count(&self.timer);
    }

    /// Makes the descriptor readable after this long, or only when it is woken.
    pub fn arm(&mut self, timeout: Option<Duration>) {
        if timeout.is_none() && !self.armed {
            return;
        }
        // All zero would be no timer; so what is due now is due in a nanosecond.
        let value = timeout.map_or(Duration::ZERO, |timeout| timeout.max(Duration::from_nanos(1)));
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let value = libc::timespec {
            tv_sec: libc::time_t::try_from(value.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: value.subsec_nanos() as c_long,
        };
        let setting = libc::itimerspec { it_interval: zero, it_value: value };
        // SAFETY: the descriptor is open, the setting is ours, and the old one is not asked for.
        unsafe { libc::timerfd_settime(self.timer.as_raw_fd(), 0, &setting, std::ptr::null_mut()) };
        self.armed = timeout.is_some();
    }
}

impl AsFd for EventSleep {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}

impl AsRawFd for EventSleep {
    fn as_raw_fd(&self) -> RawFd {
        self.epoll.as_raw_fd()
    }
}

impl Sleep for EventSleep {
    fn waker(&self) -> &Waker {
        &self.waker
    }

    fn sleep(&mut self, timeout: Option<Duration>) {
        self.arm(timeout);
        let nothing = libc::epoll_event { events: 0, u64: 0 };
        let mut events = [nothing; 16];
        // SAFETY: the array is ours and as long as is said. Being interrupted ends the sleep early, which is allowed.
        let count = unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), events.as_mut_ptr(), events.len() as c_int, -1) };
        let own = [self.event.0.as_raw_fd(), self.timer.as_raw_fd()];
        let ready = events.iter().take(usize::try_from(count).unwrap_or(0));
        self.ready.clear();
        // Copied out first, since the fields may not be aligned.
        self.ready.extend(ready.map(|event| { event.u64 } as RawFd).filter(|fd| !own.contains(fd)));
        self.clear();
    }
}
