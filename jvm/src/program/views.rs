//! Programs of which each version of Java sees another part: those with multi-release jars.
//!
//! Such a program is several, one for each *view*: what Java sees that knows no versions, and what it sees from each
//! version on that the jars have classes for. Each is optimised by itself, so what holds of a program holds of each view.
//! But most files are in several views, and can only become one thing. So the plans of the views are made to agree on
//! them: where they differ in what becomes of a call or an updater, it stays in all views, and the plans are decided again.

use std::collections::{BTreeMap, BTreeSet};

use r8lite_ir::{Class, Entity, Module};
use r8lite_passes::pipeline::PipelineError;
use r8lite_passes::plan::{
    Access, Action, Fixed, Guard, Plan, PlanOptions, Reason, Replacement, Site, UpdaterId, UpdaterPlan, decide,
};

use super::{LiftedProgram, Program, View};
use crate::apply::{Applied, ApplyOptions, apply_but_for, copies, kept_as_it_is, unsafe_class_name};
use crate::{Lifted, parallel};

/// How often the plans are decided again where they do not agree; after that, nothing is changed.
const MAX_ROUNDS: usize = 16;

impl View<'_> {
    /// Whether a class has a file in this view that no earlier view has.
    pub fn owns(&self, class: Class) -> bool {
        self.version == 0 || self.lifted.classes.iter().zip(&self.own).any(|(&other, &own)| own && other == Some(class))
    }
}

impl LiftedProgram<'_> {
    /// Copies methods for callers that pass certain updaters, on the IR, and decides a plan for each view: see
    /// [`Lifted::specialise`]. Where the views do not agree on the copies in files that they share, none are made.
    ///
    /// # Errors
    /// Never, but for a bug.
    pub fn specialise(mut self, options: &PlanOptions) -> Result<(Self, Vec<Plan>), PipelineError> {
        let plans = parallel::in_threads(self.views.iter(), |view| decide(&view.lifted.module, options));
        if plans.iter().all(|plan| plan.copies.is_empty()) {
            return Ok((self, plans));
        }
        let specialised = parallel::in_threads(self.views.iter().zip(&plans), |(view, plan)| {
            view.lifted.clone().specialise_by(plan.clone(), options)
        });
        let (lifted, specialised): (Vec<Lifted>, Vec<Plan>) =
            specialised.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        if !agree_on_copies(&self.views, &lifted) {
            return Ok((self, plans));
        }
        for (view, lifted) in self.views.iter_mut().zip(lifted) {
            view.lifted = lifted;
        }
        Ok((self, specialised))
    }
}

/// Whether files that several views share get the same copies, and the same calls in them lead to copies.
fn agree_on_copies(views: &[View<'_>], lifted: &[Lifted]) -> bool {
    let mut by_file: BTreeMap<u32, Vec<BTreeSet<String>>> = BTreeMap::new();
    for (view, lifted) in views.iter().zip(lifted) {
        let mut edits = copies::edits_by_input(lifted);
        for (input, files) in view.files.iter().enumerate() {
            by_file.entry(files[0]).or_default().push(edits.remove(&(input as u32)).unwrap_or_default());
        }
    }
    by_file.values().all(|edits| edits.iter().all(|other| *other == edits[0]))
}

impl Program<'_> {
    /// Carries out the plans of a lifted program, one for each view. The options need not say which jars classes are in.
    ///
    /// # Panics
    /// There are not as many plans as views.
    pub fn apply(&self, lifted: &LiftedProgram<'_>, plans: Vec<Plan>, options: &ApplyOptions) -> Vec<Applied> {
        assert_eq!(lifted.views.len(), plans.len(), "each view has its plan");
        let mut options = options.clone();
        let is_alone = lifted.views.len() == 1;
        if !is_alone {
            options.unsafe_names = self.unsafe_names(lifted);
        }
        let mut fixed = vec![Fixed::new(); lifted.views.len()];
        let mut plans = plans.into_iter().map(Some).collect::<Vec<_>>();
        for _ in 0..MAX_ROUNDS {
            let mut done = parallel::in_threads(lifted.views.iter().zip(&fixed).zip(plans), |((view, fixed), plan)| {
                let options = ApplyOptions { jars: self.jars(view), ..options.clone() };
                apply_but_for(&view.inputs, &view.lifted, plan, fixed.clone(), &options)
            });
            if is_alone {
                return done;
            }
            let known: usize = fixed.iter().map(Fixed::len).sum();
            if !disagree(lifted, &done, &mut fixed) {
                join_added(&mut done);
                return done;
            }
            if fixed.iter().map(Fixed::len).sum::<usize>() == known {
                break;
            }
            plans = vec![None; done.len()];
        }
        let views = lifted.views.iter().zip(fixed);
        views.map(|(view, fixed)| kept_as_it_is(&view.inputs, &view.lifted, fixed, &options)).collect()
    }

    /// For each input of a view, the number of the jar or folder that it is in.
    pub(super) fn jars(&self, view: &View<'_>) -> Vec<u32> {
        view.files.iter().map(|files| self.files[files[0] as usize].container).collect()
    }

    /// What the classes are called that hold Unsafe: in each view the same.
    fn unsafe_names(&self, lifted: &LiftedProgram<'_>) -> BTreeMap<u32, String> {
        let mut contents: BTreeMap<u32, Vec<Named<'_>>> = BTreeMap::new();
        for view in &lifted.views {
            let inputs = view.inputs.iter().zip(&view.lifted.classes).zip(&view.own).zip(self.jars(view));
            for (((input, class), _), jar) in inputs.filter(|((_, own), _)| **own) {
                contents.entry(jar).or_default().push((input.bytes, *class, view));
            }
        }
        let modules: Vec<&Module> = lifted.views.iter().map(|view| &*view.lifted.module).collect();
        let name = |classes: Vec<Named<'_>>| {
            let named = classes.iter().filter_map(|&(_, class, view)| Some((&*view.lifted.module, class?)));
            unsafe_class_name(classes.iter().map(|&(bytes, ..)| bytes), named, &modules)
        };
        contents.into_iter().map(|(jar, classes)| (jar, name(classes))).collect()
    }
}

/// A class file, and its class in a view.
type Named<'v> = (&'v [u8], Option<Class>, &'v View<'v>);

/// Gives the classes that come in addition what they need for all views.
fn join_added(done: &mut [Applied]) {
    let mut all = BTreeMap::new();
    for class in done.iter().flat_map(|applied| &applied.added) {
        all.entry(class.name.clone()).or_insert_with(|| class.parts.clone()).join(&class.parts);
    }
    for class in done.iter_mut().flat_map(|applied| &mut applied.added) {
        class.bytes = all[&class.name].write().expect("a class of our own is small and in order");
    }
}

/// What is planned in a file, for comparison. What stays as it is has no row.
#[derive(PartialEq)]
enum Row {
    /// A call becomes this, by the updater of this name.
    Replaced(Replacement, String),
    /// An updater gets an offset with this name and these flags, and goes.
    Updater { offset: Option<(String, u16)>, goes: bool },
}

/// Where a row stands in a file: the method or field, and the byte of the code.
type Spot = (bool, u32, u32);

/// By the number of the file in its view and the place in it, what is planned, and the instructions that are to stay if it
/// is not the same in all views.
type Rows = BTreeMap<(u32, Spot), (Row, Vec<Site>)>;

/// Finds where the views do not agree on files that they share, and has it stay there in all of them. Whether there was
/// anything.
fn disagree(lifted: &LiftedProgram<'_>, done: &[Applied], fixed: &mut [Fixed]) -> bool {
    let mut shared: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, view) in lifted.views.iter().enumerate() {
        for (input, files) in view.files.iter().enumerate() {
            shared.entry(files[0]).or_default().push((number, input));
        }
    }
    shared.retain(|_, places| places.len() > 1);
    let rows: Vec<Rows> = lifted.views.iter().zip(done).map(|(view, applied)| rows(view, &applied.plan)).collect();
    let mut found = false;
    for places in shared.values() {
        let of_file = |&(view, input): &(usize, usize)| {
            let input = input as u32;
            rows[view].range((input, (false, 0, 0))..(input + 1, (false, 0, 0))).map(|((_, spot), row)| (*spot, row))
        };
        let spots: BTreeSet<Spot> = places.iter().flat_map(|place| of_file(place).map(|(spot, _)| spot)).collect();
        let at = |&(view, input): &(usize, usize), spot: Spot| rows[view].get(&(input as u32, spot));
        let mut differs = false;
        for spot in spots {
            let mut kinds = places.iter().map(|place| at(place, spot).map(|(row, _)| row));
            let first = kinds.next().flatten();
            if kinds.all(|kind| kind == first) {
                continue;
            }
            differs = true;
            for place in places {
                let sites = at(place, spot).map_or(&[][..], |(_, sites)| sites);
                fixed[place.0].extend(sites.iter().map(|site| (*site, versions_differ())));
            }
        }
        let content = |&(view, input): &(usize, usize)| &done[view].classes[input];
        if !differs && places.iter().any(|place| content(place) != content(&places[0])) {
            differs = true;
            for &(view, input) in places {
                fix_all(&lifted.views[view], input, &done[view].plan, &mut fixed[view]);
            }
        }
        found |= differs;
    }
    found
}

/// What is planned in each file.
fn rows(view: &View<'_>, plan: &Plan) -> Rows {
    let module = &view.lifted.module;
    let mut rows = BTreeMap::new();
    for call in &plan.calls {
        let Some(place) = view.lifted.place(call.site.func) else { continue };
        let row = match &call.action {
            Action::Replace(replacement) => {
                let updater = call.updater.map(|id| plan.updaters[id.index()].field);
                let name = updater.map(|field| {
                    let data = &module.fields[field];
                    format!("{}.{}", module.class_name(data.class), module.name(data.name))
                });
                Row::Replaced(*replacement, name.unwrap_or_default())
            }
            _ => continue,
        };
        let pos = module.funcs[call.site.func].body.as_ref().map_or(0, |body| body.insts[call.site.inst].origin.pos);
        rows.insert((place.input, (false, place.method, pos)), (row, vec![call.site]));
    }
    let changed = |updater: &UpdaterPlan| updater.offset.is_some() || updater.remove;
    for (number, updater) in plan.updaters.iter().enumerate().filter(|(_, updater)| changed(updater)) {
        let class = module.fields[updater.field].class;
        let Some(input) = view.lifted.classes.iter().position(|&other| other == Some(class)) else { continue };
        let field = module.classes[class].fields.iter().position(|&field| field == updater.field).unwrap_or(0);
        let offset = updater.offset.as_ref().map(|offset| (offset.name.clone(), offset.flags.0));
        let row = Row::Updater { offset, goes: updater.remove };
        rows.insert((input as u32, (true, field as u32, 0)), (row, sites(plan, number, updater)));
    }
    rows
}

/// What has to stay so that an updater stays as it is.
fn sites(plan: &Plan, number: usize, updater: &UpdaterPlan) -> Vec<Site> {
    let id = UpdaterId::new(number);
    let needs_offset =
        |replacement: &Replacement| replacement.access == Access::Offset || replacement.guard == Guard::Offset;
    let calls = plan.calls.iter().filter(|call| call.updater == Some(id));
    let mut sites: Vec<Site> = calls
        .filter(|call| matches!(&call.action, Action::Replace(replacement) if needs_offset(replacement)))
        .map(|call| call.site)
        .collect();
    sites.extend(updater.recognised.map(|recognised| recognised.store));
    sites
}

/// Has everything in a file stay.
fn fix_all(view: &View<'_>, input: usize, plan: &Plan, fixed: &mut Fixed) {
    let module = &view.lifted.module;
    let Some(class) = view.lifted.classes[input] else { return };
    for &func in &module.classes[class].methods {
        let Some(body) = &module.funcs[func].body else { continue };
        fixed.extend(body.layout_insts().map(|(_, inst)| (Site { func, inst }, versions_differ())));
    }
    for (number, updater) in plan.updaters.iter().enumerate() {
        if module.fields[updater.field].class == class {
            fixed.extend(sites(plan, number, updater).into_iter().map(|site| (site, versions_differ())));
        }
    }
}

fn versions_differ() -> Reason {
    Reason::new(
        "versions-differ",
        "its class is used with several versions of other classes, for several versions of Java (META-INF/versions), and \
         could not become the same with all of them; have those versions use the same updaters in the same way",
    )
}
