//! What a thread, a message or a lock knows of each location's history.
//!
//! A view names messages by their rank: the position in the history of their location, counted from the oldest that
//! anyone can still read. So equal situations have equal views, whatever led to them, and a state can be hashed as it
//! stands. Whoever changes a history moves the ranks of all views along ([`View::make_room`], [`View::forget`]).

use crate::interp::heap::Location;

/// What is known of one location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Known {
    /// The newest message that happens before: nobody who knows it reads an older one.
    pub(super) before: u32,
    /// The newest message known to exist, at least `before`: coherent reads go back no further, plain ones may.
    pub(super) seen: u32,
}

/// What is known of all locations. Those not listed are known by their oldest message only.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct View(Vec<(Location, Known)>);

impl View {
    /// What is known of a location.
    pub(super) fn get(&self, location: Location) -> Known {
        match self.0.binary_search_by_key(&location, |entry| entry.0) {
            Ok(index) => self.0[index].1,
            Err(_) => Known::default(),
        }
    }

    /// Adds knowledge of one location.
    pub(super) fn raise(&mut self, location: Location, known: Known) {
        if known == Known::default() {
            return;
        }
        match self.0.binary_search_by_key(&location, |entry| entry.0) {
            Ok(index) => {
                let mine = &mut self.0[index].1;
                mine.before = mine.before.max(known.before);
                mine.seen = mine.seen.max(known.seen);
            }
            Err(index) => self.0.insert(index, (location, known)),
        }
    }

    /// Adds all that `other` knows.
    pub(super) fn join(&mut self, other: &View) {
        for &(location, known) in &other.0 {
            self.raise(location, known);
        }
    }

    /// Keeps only what `other` knows as well.
    pub(super) fn meet(&mut self, other: &View) {
        for (location, known) in &mut self.0 {
            let theirs = other.get(*location);
            *known = Known { before: known.before.min(theirs.before), seen: known.seen.min(theirs.seen) };
        }
        self.0.retain(|&(_, known)| known != Known::default());
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops what `other` knows as well.
    pub(super) fn drop_known(&mut self, other: &View) {
        self.0.retain(|&(location, known)| {
            let theirs = other.get(location);
            known.before > theirs.before || known.seen > theirs.seen
        });
    }

    /// Keeps only what is known of these locations.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&Location) -> bool) {
        self.0.retain(|(location, _)| keep(location));
    }

    /// The same with other names for the locations.
    pub(super) fn renamed(&self, rename: impl Fn(Location) -> Location) -> View {
        let mut entries: Vec<_> = self.0.iter().map(|&(location, known)| (rename(location), known)).collect();
        entries.sort_by_key(|&(location, _)| location);
        View(entries)
    }

    /// A message gets this rank: those from there on move up.
    pub(super) fn make_room(&mut self, location: Location, rank: u32) {
        if let Ok(index) = self.0.binary_search_by_key(&location, |entry| entry.0) {
            let known = &mut self.0[index].1;
            known.before += u32::from(known.before >= rank);
            known.seen += u32::from(known.seen >= rank);
        }
    }

    /// The oldest `count` messages of a location are dropped.
    pub(super) fn forget(&mut self, location: Location, count: u32) {
        if let Ok(index) = self.0.binary_search_by_key(&location, |entry| entry.0) {
            let known = &mut self.0[index].1;
            known.before = known.before.saturating_sub(count);
            known.seen = known.seen.saturating_sub(count);
            if *known == Known::default() {
                self.0.remove(index);
            }
        }
    }
}
