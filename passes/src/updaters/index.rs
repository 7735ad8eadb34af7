//! One walk over the program that notes every place the analysis asks about.

use r8lite_ir::{Entity, Field, FieldRef, Func, Hierarchy, MethodRef, Module, Op, SecondaryMap, Symbol};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::api::{Api, ApiMethod};
use crate::bodies::{Bodies, Mentioned};
use crate::plan::{Kind, Operation, Site};

/// A call of an updater method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ApiCall {
    pub(crate) site: Site,
    pub(crate) kind: Kind,
    pub(crate) op: Operation,
}

/// Where updaters are read, written, handed on and called.
pub(crate) struct ProgramIndex {
    /// Fields of the program with an updater's type, in the order of classes and fields.
    pub(crate) updater_fields: Vec<Field>,
    /// Whether a field that is declared or referred to has this name.
    pub(crate) field_names: SecondaryMap<Symbol, bool>,
    /// Calls of updater operations, in the order of classes, methods and layout.
    pub(crate) calls: Vec<ApiCall>,
    /// `getstatic` and `getfield` of updater fields, in that order too.
    pub(crate) reads: Vec<(Site, Field)>,
    /// `putstatic` and `putfield` of each updater field, in that order too.
    writes: SecondaryMap<Field, SmallVec<[Site; 1]>>,
    /// Calls of the program's methods whose signature mentions an updater, by the method they resolve to.
    pub(crate) callers: FxHashMap<Func, Vec<Site>>,
}

impl ProgramIndex {
    pub(crate) fn new(module: &Module, hierarchy: &Hierarchy, api: &Api, bodies: &mut Bodies) -> ProgramIndex {
        let mut index = ProgramIndex {
            updater_fields: Vec::new(),
            field_names: SecondaryMap::new(),
            calls: Vec::new(),
            reads: Vec::new(),
            writes: SecondaryMap::new(),
            callers: FxHashMap::default(),
        };
        let named = (0..module.field_ref_count()).map(|field| module.field_ref(FieldRef::new(field)).name);
        let declared = module.fields.values().map(|field| field.name);
        named.chain(declared).for_each(|name| index.field_names[name] = true);
        for class in module.program_classes() {
            let fields = module.classes[class].fields.iter().copied();
            index.updater_fields.extend(fields.filter(|&field| api.kind_of(module.fields[field].ty).is_some()));
        }
        let fields = updater_fields(module, hierarchy, api);
        let carriers = carriers(module, hierarchy, api);
        for (func, mentions) in bodies.mentions(module) {
            for member in mentions.members {
                let site = Site { func, inst: member.inst };
                match member.what {
                    Mentioned::Field(field) => {
                        let Some(field) = fields[field] else { continue };
                        match member.op {
                            Op::GetStatic | Op::GetField => index.reads.push((site, field)),
                            Op::PutStatic | Op::PutField => index.writes[field].push(site),
                            _ => {}
                        }
                    }
                    Mentioned::Method(method) => {
                        if let Some(ApiMethod::Operation(kind, op)) = api.method(method) {
                            index.calls.push(ApiCall { site, kind, op });
                        } else if let Some(callee) = carriers[method] {
                            index.callers.entry(callee).or_default().push(site);
                        }
                    }
                    Mentioned::Class => {}
                }
            }
        }
        index
    }

    /// The writes of an updater field.
    pub(crate) fn writes(&self, field: Field) -> &[Site] {
        &self.writes[field]
    }

    /// The calls of a method whose signature mentions an updater.
    pub(crate) fn callers(&self, func: Func) -> &[Site] {
        self.callers.get(&func).map_or(&[], Vec::as_slice)
    }
}

/// Which field references name a field of an updater's type.
fn updater_fields(module: &Module, hierarchy: &Hierarchy, api: &Api) -> SecondaryMap<FieldRef, Option<Field>> {
    let mut fields = SecondaryMap::with_len(module.field_ref_count(), None);
    for index in 0..module.field_ref_count() {
        let field = FieldRef::new(index);
        if api.kind_of(module.field_ref(field).ty).is_some() {
            fields[field] = hierarchy.resolve_field(module, field);
        }
    }
    fields
}

/// Which method references name a method of the program that takes or returns an updater.
fn carriers(module: &Module, hierarchy: &Hierarchy, api: &Api) -> SecondaryMap<MethodRef, Option<Func>> {
    let mut methods = SecondaryMap::with_len(module.method_ref_count(), None);
    for index in 0..module.method_ref_count() {
        let method = MethodRef::new(index);
        let sig = module.sig(module.method_ref(method).sig);
        if sig.params.iter().copied().chain(sig.ret).any(|ty| api.kind_of(ty).is_some()) {
            methods[method] = hierarchy.resolve_method(module, method);
        }
    }
    methods
}
