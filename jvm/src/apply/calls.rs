//! What has to be known of a call before it is edited: where it stands, what reads its updater, what the verifier takes
//! its arguments for, and what else has to happen there.

use r8lite_classfile::{Insn, Opcode, descriptor};
use r8lite_ir::{Answer, Class, Flags, Func, Inst, Op, Type};
use r8lite_passes::access;
use r8lite_passes::plan::{Access, CallPlan, Guard, Kind, Operation, Reason, Replacement, Site};

use rustc_hash::FxHashMap;

use super::asm::MemberName;
use super::attempt::{Attempt, ClassEdit, MethodEdit};
use super::forms::Editor;
use super::helper::signature;
use super::place::CallPlace;
use super::stack::Kind as SlotKind;
use super::unsafes::Handle;
use super::{Backend, reasons};

/// The first class-file version with constants for classes, which name the holder of an offset or a handle. Handles take
/// no more: only `invokedynamic` and what has a constant of its own came with a version, not calls of their methods.
const CLASS_CONSTANTS_SINCE: u16 = 49;

/// A call and all that is decided about it.
pub(crate) struct Call {
    pub(crate) site: Site,
    pub(crate) kind: Kind,
    pub(crate) op: Operation,
    pub(crate) replacement: Replacement,
    /// The class that the call stands in.
    pub(crate) from: Class,
    /// The class of the updater.
    pub(crate) owner: Class,
    pub(crate) holder: Type,
    pub(crate) value: Type,
    /// Whether the holder's static type is enough.
    pub(crate) is_typed: bool,
    pub(crate) target: MemberName,
    pub(crate) offset: Option<MemberName>,
    /// The types of the handle, if that is the backend.
    pub(crate) handle: Option<Handle>,
    /// What the read of the updater does besides, if it does anything that has to stay.
    pub(crate) trigger: Trigger,
    pub(crate) is_in_initialiser: bool,
}

/// How a class is initialised where an updater was read.
#[derive(Clone)]
pub(crate) enum Trigger {
    /// Not at all, or by what stays.
    None,
    /// By the instruction that read the updater, which stays.
    Read,
    /// By the read of another field.
    Field(MemberName),
}

impl<'a> Attempt<'a> {
    /// Edits a call that is to be replaced.
    pub(crate) fn edit_call(&mut self, plan: &CallPlan) -> Result<(), Reason> {
        let (input, method) = self.open(plan.site.func)?;
        self.find_readers(plan.site.func);
        let mut call = self.describe(plan)?;
        let updater_goes = plan.updater.is_some_and(|updater| self.updater(updater).0.remove);
        let class = self.classes.get(&input).expect("it was opened");
        let edit = class.methods.get(&method).expect("it was opened");
        let number = edit.flow.number(self.code_offset(call.site)).map_err(|odd| reasons::odd_code(&odd))?;
        if !is_call_of(class, edit, number, &call) {
            return Err(reasons::unexpected());
        }
        let (arguments, _) = signature(call.kind, call.op);
        let (arguments, _) = descriptor::method_slots(&format!("({arguments})V")).map_err(|_| reasons::unexpected())?;
        let place = CallPlace::find(&edit.flow, &class.file.pool, number, arguments.into());
        let mut place = place.ok_or_else(reasons::unexpected)?;
        place.read = place.read.filter(|read| !edit.edits.is_replaced(edit.flow.offset(read.number)));
        let read = place.read.map(|read| edit.flow.offset(read.number));
        let mut drops_read = false;
        if let Some((read, offset)) = place.read.as_mut().zip(read) {
            let leaf = self.leaf(&call, offset);
            let is_accessor = leaf.is_some_and(|leaf| leaf.is_foreign);
            if is_accessor {
                // It may initialise another class first.
                read.is_plain = false;
            }
            if let Some(leaf) = leaf {
                let Some(trigger) = self.call_trigger(&call, leaf.is_read) else {
                    let reason = reasons::no_trigger(self.module.class_name(call.owner));
                    if !updater_goes {
                        return Err(reason);
                    }
                    // Its updater stays instead, and is what can be read.
                    self.failures.fixed.insert(Site { func: call.site.func, inst: leaf.inst }, reason);
                    return Ok(());
                };
                call.trigger = trigger;
            }
            drops_read = leaf.is_some() && !is_accessor;
        }
        let value_fits = self.value_fits(&call, &place.last);
        let holder_fits = self.fits(&place.holder, call.holder);
        let is_handle_call = call.replacement.access == Access::Offset && call.handle.is_some();
        for (ty, fits) in [(call.holder, holder_fits), (call.value, value_fits)] {
            let is_named = is_handle_call || call.replacement.access == Access::Field && !fits;
            if is_named && let Some(class) = access::inaccessible_class(self.module, call.from, ty) {
                return Err(reasons::class_inaccessible(self.module.class_name(class)));
            }
        }
        let value_name = self.constant_name(call.value);
        let yields_class = matches!(call.op, Operation::Get | Operation::GetAndSet)
            && call.kind == Kind::Reference
            && self.is_class(&value_name);
        let is_compare = matches!(call.op, Operation::CompareAndSet | Operation::WeakCompareAndSet);
        let expected_proven = call.kind != Kind::Reference || !is_compare || self.proves(&place.first, call.value);
        let is_tight = self.tight.contains(&call.site.func);
        let class = self.classes.get_mut(&input).expect("it was opened");
        let unsafe_class = self.unsafe_classes.get_mut(&class.jar).expect("each jar with calls has one");
        let mut editor = Editor {
            call: &call,
            place: &place,
            class,
            method,
            unsafe_class,
            value_fits,
            holder_fits,
            yields_class,
            value_name,
            expected_proven,
            is_tight,
            drops_read,
        };
        editor.edit()
    }

    fn describe(&self, plan: &CallPlan) -> Result<Call, Reason> {
        let r8lite_passes::plan::Action::Replace(replacement) = plan.action else { return Err(reasons::unexpected()) };
        let (updater, recognised) = self.updater(plan.updater.ok_or_else(reasons::unexpected)?);
        let body = self.module.funcs[plan.site.func].body.as_ref().ok_or_else(reasons::unexpected)?;
        let holder = Type::Class(recognised.holder);
        let given = body.values[body.insts[plan.site.inst].args[1]].ty;
        let is_typed = self.hierarchy.is_assignable(self.module, given, holder) == Answer::Yes;
        let owner = self.owner(updater);
        let needs_offset = replacement.access == Access::Offset || replacement.guard == Guard::Offset;
        let from = self.module.funcs[plan.site.func].class;
        let version = self.module.classes[owner].version;
        if needs_offset && version < CLASS_CONSTANTS_SINCE {
            return Err(reasons::old_class(self.module.class_name(owner), version, CLASS_CONSTANTS_SINCE));
        }
        let target = self.field_name(recognised.target);
        let handle = (self.options.backend == Backend::VarHandle)
            .then(|| Handle { holder: target.class.clone(), value: target.descriptor.clone() });
        Ok(Call {
            site: plan.site,
            kind: updater.kind,
            op: plan.op,
            replacement,
            from,
            owner,
            holder,
            value: recognised.value,
            is_typed,
            target,
            offset: self.offset_name(updater),
            handle,
            trigger: Trigger::None,
            is_in_initialiser: plan.site.func == recognised.store.func,
        })
    }

    /// Notes which instructions of a method may read an updater.
    fn find_readers(&mut self, func: Func) {
        if self.readers.as_ref().is_some_and(|(of, _)| *of == func) {
            return;
        }
        let mut readers = FxHashMap::default();
        if let Some(body) = &self.module.funcs[func].body {
            for (_, inst) in body.layout_insts() {
                let data = &body.insts[inst];
                if data.op == Op::GetStatic || data.op.is_invoke() {
                    readers.insert(data.origin.pos, inst);
                }
            }
        }
        self.readers = Some((func, readers));
    }

    /// The read of an updater at an offset of the code, if it is one: a `getstatic`, or the call of an accessor.
    fn leaf(&self, call: &Call, offset: u32) -> Option<Leaf> {
        let body = self.module.funcs[call.site.func].body.as_ref()?;
        let (func, readers) = self.readers.as_ref()?;
        let inst = *readers.get(&offset).filter(|_| *func == call.site.func)?;
        let data = &body.insts[inst];
        if data.op == Op::GetStatic {
            return Some(Leaf { inst, is_read: true, is_foreign: false });
        }
        let callee = self.hierarchy.resolve_method(self.module, data.method_symbol()?)?;
        let callee = &self.module.funcs[callee];
        Some(Leaf { inst, is_read: false, is_foreign: data.op != Op::InvokeStatic || callee.class != call.owner })
    }

    /// What has to initialise the updater's class in the place of its read; none if something has to, and nothing can.
    fn call_trigger(&self, call: &Call, is_read: bool) -> Option<Trigger> {
        if call.replacement.guard != Guard::Trigger || self.is_own_static(call.site.func, call.owner) {
            return Some(Trigger::None);
        }
        match is_read {
            true => self.trigger_field(call.from, call.owner).map(Trigger::Field),
            false => Some(Trigger::Read),
        }
    }

    /// Whether a method is static and of a class, so that the class is initialised, or being initialised by this very
    /// thread, whenever it runs.
    pub(crate) fn is_own_static(&self, func: Func, class: Class) -> bool {
        self.module.funcs[func].is_static() && self.module.funcs[func].class == class
    }

    /// A static field of a class that may be read from another, and is there when all is done.
    pub(crate) fn trigger_field(&self, from: Class, class: Class) -> Option<MemberName> {
        let module = self.module;
        if !access::class_accessible(module, from, class) {
            return None;
        }
        let may_read = |flags: Flags| {
            flags.has(Flags::STATIC)
                && !flags.has(Flags::VOLATILE)
                && access::member_accessible(module, from, class, flags)
        };
        let offsets =
            self.updaters_of.get(&class).into_iter().flatten().filter(|updater| {
                updater.offset.as_ref().is_some_and(|offset| may_read(offset.flags.with(Flags::STATIC)))
            });
        let mut offsets = offsets.filter_map(|updater| self.offset_name(updater));
        let mut fields = module.classes[class].fields.iter().copied();
        let field = fields.find(|field| may_read(module.fields[*field].flags) && !self.gone.contains(field));
        offsets.next().or_else(|| field.map(|field| self.field_name(field)))
    }

    /// Whether the verifier takes what is known of a slot for a type.
    fn fits(&self, kind: &SlotKind, ty: Type) -> bool {
        match kind {
            SlotKind::Null => ty.is_ref(),
            SlotKind::Other => !ty.is_ref(),
            SlotKind::Reference(name) if **name == *self.constant_name(ty) => true,
            SlotKind::Reference(name) => {
                let Type::Class(class) = ty else { return false };
                let data = &self.module.classes[class];
                let is_known = !self.hierarchy.is_extern(class);
                let from = self.module.find_class(&name.replace('/', "."));
                is_known && data.flags.has(Flags::INTERFACE)
                    || self.module.class_name(class) == "java.lang.Object"
                    || from.is_some_and(|from| self.hierarchy.is_subclass(from, class) == Answer::Yes)
            }
        }
    }

    /// Whether what is known of a slot proves that it holds null or an instance of a type. Interfaces prove nothing.
    fn proves(&self, kind: &SlotKind, ty: Type) -> bool {
        let is_object = matches!(ty, Type::Class(class) if self.module.class_name(class) == "java.lang.Object");
        match kind {
            SlotKind::Null => true,
            SlotKind::Other => false,
            SlotKind::Reference(name) => is_object || self.is_class(name) && self.fits(kind, ty),
        }
    }

    /// Whether an internal name is that of something known to be a class, and no interface.
    fn is_class(&self, name: &str) -> bool {
        let class = self.module.find_class(&name.replace('/', "."));
        class.is_some_and(|class| {
            !self.hierarchy.is_extern(class) && !self.module.classes[class].flags.has(Flags::INTERFACE)
        })
    }

    fn value_fits(&self, call: &Call, last: &SlotKind) -> bool {
        call.kind != Kind::Reference || call.op.new_value_arg().is_none() || self.fits(last, call.value)
    }
}

/// An instruction that reads an updater.
#[derive(Clone, Copy)]
struct Leaf {
    inst: Inst,
    /// Whether it reads the field itself.
    is_read: bool,
    /// Whether it is the call of an accessor that may do something else before.
    is_foreign: bool,
}

fn is_call_of(class: &ClassEdit<'_>, edit: &MethodEdit, number: u32, call: &Call) -> bool {
    let Insn::Constant(Opcode::Invokevirtual, method) = edit.flow.insn(number) else { return false };
    let (arguments, result) = signature(call.kind, call.op);
    class.file.pool.member_ref(*method).is_ok_and(|method| {
        method.name == call.op.name() && method.descriptor == format!("(Ljava/lang/Object;{arguments}){result}")
    })
}
