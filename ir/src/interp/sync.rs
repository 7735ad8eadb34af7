//! Monitors, and everything a thread waits for.

use super::exec::{Exec, Outcome, Raise};
use super::machine::Monitor;
use super::memory::{Memory, Synchronisation};
use super::slot::Ref;
use super::thread::{State, ThreadId};

/// What `wait` and `notify` say to a thread that is not in the monitor; the instruction says nothing.
const NOT_OWNER: &str = "current thread is not owner";

impl<M: Memory> Exec<'_, '_, M> {
    /// Enters a monitor; if another thread is in it, the thread will try again when it has left.
    pub(super) fn enter(&mut self, object: Ref) -> bool {
        self.shared = true;
        let monitor = self.machine.monitors.entry(object).or_default();
        match monitor.owner {
            None => {
                monitor.owner = Some(self.thread);
                monitor.entries = 1;
                self.synchronise(Synchronisation::Enter(object));
                true
            }
            Some(owner) if owner == self.thread => {
                monitor.entries += 1;
                true
            }
            Some(_) => {
                self.set_state(State::Entering(object));
                false
            }
        }
    }

    /// Leaves a monitor once.
    pub(super) fn exit(&mut self, object: Ref) -> Outcome<()> {
        self.shared = true;
        let monitor = self.owned(object, None)?;
        monitor.entries -= 1;
        if monitor.entries == 0 {
            self.release(object);
        }
        Ok(())
    }

    /// The monitor of an object, which the thread must be in.
    fn owned(&mut self, object: Ref, otherwise: Option<&str>) -> Outcome<&mut Monitor> {
        if self.machine.owner(object) != Some(self.thread) {
            return Err(self.throw("java.lang.IllegalMonitorStateException", otherwise));
        }
        Ok(self.machine.monitors.entry(object).or_default())
    }

    /// Leaves a monitor for good.
    fn release(&mut self, object: Ref) {
        self.synchronise(Synchronisation::Exit(object));
        if let Some(monitor) = self.machine.monitors.get_mut(&object) {
            monitor.owner = None;
            if monitor.waiters.is_empty() {
                self.machine.monitors.remove(&object);
            }
        }
    }

    /// `Object.wait`: gives up the monitor. [`Exec::resume`] does the rest.
    pub(super) fn wait(&mut self, object: Ref, millis: i64) -> Outcome<()> {
        if millis < 0 {
            return Err(self.throw("java.lang.IllegalArgumentException", Some("timeout value is negative")));
        }
        let entries = self.owned(object, Some(NOT_OWNER))?.entries;
        self.check_interrupt()?;
        let thread = self.thread;
        if let Some(monitor) = self.machine.monitors.get_mut(&object) {
            monitor.waiters.push(thread);
        }
        let deadline = self.deadline(millis.saturating_mul(1_000_000));
        self.release(object);
        self.set_state(State::Waiting { monitor: object, entries, deadline });
        Ok(())
    }

    /// `Object.notify` (one) and `notifyAll`: the first to come is the first to go.
    pub(super) fn notify(&mut self, object: Ref, count: usize) -> Outcome<()> {
        let monitor = self.owned(object, Some(NOT_OWNER))?;
        let count = count.min(monitor.waiters.len());
        let woken: Vec<ThreadId> = monitor.waiters.drain(..count).collect();
        for thread in woken {
            self.end_wait(thread, false);
        }
        Ok(())
    }

    fn end_wait(&mut self, thread: ThreadId, interrupted: bool) {
        let state = &mut self.machine.threads[thread.index()].state;
        if let State::Waiting { monitor, entries, .. } = *state {
            *state = State::Returning { monitor, entries, interrupted };
        }
    }

    /// When a wait of so many nanoseconds from now is over; 0 is never.
    pub(super) fn deadline(&self, nanos: i64) -> Option<u64> {
        (nanos > 0).then(|| self.machine.clock.saturating_add(nanos as u64))
    }

    /// Throws `InterruptedException` if the thread was interrupted, and clears the flag.
    pub(super) fn check_interrupt(&mut self) -> Outcome<()> {
        let thread = &mut self.machine.threads[self.thread.index()];
        if !thread.interrupted {
            return Ok(());
        }
        thread.interrupted = false;
        self.synchronise(Synchronisation::Interrupted(self.thread));
        Err(self.throw("java.lang.InterruptedException", None))
    }

    /// What a thread does first when what it waited for has come: it completes the native that it waited in.
    pub(super) fn resume(&mut self) -> Outcome<()> {
        self.shared = true;
        let thread = self.thread;
        match self.machine.threads[thread.index()].state {
            State::Waiting { monitor, .. } => {
                let interrupted = self.machine.threads[thread.index()].interrupted;
                if let Some(monitor) = self.machine.monitors.get_mut(&monitor) {
                    monitor.waiters.retain(|&waiter| waiter != thread);
                }
                self.end_wait(thread, interrupted);
                return Ok(());
            }
            State::Returning { monitor, entries, interrupted } => {
                self.set_state(State::Running);
                if !self.enter(monitor) {
                    unreachable!("the thread was enabled, so the monitor is free");
                }
                if let Some(monitor) = self.machine.monitors.get_mut(&monitor) {
                    monitor.entries = entries;
                }
                if interrupted {
                    self.check_interrupt()?;
                }
            }
            State::Parked { .. } => {
                self.set_state(State::Running);
                self.machine.threads[thread.index()].permit = false;
            }
            State::Sleeping { .. } => {
                self.set_state(State::Running);
                self.check_interrupt()?;
            }
            State::Joining { thread: other, .. } => {
                self.set_state(State::Running);
                if self.machine.threads[other.index()].state == State::Ended {
                    self.synchronise(Synchronisation::Join(other));
                } else {
                    self.check_interrupt()?;
                }
            }
            State::Running | State::Entering(_) | State::Initialising(_) | State::Ended => {
                return Err(Raise::Fault("a thread that does not wait was resumed".to_owned()));
            }
        }
        self.complete(None);
        Ok(())
    }
}
