//! The weak memory of explore mode: what a read may return when accesses are not ordered.
//!
//! A view machine, in the style of the operational models of C11: every location has a history of messages in
//! modification order, and every thread a view that says how far in each history it has got (see
//! `ir/LANGUAGE.md`, "Memory model", for the rules in prose). Reads may return older messages than the newest, writes
//! may go before messages that the thread has not seen, and messages of release writes carry their writer's view to
//! acquire reads. What is ordered beyond that is kept as views, too: one for each monitor, class and thread
//! ([`Sync`]), and one for the total order of the volatile writes.
//!
//! The memory keeps histories only where there is something to choose or to hand on. The newest value of a location
//! lives with the caller, who passes it in and stores what comes out, so that sequentially consistent memory is just
//! the absence of a [`WeakMemory`].
//!
//! Why not promises or store buffers: reads choose among writes that were made, so nothing comes out of thin air and
//! a state is small; the price is that load buffering does not show. Store buffers alone would not show stale reads.
//!
//! Invariants: a history holds at least one message, the newest last; an update stands directly after the message it
//! read; every rank in a view is a rank in the history.

mod view;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use self::view::{Known, View};
use crate::entity::Class;
use crate::interp::heap::Location;
use crate::interp::slot::{Ref, Slot};
use crate::interp::thread::ThreadId;
use crate::types::Ordering;

/// What hands knowledge from one thread to another, besides messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Sync {
    /// The monitor of an object.
    Monitor(Ref),
    /// The initialisation of a class.
    Class(Class),
    /// The interruption of a thread.
    Interrupt(ThreadId),
    /// The end of a thread.
    End(ThreadId),
    /// The write of a final field.
    Final(Location),
}

impl Sync {
    fn renamed(self, object: &dyn Fn(Ref) -> Ref, location: impl Fn(Location) -> Location) -> Sync {
        match self {
            Sync::Monitor(of) => Sync::Monitor(object(of)),
            Sync::Final(of) => Sync::Final(location(of)),
            Sync::Class(_) | Sync::Interrupt(_) | Sync::End(_) => self,
        }
    }
}

/// Picks one of `n` possibilities, `n > 1`, by its index below `n`; 0 is what sequentially consistent memory would do.
pub(super) type Choose<'a> = dyn FnMut(usize) -> usize + 'a;

/// A write in the history of its location.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Message {
    value: Slot,
    /// What an acquire read learns; nothing if the write does not release.
    view: View,
    /// Whether it is an update of the message before it, which nothing may come between.
    update: bool,
}

/// Memory in which reads can be stale and writes can be late, as the orderings of the accesses allow.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct WeakMemory {
    /// The histories, oldest message first. A location without one has its newest value only, which all threads know.
    histories: BTreeMap<Location, Vec<Message>>,
    /// The views of the threads that run.
    threads: BTreeMap<ThreadId, View>,
    /// How far the volatile writes have got.
    volatile: View,
    syncs: BTreeMap<Sync, View>,
}

fn acquires(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Acquire | Ordering::AcqRel | Ordering::Volatile)
}

fn releases(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Release | Ordering::AcqRel | Ordering::Volatile)
}

fn pick(choose: &mut Choose<'_>, candidates: &[u32]) -> u32 {
    let index = if candidates.len() > 1 { choose(candidates.len()) } else { 0 };
    candidates[index]
}

impl WeakMemory {
    /// Memory with one thread, which knows everything.
    pub(super) fn new(thread: ThreadId) -> Self {
        Self {
            histories: BTreeMap::new(),
            threads: BTreeMap::from([(thread, View::default())]),
            volatile: View::default(),
            syncs: BTreeMap::new(),
        }
    }

    /// Reads. `newest` is the newest value of the location.
    pub(super) fn read(
        &mut self,
        thread: ThreadId,
        location: Location,
        ordering: Ordering,
        newest: Slot,
        choose: &mut Choose<'_>,
    ) -> Slot {
        let Some(history) = self.histories.get(&location) else { return newest };
        let oldest = self.oldest_readable(thread, location, ordering);
        let candidates: Vec<u32> = (oldest..history.len() as u32).rev().collect();
        let rank = pick(choose, &candidates);
        let value = history[rank as usize].value;
        self.learn(thread, location, rank, ordering);
        self.collect();
        value
    }

    /// Writes; returns the newest value of the location after that. `newest` is the one before.
    pub(super) fn write(
        &mut self,
        thread: ThreadId,
        location: Location,
        ordering: Ordering,
        newest: Slot,
        value: Slot,
        choose: &mut Choose<'_>,
    ) -> Slot {
        if self.is_alone() {
            return value;
        }
        let known = self.view(thread).get(location).seen;
        let floor = if ordering == Ordering::Volatile { known.max(self.volatile.get(location).seen) } else { known };
        let history = self.history(location, newest);
        let end = history.len() as u32;
        let candidates: Vec<u32> =
            (floor + 1..=end).rev().filter(|&rank| rank == end || !history[rank as usize].update).collect();
        let rank = pick(choose, &candidates);
        self.insert(thread, location, rank, ordering, value, None)
    }

    /// Reads a message and, if `new` of its value is something, writes that directly after it. Returns the value read
    /// and the newest value of the location after that.
    pub(super) fn update(
        &mut self,
        thread: ThreadId,
        location: Location,
        ordering: Ordering,
        newest: Slot,
        new: &mut dyn FnMut(Slot) -> Option<Slot>,
        choose: &mut Choose<'_>,
    ) -> (Slot, Slot) {
        if self.is_alone() {
            return (newest, new(newest).unwrap_or(newest));
        }
        // An update is atomic whatever its ordering, so it reads coherently at least.
        let ordering = ordering.max(Ordering::Opaque);
        let oldest = self.oldest_readable(thread, location, ordering);
        let history = self.history(location, newest);
        let blocked = |rank: u32| history.get(rank as usize + 1).is_some_and(|next| next.update);
        let candidates: Vec<u32> = (oldest..history.len() as u32)
            .rev()
            .filter(|&rank| !blocked(rank) || new(history[rank as usize].value).is_none())
            .collect();
        let rank = pick(choose, &candidates);
        let Message { value: old, view, .. } = history[rank as usize].clone();
        self.learn(thread, location, rank, ordering);
        match new(old) {
            Some(value) => (old, self.insert(thread, location, rank + 1, ordering, value, Some(&view))),
            None => {
                self.collect();
                (old, newest)
            }
        }
    }

    /// The thread leaves a monitor, ends the initialisation of a class, signals …: who acquires later knows all that it
    /// knows.
    pub(super) fn release(&mut self, thread: ThreadId, sync: Sync) {
        let view = self.view(thread).clone();
        self.syncs.entry(sync).or_default().join(&view);
        self.collect();
    }

    /// The thread enters a monitor, finds a class initialised, gets a signal …: it knows what was released.
    pub(super) fn acquire(&mut self, thread: ThreadId, sync: Sync) {
        if let Some(view) = self.syncs.get(&sync).cloned() {
            self.view_mut(thread).join(&view);
            self.collect();
        }
    }

    /// A thread starts another, which knows all that it knows.
    pub(super) fn start(&mut self, parent: ThreadId, child: ThreadId) {
        let view = self.view(parent).clone();
        self.threads.insert(child, view);
    }

    /// A thread ends; who acquires [`Sync::End`] knows all that it knew.
    pub(super) fn end(&mut self, thread: ThreadId) {
        let Some(view) = self.threads.remove(&thread) else { return };
        self.syncs.insert(Sync::End(thread), view);
        self.collect();
    }

    /// Every value in the history of a location, oldest first; none if only the newest is known.
    pub(super) fn values(&self, location: Location) -> impl Iterator<Item = Slot> + '_ {
        self.histories.get(&location).into_iter().flatten().map(|message| message.value)
    }

    /// Drops all messages of a location but the newest, which is all that its accesses can read.
    pub(super) fn forget_old(&mut self, location: Location) {
        let Some(history) = self.histories.get_mut(&location) else { return };
        let old = history.len() - 1;
        history.drain(..old);
        history[0].update = false;
        self.for_each_view(|view| view.forget(location, old as u32));
        self.collect();
    }

    /// Drops all about objects that nobody will ever access again.
    pub(super) fn forget(&mut self, is_gone: &dyn Fn(Ref) -> bool) {
        let is_gone = |location: &Location| match *location {
            Location::Object(object, _) | Location::Element(object, _) => is_gone(object),
            Location::Static(_) => false,
        };
        self.for_each_view(|view| view.retain(|location| !is_gone(location)));
        self.histories.retain(|location, _| !is_gone(location));
        self.syncs.retain(|sync, view| match sync {
            Sync::Final(location) => !is_gone(location) && !view.is_empty(),
            Sync::Monitor(_) | Sync::Class(_) | Sync::Interrupt(_) | Sync::End(_) => !view.is_empty(),
        });
    }

    /// Hashes all of it, with objects renamed by `object` and values by `value`.
    pub(super) fn hash_renamed<H: Hasher>(
        &self,
        object: &dyn Fn(Ref) -> Ref,
        value: &dyn Fn(Location, Slot) -> Slot,
        hasher: &mut H,
    ) {
        let rename = |location| match location {
            Location::Object(of, index) => Location::Object(object(of), index),
            Location::Element(of, index) => Location::Element(object(of), index),
            Location::Static(_) => location,
        };
        let mut histories: Vec<_> =
            self.histories.iter().map(|(&location, history)| (rename(location), location, history)).collect();
        histories.sort_by_key(|&(renamed, ..)| renamed);
        for (renamed, location, history) in histories {
            (renamed, history.len()).hash(hasher);
            for message in history {
                (value(location, message.value), message.update).hash(hasher);
                message.view.renamed(rename).hash(hasher);
            }
        }
        for (thread, view) in &self.threads {
            (thread, view.renamed(rename)).hash(hasher);
        }
        self.volatile.renamed(rename).hash(hasher);
        let mut syncs: Vec<_> = self.syncs.iter().map(|(&sync, view)| (sync.renamed(object, rename), view)).collect();
        syncs.sort_by_key(|&(sync, _)| sync);
        for (sync, view) in syncs {
            (sync, view.renamed(rename)).hash(hasher);
        }
    }

    /// Whether one thread runs, so that there is nothing to choose. What others left is known by now or never.
    fn is_alone(&self) -> bool {
        self.threads.len() == 1 && self.histories.is_empty()
    }

    fn view(&self, thread: ThreadId) -> &View {
        &self.threads[&thread]
    }

    fn view_mut(&mut self, thread: ThreadId) -> &mut View {
        self.threads.get_mut(&thread).expect("only threads that run access memory")
    }

    /// The history of a location, made if all that is known of it is its newest value.
    fn history(&mut self, location: Location, newest: Slot) -> &[Message] {
        let first = || vec![Message { value: newest, view: View::default(), update: false }];
        self.histories.entry(location).or_insert_with(first)
    }

    fn oldest_readable(&self, thread: ThreadId, location: Location, ordering: Ordering) -> u32 {
        let known = self.view(thread).get(location);
        match ordering {
            Ordering::Plain => known.before,
            Ordering::Opaque | Ordering::Acquire | Ordering::Release | Ordering::AcqRel => known.seen,
            Ordering::Volatile => known.seen.max(self.volatile.get(location).seen),
        }
    }

    /// What a thread learns by reading a message. Ranks stay as they are.
    fn learn(&mut self, thread: ThreadId, location: Location, rank: u32, ordering: Ordering) {
        if ordering == Ordering::Plain {
            return;
        }
        let released = acquires(ordering).then(|| self.histories[&location][rank as usize].view.clone());
        let view = self.view_mut(thread);
        view.raise(location, Known { before: 0, seen: rank });
        if let Some(released) = released {
            view.join(&released);
        }
    }

    /// Puts a write into the history; `updated` is the view of the message that it updates.
    fn insert(
        &mut self,
        thread: ThreadId,
        location: Location,
        rank: u32,
        ordering: Ordering,
        value: Slot,
        updated: Option<&View>,
    ) -> Slot {
        self.for_each_view(|view| view.make_room(location, rank));
        let known = Known { before: rank, seen: rank };
        self.view_mut(thread).raise(location, known);
        if ordering == Ordering::Volatile {
            self.volatile.raise(location, known);
        }
        let mut view = if releases(ordering) { self.view(thread).clone() } else { View::default() };
        if let Some(updated) = updated {
            let mut updated = updated.clone();
            updated.make_room(location, rank);
            view.join(&updated);
        }
        let history = self.histories.get_mut(&location).expect("the caller made the history");
        history.insert(rank as usize, Message { value, view, update: updated.is_some() });
        let newest = history.last().map_or(value, |message| message.value);
        self.collect();
        newest
    }

    fn for_each_view(&mut self, mut f: impl FnMut(&mut View)) {
        self.threads.values_mut().for_each(&mut f);
        self.syncs.values_mut().for_each(&mut f);
        self.histories.values_mut().flatten().for_each(|message| f(&mut message.view));
        f(&mut self.volatile);
    }

    /// Drops the messages that no thread can read any more, the knowledge that is no news to any thread, and the
    /// histories that say nothing more than the newest value. So equal situations have equal representations. Threads
    /// to come need none of it: they start with the knowledge of one that runs.
    fn collect(&mut self) {
        let locations: Vec<Location> = self.histories.keys().copied().collect();
        for &location in &locations {
            let unread = self.threads.values().map(|view| view.get(location).before).min().unwrap_or(0);
            if unread > 0 {
                self.for_each_view(|view| view.forget(location, unread));
                let history = self.histories.get_mut(&location).expect("just listed");
                history.drain(..unread as usize);
                history[0].update = false;
            }
        }
        let mut views = self.threads.values();
        let mut common = views.next().cloned().unwrap_or_default();
        views.for_each(|view| common.meet(view));
        self.histories.values_mut().flatten().for_each(|message| message.view.drop_known(&common));
        self.histories.retain(|_, history| history.len() > 1 || !history[0].view.is_empty());
        self.syncs.values_mut().for_each(|view| view.drop_known(&common));
        self.syncs.retain(|_, view| !view.is_empty());
        self.volatile.drop_known(&common);
    }
}
