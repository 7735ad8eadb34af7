//! The C interface. `deliqueue.h` is made from this file by cbindgen; a test compares them.
//!
//! * Symbols begin with `deliqueue_`. `deliqueue_version` says which version was linked.
//! * A payload is a pointer and a function that frees it. Who gets the payload out of the queue frees it: the queue does
//!   when it removes or drops the message, at once and on the thread that does it; the caller of `deliqueue_next` does for
//!   what it ran.
//! * That function may use the queue; it must not unwind and must not destroy the queue that it is called from.
//! * A panic of ours never crosses: the call returns `DELIQUEUE_PANIC`.

use std::ffi::c_void;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

use crate::{BarrierToken, Filter, Message, Receiver, Sender, Target, Token, When};

/// All went well.
pub const DELIQUEUE_OK: i32 = 0;
/// The queue has quit.
pub const DELIQUEUE_QUIT: i32 = 1;
/// A pointer is null.
pub const DELIQUEUE_NULL: i32 = 2;
/// The library has a bug.
pub const DELIQUEUE_PANIC: i32 = 3;

/// Frees a payload. May be null, and then nothing is done.
pub type DeliqueueFree = Option<unsafe extern "C" fn(payload: *mut c_void)>;

/// A payload that frees itself.
struct Payload {
    pointer: *mut c_void,
    free: DeliqueueFree,
}

// SAFETY: by the contract of `deliqueue_post` a payload may go to any thread.
unsafe impl Send for Payload {}

impl Drop for Payload {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the poster gave both, for one call, and it is made here only.
            unsafe { free(self.pointer) };
        }
    }
}

/// The end that posts and removes. Any number of threads may use one at once.
#[derive(Debug)]
pub struct DeliqueueSender(Sender<Payload>);

/// The end that runs. One thread at a time may use it.
#[derive(Debug)]
pub struct DeliqueueReceiver(Receiver<Payload>);

/// A message.
#[repr(C)]
#[derive(Debug)]
pub struct DeliqueueMessage {
    /// What it carries.
    pub payload: *mut c_void,
    /// What frees it, if the queue has to.
    pub free: DeliqueueFree,
    /// When it is due, in nanoseconds of `deliqueue_now`; 0 is the front of the queue.
    pub when: u64,
    /// Whom it is for.
    pub target: u64,
    /// The mark by which it is found again.
    pub token: u64,
    /// What it is about.
    pub what: i32,
    /// Not 0 if barriers let it pass.
    pub asynchronous: i32,
}

fn guarded(work: impl FnOnce() -> i32) -> i32 {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(DELIQUEUE_PANIC)
}

/// The version of the library, as text that lives for ever.
#[no_mangle]
pub extern "C" fn deliqueue_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Makes a queue: its two ends, each to be destroyed by its function.
///
/// # Safety
/// Both places may be written.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_new(
    sender: *mut *mut DeliqueueSender,
    receiver: *mut *mut DeliqueueReceiver,
) -> i32 {
    if sender.is_null() || receiver.is_null() {
        return DELIQUEUE_NULL;
    }
    guarded(|| {
        let (posts, runs) = crate::queue();
        // SAFETY: the caller's promise.
        unsafe {
            *sender = Box::into_raw(Box::new(DeliqueueSender(posts)));
            *receiver = Box::into_raw(Box::new(DeliqueueReceiver(runs)));
        }
        DELIQUEUE_OK
    })
}

/// The time, in nanoseconds of the clock that `when` is in. 0 if the sender is null.
///
/// # Safety
/// The sender is null, or of `deliqueue_new` and not destroyed.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_now(sender: *const DeliqueueSender) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { sender.as_ref() }.map_or(0, |sender| sender.0.now().0)
}

/// Posts a message. If it is taken, the queue owns the payload; if not, the caller still does.
///
/// # Safety
/// The sender is null, or of `deliqueue_new` and not destroyed; the message is null or can be read. The payload and the
/// function that frees it can be used from any thread.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_post(sender: *const DeliqueueSender, message: *const DeliqueueMessage) -> i32 {
    // SAFETY: the caller's promise.
    let (sender, message) = match unsafe { (sender.as_ref(), message.as_ref()) } {
        (Some(sender), Some(message)) => (sender, message),
        _ => return DELIQUEUE_NULL,
    };
    guarded(|| {
        let payload = Payload { pointer: message.payload, free: message.free };
        let mut post = Message::new(payload).target(Target(message.target)).what(message.what);
        post = post.token(Token(message.token));
        post = if message.when == 0 { post.front() } else { post.at(When(message.when)) };
        post.asynchronous = message.asynchronous != 0;
        match sender.0.post(post) {
            Ok(()) => DELIQUEUE_OK,
            Err(mut back) => {
                back.0.payload.free = None;
                DELIQUEUE_QUIT
            }
        }
    })
}

/// Removes messages and frees their payloads; how many they were. `target`, `what` and `token` are null for any.
///
/// # Safety
/// The sender is null, or of `deliqueue_new` and not destroyed; the others are null or can be read.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_remove(
    sender: *const DeliqueueSender,
    target: *const u64,
    what: *const i32,
    token: *const u64,
) -> usize {
    let mut removed = 0;
    // SAFETY: the caller's promise.
    let parts = unsafe { (sender.as_ref(), target.as_ref(), what.as_ref(), token.as_ref()) };
    if let (Some(sender), target, what, token) = parts {
        guarded(|| {
            let mut filter = target.map_or(Filter::all(), |target| Filter::target(Target(*target)));
            filter = what.map_or(filter, |what| filter.what(*what));
            filter = token.map_or(filter, |token| filter.token(Token(*token)));
            removed = sender.0.remove(filter);
            DELIQUEUE_OK
        });
    }
    removed
}

/// How many messages wait.
///
/// # Safety
/// The sender is null, or of `deliqueue_new` and not destroyed.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_length(sender: *const DeliqueueSender) -> usize {
    // SAFETY: the caller's promise.
    unsafe { sender.as_ref() }.map_or(0, |sender| sender.0.len())
}

/// Posts a barrier and writes its number; what is due after it and not asynchronous is held back.
///
/// # Safety
/// The sender is null, or of `deliqueue_new` and not destroyed; the place is null or can be written.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_post_barrier(sender: *const DeliqueueSender, barrier: *mut u64) -> i32 {
    // SAFETY: the caller's promise.
    match unsafe { (sender.as_ref(), barrier.as_mut()) } {
        (Some(sender), Some(barrier)) => guarded(|| match sender.0.post_barrier() {
            Ok(token) => {
                *barrier = token.to_raw();
                DELIQUEUE_OK
            }
            Err(_) => DELIQUEUE_QUIT,
        }),
        _ => DELIQUEUE_NULL,
    }
}

/// Removes a barrier; not 0 if it was there.
///
/// # Safety
/// The sender is null, or of `deliqueue_new` and not destroyed.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_remove_barrier(sender: *const DeliqueueSender, barrier: u64) -> i32 {
    // SAFETY: the caller's promise.
    let sender = unsafe { sender.as_ref() };
    sender.map_or(0, |sender| i32::from(sender.0.remove_barrier(BarrierToken::from_raw(barrier))))
}

/// No more posts. If `safely` is not 0, what is due now is run still.
///
/// # Safety
/// The sender is null, or of `deliqueue_new` and not destroyed.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_quit(sender: *const DeliqueueSender, safely: i32) {
    // SAFETY: the caller's promise.
    if let Some(sender) = unsafe { sender.as_ref() } {
        guarded(|| {
            if safely == 0 {
                sender.0.quit();
            } else {
                sender.0.quit_safely();
            }
            DELIQUEUE_OK
        });
    }
}

/// Waits for the next message and writes it; its payload is the caller's from then on. `DELIQUEUE_QUIT` at the end.
///
/// # Safety
/// The receiver is null, or of `deliqueue_new`, not destroyed, and used by no other thread at this time; the place is null or
/// can be written.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_next(receiver: *mut DeliqueueReceiver, message: *mut DeliqueueMessage) -> i32 {
    if message.is_null() {
        return DELIQUEUE_NULL;
    }
    // SAFETY: the caller's promise.
    let receiver = match unsafe { receiver.as_mut() } {
        Some(receiver) => receiver,
        None => return DELIQUEUE_NULL,
    };
    guarded(|| match receiver.0.recv() {
        None => DELIQUEUE_QUIT,
        Some(next) => {
            let payload = std::mem::ManuallyDrop::new(next.payload);
            let next = DeliqueueMessage {
                payload: payload.pointer,
                free: payload.free,
                when: match next.due {
                    crate::Due::At(when) => when.0,
                    crate::Due::Front | crate::Due::Now | crate::Due::After(_) => 0,
                },
                target: next.target.0,
                token: next.token.0,
                what: next.what,
                asynchronous: i32::from(next.asynchronous),
            };
            // SAFETY: it is not null, and the caller's promise.
            unsafe { message.write(next) };
            DELIQUEUE_OK
        }
    })
}

/// Another sender of the same queue, to be destroyed as well. Null if it is given null.
///
/// # Safety
/// The sender is null, or of `deliqueue_new` and not destroyed.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_clone_sender(sender: *const DeliqueueSender) -> *mut DeliqueueSender {
    // SAFETY: the caller's promise.
    let sender = unsafe { sender.as_ref() };
    sender.map_or(std::ptr::null_mut(), |sender| Box::into_raw(Box::new(DeliqueueSender(sender.0.clone()))))
}

/// Destroys a sender. The queue goes on.
///
/// # Safety
/// The sender is null, or of `deliqueue_new` or `deliqueue_clone_sender` and not used any more.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_free_sender(sender: *mut DeliqueueSender) {
    if !sender.is_null() {
        guarded(|| {
            // SAFETY: it came from a box, and the caller gives it back.
            drop(unsafe { Box::from_raw(sender) });
            DELIQUEUE_OK
        });
    }
}

/// Destroys a receiver: the queue ends, and the payloads of what waits are freed.
///
/// # Safety
/// The receiver is null, or of `deliqueue_new` and not used any more.
#[no_mangle]
pub unsafe extern "C" fn deliqueue_free_receiver(receiver: *mut DeliqueueReceiver) {
    if !receiver.is_null() {
        guarded(|| {
            // SAFETY: it came from a box, and the caller gives it back.
            drop(unsafe { Box::from_raw(receiver) });
            DELIQUEUE_OK
        });
    }
}

/// Milliseconds as the nanoseconds of `when`, for callers' arithmetic.
#[no_mangle]
pub extern "C" fn deliqueue_millis(millis: u64) -> u64 {
    When::from_origin(Duration::from_millis(millis)).0
}
