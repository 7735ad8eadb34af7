//! Which classes of a program may matter to its updaters, and their lifting.
//!
//! 1. Those whose constant pool mentions an updater class. If there are none, nothing else is looked at.
//! 2. If some class of the program looks up fields by name: those that do, and those with the name of an updater as a
//!    string.
//! 3. What these need to be understood is found by name while they are lifted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use r8lite_classfile::jar::Unpacker;
use r8lite_classfile::{Member, Names, mentions, read, spells};
use r8lite_ir::ClassOrigin;
use rustc_hash::FxHashSet;

use super::container::Holding;
use super::{Declared, Program};
use crate::lift::{LOOKUPS, UPDATERS, is_updater_descriptor, lift_from};
use crate::{Found, Input, Lifted, Methods, Options, Refused, Sources, parallel};

/// How many files a thread takes at a time.
const BATCH: usize = 64;

/// How many bytes of classes are kept that may be looked at a second time. It is the small program whose time counts most.
const MAX_REMEMBERED: usize = 16 << 20;

/// How many versions of Java are told apart, besides that for all that know none. Classes of jars with more are ambiguous.
const MAX_VERSIONS: usize = 8;

/// A program, lifted as far as its updaters ask for.
#[derive(Debug)]
#[non_exhaustive]
pub struct LiftedProgram<'p> {
    /// The program as different versions of Java see it, oldest first; there is at least one.
    pub views: Vec<View<'p>>,
    /// What is left as it is, with the reasons: jars and classes.
    pub refused: Vec<Refused>,
}

/// A program as it is for Java from a version on: with the classes of multi-release jars for that version.
#[derive(Debug)]
#[non_exhaustive]
pub struct View<'p> {
    /// The version; 0 for Java that knows no versions.
    pub version: u32,
    /// The classes that were chosen, which are the program for [`apply`](crate::apply()).
    pub inputs: Vec<Input<'p>>,
    /// What they were lifted to.
    pub lifted: Lifted,
    /// The files of each input.
    pub(super) files: Vec<&'p [u32]>,
    /// Whether each input is in no earlier view.
    pub(super) own: Vec<bool>,
}

impl<'a> Program<'a> {
    /// Lifts what the plan for field updaters looks at.
    pub fn lift<'p>(&'p self, classpath: &'p Program<'_>) -> LiftedProgram<'p> {
        let mentioning = self.select(|unpacker, file| {
            let mentions = self.mentions(file, &UPDATERS, unpacker);
            match mentions {
                // It is unpacked here, where several threads do that.
                true => self.unpack(file, unpacker),
                false => self.remember(file, unpacker),
            }
            mentions
        });
        let inputs: Vec<Input<'_>> = mentioning.iter().filter_map(|&file| self.input(file)).collect();
        let searching = self.searching(inputs);
        let versions = self.versions(&mentioning);
        let views: Vec<(View<'p>, Vec<Refused>)> = parallel::in_threads(versions.iter(), |&version| {
            self.view(version, &versions, [&mentioning, &searching], classpath)
        });
        let mut program = LiftedProgram { views: Vec::new(), refused: self.refused.clone() };
        let mut seen = FxHashSet::default();
        for (mut view, refused) in views {
            view.own = view.files.iter().map(|files| seen.insert(files[0])).collect();
            program.views.push(view);
            let known = program.refused.len();
            let is_new = |one: &Refused| versions.len() == 1 || !program.refused[..known].contains(one);
            let new: Vec<Refused> = refused.into_iter().filter(is_new).collect();
            program.refused.extend(new);
        }
        program
    }

    /// The versions of Java from which on a class is another one that may matter, after 0.
    fn versions(&self, mentioning: &[u32]) -> Vec<u32> {
        let mut versions = vec![0];
        for &file in mentioning {
            if let Some(Declared::Versions(files)) = self.declared(&self.files[file as usize].name) {
                versions.extend(files.iter().map(|&file| self.files[file as usize].version));
            }
        }
        versions.sort_unstable();
        versions.dedup();
        if versions.len() > 1 + MAX_VERSIONS { vec![0] } else { versions }
    }

    /// Lifts what Java sees from a version on.
    fn view<'p>(
        &'p self,
        version: u32,
        versions: &[u32],
        chosen_files: [&[u32]; 2],
        classpath: &'p Program<'_>,
    ) -> (View<'p>, Vec<Refused>) {
        let mut refused = Vec::new();
        let mut chosen = Chosen::default();
        let [mentioning, searching] = chosen_files;
        chosen.add(self, version, versions, mentioning, &mut refused);
        // That one of these is ambiguous is nothing that its author has to know: it has no updaters.
        chosen.add(self, version, versions, searching, &mut Vec::new());
        let find = |name: &str| {
            let of = |origin| move |input| Found { input, origin };
            let found = self.find_for(name, version, versions).map(of(ClassOrigin::Program));
            found.or_else(|| classpath.find(name).map(of(ClassOrigin::Classpath)))
        };
        let sources = Sources { program: &chosen.inputs, classpath: &[], opaque: &chosen.opaque, find: &find };
        let mut lifted = lift_from(&sources, &Options::of(Methods::Relevant));
        refused.append(&mut lifted.refused);
        (View { version, inputs: chosen.inputs, lifted, files: chosen.files, own: Vec::new() }, refused)
    }

    /// The files of which something holds, in order. Asks from several threads.
    fn select(&self, holds: impl Fn(&mut Unpacker, u32) -> bool + Sync) -> Vec<u32> {
        let batches = self.files.len().div_ceil(BATCH);
        let threads = thread::available_parallelism().map_or(1, |count| count.get()).min(batches);
        let next = AtomicUsize::new(0);
        let work = || {
            let (mut found, mut unpacker) = (Vec::new(), Unpacker::default());
            loop {
                let start = next.fetch_add(1, Ordering::Relaxed) * BATCH;
                if start >= self.files.len() {
                    return found;
                }
                let end = self.files.len().min(start + BATCH);
                found.extend((start as u32..end as u32).filter(|&file| holds(&mut unpacker, file)));
                self.looked_at.fetch_add(end - start, Ordering::Relaxed);
            }
        };
        let mut found = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut found = work();
            for other in others {
                found.append(&mut other.join().expect("looking at classes does not panic"));
            }
            found
        });
        found.sort_unstable();
        found
    }

    /// Whether a class mentions names, or cannot be read: then it is reported.
    fn mentions(&self, file: u32, names: &Names, unpacker: &mut Unpacker) -> bool {
        let found = &self.files[file as usize];
        let container = &self.containers[found.container as usize];
        let mentions = match (&container.holding, self.known(file)) {
            (Holding::Jar(_), Some(known)) => mentions(known, names).ok(),
            (Holding::Jar(jar), None) => jar.class_mentions(found.entry as usize, names, unpacker).ok(),
            (Holding::Class(_) | Holding::Folder(_), _) => {
                mentions(container.lent(found.entry).unwrap_or_default(), names).ok()
            }
        };
        mentions.unwrap_or(true)
    }

    /// What is known of a class in a jar without unpacking it: all of it, or so much that its constant pool is in it.
    fn known(&self, file: u32) -> Option<&[u8]> {
        let found = &self.files[file as usize];
        found.bytes.get().and_then(Option::as_deref).or(found.start.get().map(Vec::as_slice))
    }

    /// Unpacks a class that was just looked at.
    fn unpack(&self, file: u32, unpacker: &mut Unpacker) {
        let found = &self.files[file as usize];
        if let Holding::Jar(jar) = &self.containers[found.container as usize].holding {
            found.bytes.get_or_init(|| jar.class_content(found.entry as usize, unpacker).ok());
        }
    }

    /// Keeps what was unpacked of a class, in case it is looked at again.
    fn remember(&self, file: u32, unpacker: &Unpacker) {
        let found = &self.files[file as usize];
        if let Holding::Jar(jar) = &self.containers[found.container as usize].holding
            && !jar.entries()[found.entry as usize].stored
        {
            let start = unpacker.unpacked();
            if self.remembered.fetch_add(start.len(), Ordering::Relaxed) < MAX_REMEMBERED {
                found.start.get_or_init(|| start.to_vec());
            }
        }
    }

    /// The files besides that may find an updater's field by its name.
    fn searching(&self, inputs: Vec<Input<'_>>) -> Vec<u32> {
        let sought = updater_fields(inputs);
        if sought.is_empty() {
            return Vec::new();
        }
        let lookups = LOOKUPS.map(|name| name.as_bytes().to_vec());
        let both = Names::whole(sought.iter().cloned().chain(lookups.iter().cloned()));
        let (sought, lookups) = (Names::whole(sought), Names::whole(lookups));
        let looks_up = AtomicBool::new(false);
        let found = self.select(|unpacker, file| {
            if !self.mentions(file, &both, unpacker) {
                return false;
            }
            // Most names are of members.
            let found = &self.files[file as usize];
            let container = &self.containers[found.container as usize];
            let unpacked;
            let class = match self.known(file) {
                Some(class) => class,
                None => match container.content(found.entry) {
                    Ok(class) => {
                        unpacked = class;
                        &unpacked
                    }
                    Err(_) => return false,
                },
            };
            let finds = mentions(class, &lookups).unwrap_or(false);
            looks_up.fetch_or(finds, Ordering::Relaxed);
            finds || spells(class, &sought).unwrap_or(false)
        });
        if looks_up.into_inner() { found } else { Vec::new() }
    }
}

/// The names of the fields that hold updaters.
fn updater_fields(inputs: Vec<Input<'_>>) -> FxHashSet<Vec<u8>> {
    let names = parallel::map(inputs, |input| {
        let Ok(class) = read(input.bytes) else { return Vec::new() };
        let is_updater = |field: &&Member<'_>| class.pool.utf8(field.descriptor).is_ok_and(is_updater_descriptor);
        let fields = class.fields.iter().filter(is_updater);
        fields.filter_map(|field| class.pool.utf8(field.name).ok().map(<[u8]>::to_vec)).collect()
    });
    names.into_iter().flatten().collect()
}

/// The files that were chosen, by what they are to the lifter.
#[derive(Default)]
struct Chosen<'p> {
    inputs: Vec<Input<'p>>,
    files: Vec<&'p [u32]>,
    opaque: Vec<Input<'p>>,
    seen: FxHashSet<u32>,
}

impl<'p> Chosen<'p> {
    fn add(
        &mut self,
        program: &'p Program<'_>,
        version: u32,
        versions: &[u32],
        files: &[u32],
        refused: &mut Vec<Refused>,
    ) {
        for &file in files {
            if !self.seen.insert(file) {
                continue;
            }
            let name = &program.files[file as usize].name;
            let same = match program.declared(name).expect("the file is one of them") {
                Declared::Once(all) => {
                    self.seen.extend(all);
                    all
                }
                Declared::Versions(all) if program.are_for(all, versions) => {
                    self.seen.extend(all);
                    let Some(one) = program.of_version(all, version) else { continue };
                    one
                }
                Declared::Versions(all) | Declared::Ambiguous(all) => {
                    self.seen.extend(all);
                    // What a class may do that nobody can unpack is nothing.
                    self.opaque.extend(all.iter().filter_map(|&file| program.input(file)));
                    refused.push(program.refuse(file, ambiguous(program, all)));
                    continue;
                }
            };
            match program.input(same[0]) {
                Some(input) => {
                    self.inputs.push(input);
                    self.files.push(same);
                }
                None => refused.push(program.refuse(same[0], "the entry is broken".to_owned())),
            }
        }
    }
}

/// Why nothing is done with a class that has several files.
fn ambiguous(program: &Program<'_>, files: &[u32]) -> String {
    let versions = files.iter().filter(|&&file| program.files[file as usize].version > 0).count();
    let container = |file: u32| &program.containers[program.files[file as usize].container as usize].name;
    match versions {
        0 => format!("there is another class of this name in {}", container(files[1])),
        _ => "it has versions for too many Java versions under META-INF/versions, or in several jars".to_owned(),
    }
}

impl Program<'_> {
    fn refuse(&self, file: u32, reason: String) -> Refused {
        let file = &self.files[file as usize];
        let input = self.containers[file.container as usize].name.clone();
        Refused { input, class: Some(file.name.replace('/', ".")), method: None, offset: None, reason }
    }
}
