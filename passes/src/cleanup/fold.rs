//! Computes what is known while compiling, and simplifies the rest by rules that are exact.
//!
//! ```text
//!   a = add x, 0
//!   b = mul 6, 7                 c = add x, 42
//!   c = add a, b          →      jump yes
//!   t = cmp l, m
//!   u = eq 1, 1
//!   branch u, yes, no
//! ```
//!
//! - Operations on constants, with the interpreter's own arithmetic, so that the two cannot disagree. (NaN is left to
//!   run time, whose bits it has.)
//! - Identities of whole numbers (`x + 0`, `x * 1`, `x ^ x` …), none of floats.
//! - `cmp` that is compared with 0 becomes the comparison itself; a negated comparison the opposite one, where NaN
//!   cannot be.
//! - `select`, `branch` and `switch` whose outcome is known, or is the same either way.
//! - Null tests of new objects and constants; `instanceof` and `checkcast` that the static class decides.
//!
//! Holds before: a verified body. Holds after: the same meaning, with jumps in place of decided branches; what they no
//! longer reach is left to `unreachable`, what nothing uses to `dce`.
//! Cost: one walk in layout order, in which every operand was simplified before its uses.

use r8lite_ir::interp::arith::{convert, evaluate};
use r8lite_ir::interp::slot::{Slot, from_f32, from_f64, from_i32, from_i64, to_f32, to_f64, to_i32, to_i64};
use r8lite_ir::{
    Answer, Body, Constant, Edits, Flags, Func, Hierarchy, Inst, Module, Op, Payload, SecondaryMap, Target, Type,
    Value, ValueDef,
};
use smallvec::{SmallVec, smallvec};

use super::{Pinned, as_int, is_truth, same_value};
use crate::facts::{is_sound, root};
use crate::registry::BodyCx;

/// How often one instruction is rewritten before the walk goes on. Each rule makes it simpler, so this is never met.
const MAX_STEPS: usize = 8;

/// Cleans one body; whether it changed.
pub fn clean(cx: &BodyCx<'_>, _: Func, body: &mut Body) -> bool {
    let (module, hierarchy) = (cx.module, cx.hierarchy);
    let mut folder = Folder {
        module,
        hierarchy,
        body,
        pinned: None,
        stands_for: SecondaryMap::new(),
        aliased: false,
        edits: Edits::new(),
        rewritten: false,
    };
    for index in 0..folder.body.layout.len() {
        let block = folder.body.layout[index];
        for position in 0..folder.body.blocks[block].insts.len() {
            folder.visit(folder.body.blocks[block].insts[position]);
        }
    }
    let Folder { edits, rewritten, .. } = folder;
    let changed = rewritten || !edits.is_empty();
    edits.apply(body);
    changed
}

type Args = SmallVec<[Value; 4]>;

/// What an instruction is, put more simply.
enum Simpler {
    /// Another value.
    Value(Value),
    /// A constant.
    Const(Constant),
    /// Nothing at all.
    Nothing,
    /// Another instruction.
    Inst(Op, Payload, Args),
}

struct Folder<'a> {
    module: &'a Module,
    hierarchy: &'a Hierarchy,
    body: &'a mut Body,
    pinned: Option<Pinned>,
    /// What stands for values so far; never a value that something stands for itself.
    stands_for: SecondaryMap<Value, Option<Value>>,
    /// Whether something does.
    aliased: bool,
    edits: Edits,
    rewritten: bool,
}

impl Folder<'_> {
    fn visit(&mut self, inst: Inst) {
        if self.aliased {
            let stands_for = &self.stands_for;
            self.body.insts[inst].map_uses(|value| stands_for[value].unwrap_or(value));
        }
        for _ in 0..MAX_STEPS {
            let Some(simpler) = self.simplify(inst) else { return };
            let value = match simpler {
                Simpler::Inst(op, payload, args) => {
                    let data = &mut self.body.insts[inst];
                    (data.op, data.payload, data.args) = (op, payload, args);
                    self.rewritten = true;
                    continue;
                }
                Simpler::Nothing => {
                    self.edits.remove(inst);
                    return;
                }
                Simpler::Value(value) => value,
                Simpler::Const(constant) => self.body.constant(self.module, constant),
            };
            let result = self.body.insts[inst].result.expect("what has a value has a result");
            self.edits.remove(inst);
            self.edits.alias(result, value);
            self.stands_for[result] = Some(value);
            self.aliased = true;
            return;
        }
    }

    fn simplify(&mut self, inst: Inst) -> Option<Simpler> {
        let op = self.body.insts[inst].op;
        match op {
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Rem
            | Op::Shl
            | Op::Shr
            | Op::Ushr
            | Op::And
            | Op::Or
            | Op::Xor => self.computed(inst).or_else(|| self.arithmetic(inst)),
            Op::Neg | Op::Cmp | Op::Cmpl | Op::Cmpg => self.computed(inst),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                self.computed(inst).or_else(|| self.comparison(inst))
            }
            Op::Convert => self.conversion(inst),
            Op::Select => self.select(inst),
            Op::Branch => self.branch(inst),
            Op::Switch => self.switch(inst),
            Op::InstanceOf => self.instance_of(inst),
            Op::CheckCast => self.check_cast(inst),
            Op::NullCheck => self.is_made(self.arg(inst, 0)).then_some(Simpler::Nothing),
            Op::Check => as_int(self.body, self.arg(inst, 0)).filter(|&n| n != 0).map(|_| Simpler::Nothing),
            Op::GetStatic
            | Op::PutStatic
            | Op::GetField
            | Op::PutField
            | Op::New
            | Op::NewArray
            | Op::ArrayLength
            | Op::ArrayLoad
            | Op::ArrayStore
            | Op::InitClass
            | Op::MonitorEnter
            | Op::MonitorExit
            | Op::InvokeStatic
            | Op::InvokeVirtual
            | Op::InvokeSpecial
            | Op::InvokeInterface
            | Op::FieldOffset
            | Op::Load
            | Op::Store
            | Op::Cas
            | Op::GetAndSet
            | Op::GetAndAdd
            | Op::GetAndAnd
            | Op::GetAndOr
            | Op::GetAndXor
            | Op::Jump
            | Op::Return
            | Op::Throw => None,
        }
    }

    fn arg(&self, inst: Inst, index: usize) -> Value {
        self.body.insts[inst].args[index]
    }

    fn ty(&self, value: Value) -> Type {
        self.body.values[value].ty
    }

    /// The opcode and operands of the instruction that defines a value.
    fn definition(&self, value: Value) -> Option<(Op, &[Value])> {
        let data = &self.body.insts[self.body.def_inst(value)?];
        Some((data.op, &data.args))
    }

    fn whole(&self, ty: Type, n: i64) -> Simpler {
        Simpler::Const(if ty == Type::I64 { Constant::I64(n) } else { Constant::I32(n as i32) })
    }

    /// The result of an operation on numbers that are constants.
    fn computed(&self, inst: Inst) -> Option<Simpler> {
        let data = &self.body.insts[inst];
        let ty = self.ty(data.args[0]);
        if ty.is_ref() {
            return None;
        }
        let a = slot(self.body.as_const(data.args[0])?)?;
        let b = match data.args.get(1) {
            Some(&b) => slot(self.body.as_const(b)?)?,
            None => 0,
        };
        let result = evaluate(data.op, ty, a, b).ok()??;
        number(self.ty(data.result?), result).map(Simpler::Const)
    }

    /// Identities of whole numbers.
    fn arithmetic(&mut self, inst: Inst) -> Option<Simpler> {
        let data = &self.body.insts[inst];
        let (op, a, b) = (data.op, data.args[0], data.args[1]);
        let ty = self.ty(a);
        if !ty.is_int() {
            return None;
        }
        if a == b && matches!(op, Op::And | Op::Or) {
            return Some(Simpler::Value(a));
        }
        if a == b && matches!(op, Op::Xor | Op::Sub) {
            return Some(self.whole(ty, 0));
        }
        let commutes = matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor);
        let (x, k) = match (as_int(self.body, a), as_int(self.body, b)) {
            (_, Some(k)) => (a, k),
            (Some(k), _) if commutes => (b, k),
            _ => return None,
        };
        let is_shift = matches!(op, Op::Shl | Op::Shr | Op::Ushr);
        // A shift by all bits is one by none.
        let bits = if ty == Type::I64 { 64 } else { 32 };
        let same = match k {
            _ if is_shift => k % bits == 0,
            0 => matches!(op, Op::Add | Op::Sub | Op::Or | Op::Xor),
            1 => matches!(op, Op::Mul | Op::Div),
            -1 => op == Op::And,
            _ => false,
        };
        if same {
            return Some(Simpler::Value(x));
        }
        if matches!((op, k), (Op::Mul | Op::And, 0) | (Op::Rem, 1)) {
            return Some(self.whole(ty, 0));
        }
        (op == Op::Or && k == -1).then(|| self.whole(ty, -1))
    }

    fn comparison(&mut self, inst: Inst) -> Option<Simpler> {
        let data = &self.body.insts[inst];
        let (op, a, b) = (data.op, data.args[0], data.args[1]);
        let truth = |holds: bool| Some(Simpler::Const(Constant::I32(i32::from(holds))));
        let includes_equal = matches!(op, Op::Eq | Op::Le | Op::Ge);
        if same_value(self.body, a, b) && !self.ty(a).is_float() {
            return truth(includes_equal);
        }
        if self.ty(a).is_ref() {
            return if self.are_distinct(a, b) { truth(op == Op::Ne) } else { None };
        }
        if self.body.as_const(b) != Some(Constant::I32(0)) {
            return None;
        }
        if op == Op::Ne && is_truth(self.body, a) {
            return Some(Simpler::Value(a));
        }
        let (inner, operands) = self.definition(a)?;
        let (&x, &y) = (operands.first()?, operands.get(1)?);
        // cmp x, y compared with 0. With NaN, `cmpl` is below and `cmpg` above 0, and the comparison itself is false.
        let direct = inner == Op::Cmp
            || inner == Op::Cmpl && matches!(op, Op::Eq | Op::Ne | Op::Gt | Op::Ge)
            || inner == Op::Cmpg && matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le);
        if direct {
            return Some(Simpler::Inst(op, Payload::None, smallvec![x, y]));
        }
        let opposite = opposite(inner).filter(|_| !self.ty(x).is_float() || matches!(inner, Op::Eq | Op::Ne))?;
        (op == Op::Eq).then(|| Simpler::Inst(opposite, Payload::None, smallvec![x, y]))
    }

    /// Whether two references are certainly not the same.
    fn are_distinct(&self, a: Value, b: Value) -> bool {
        let is_null = |v| self.body.as_const(v) == Some(Constant::Null);
        if is_null(a) || is_null(b) {
            return self.is_made(a) || self.is_made(b);
        }
        // Constants that differ; a class and a string are constants of one sort each.
        match (self.body.as_const(a), self.body.as_const(b)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        }
    }

    /// Whether a reference is not null since it is a new object or a constant.
    fn is_made(&self, value: Value) -> bool {
        let root = root(self.body, value);
        match self.body.values[root].def {
            ValueDef::Const(constant) => matches!(constant, Constant::String(_) | Constant::Class(_)),
            ValueDef::Result(inst) => matches!(self.body.insts[inst].op, Op::New | Op::NewArray),
            ValueDef::Param(..) => false,
        }
    }

    fn conversion(&mut self, inst: Inst) -> Option<Simpler> {
        let data = &self.body.insts[inst];
        let (x, to) = (data.args[0], data.type_symbol()?);
        let from = self.ty(x);
        if let Some(known) = self.body.as_const(x) {
            return number(to.value_type(), convert(from, to, slot(known)?)).map(Simpler::Const);
        }
        if from == to {
            return Some(Simpler::Value(x));
        }
        // Widened and narrowed again.
        match self.definition(x)? {
            (Op::Convert, &[y]) if from == Type::I64 && to == Type::I32 && self.ty(y) == Type::I32 => {
                Some(Simpler::Value(y))
            }
            _ => None,
        }
    }

    fn select(&mut self, inst: Inst) -> Option<Simpler> {
        let &[condition, yes, no] = self.body.insts[inst].args.as_slice() else { return None };
        if let Some(known) = as_int(self.body, condition) {
            let value = if known != 0 { yes } else { no };
            return self.can_stand(inst, value).then_some(Simpler::Value(value));
        }
        if same_value(self.body, yes, no) && self.can_stand(inst, yes) {
            return Some(Simpler::Value(yes));
        }
        if is_truth(self.body, condition) && self.ty(yes) == Type::I32 {
            match (as_int(self.body, yes), as_int(self.body, no)) {
                (Some(1), Some(0)) => return Some(Simpler::Value(condition)),
                (Some(0), Some(1)) => return Some(Simpler::Inst(Op::Eq, Payload::None, smallvec![condition, yes])),
                _ => {}
            }
        }
        let (x, positive) = self.tested(condition)?;
        match positive {
            true => Some(Simpler::Inst(Op::Select, Payload::None, smallvec![x, yes, no])),
            // The type of the result is that of the first arm.
            false if self.ty(yes) == self.ty(no) => {
                Some(Simpler::Inst(Op::Select, Payload::None, smallvec![x, no, yes]))
            }
            false => None,
        }
    }

    fn branch(&mut self, inst: Inst) -> Option<Simpler> {
        let condition = self.arg(inst, 0);
        let [yes, no] = self.body.insts[inst].targets() else { return None };
        let jump =
            |target: &Target| Some(Simpler::Inst(Op::Jump, Payload::Targets([target.clone()].into()), Args::new()));
        if let Some(known) = as_int(self.body, condition) {
            return jump(if known != 0 { yes } else { no });
        }
        if self.is_same_target(yes, no) {
            return jump(yes);
        }
        let (x, positive) = self.tested(condition)?;
        let targets = if positive { [yes.clone(), no.clone()] } else { [no.clone(), yes.clone()] };
        Some(Simpler::Inst(Op::Branch, Payload::Targets(targets.into()), smallvec![x]))
    }

    fn switch(&mut self, inst: Inst) -> Option<Simpler> {
        let data = &self.body.insts[inst];
        let Payload::Switch(table) = &data.payload else { return None };
        let (default, others) = table.targets.split_last()?;
        let target = match self.body.as_const(data.args[0]) {
            Some(Constant::I32(key)) => table.keys.binary_search(&key).map_or(default, |index| &others[index]),
            _ if others.iter().all(|other| self.is_same_target(other, default)) => default,
            _ => return None,
        };
        Some(Simpler::Inst(Op::Jump, Payload::Targets([target.clone()].into()), Args::new()))
    }

    fn is_same_target(&self, a: &Target, b: &Target) -> bool {
        a.block == b.block && a.args.iter().zip(&b.args).all(|(&a, &b)| same_value(self.body, a, b))
    }

    /// What a condition of the form `ne x, 0` or `eq x, 0` tests, and whether it wants it to be not 0.
    fn tested(&self, condition: Value) -> Option<(Value, bool)> {
        match self.definition(condition)? {
            (op @ (Op::Eq | Op::Ne), &[x, zero]) if self.body.as_const(zero) == Some(Constant::I32(0)) => {
                Some((x, op == Op::Ne))
            }
            _ => None,
        }
    }

    fn instance_of(&mut self, inst: Inst) -> Option<Simpler> {
        let value = self.arg(inst, 0);
        let ty = self.body.insts[inst].type_symbol()?;
        let truth = |holds: bool| Some(Simpler::Const(Constant::I32(i32::from(holds))));
        let from = self.ty(value);
        if from == Type::Null {
            return truth(false);
        }
        if !is_sound(self.module, from) {
            return None;
        }
        match self.hierarchy.is_subtype(self.module, from, ty) {
            Answer::Yes if self.is_made(value) => truth(true),
            Answer::Yes => {
                let null = self.body.constant(self.module, Constant::Null);
                Some(Simpler::Inst(Op::Ne, Payload::None, smallvec![value, null]))
            }
            Answer::No if self.excludes(from, ty) => truth(false),
            Answer::No | Answer::Unknown => None,
        }
    }

    /// Whether no instance of class `from` is one of class `ty`, which is not above it. If that class is missing, it is
    /// missed even so.
    fn excludes(&self, from: Type, ty: Type) -> bool {
        let (Type::Class(from), Type::Class(class)) = (from, ty) else { return false };
        if self.module.unknown_class(ty).is_some() {
            return false;
        }
        if self.module.classes[from].flags.has(Flags::FINAL) {
            return true;
        }
        is_sound(self.module, ty) && self.hierarchy.is_subclass(class, from) == Answer::No
    }

    fn check_cast(&mut self, inst: Inst) -> Option<Simpler> {
        let value = self.arg(inst, 0);
        let ty = self.body.insts[inst].type_symbol()?;
        let from = self.ty(value);
        let proven = is_sound(self.module, from) && self.hierarchy.is_subtype(self.module, from, ty) == Answer::Yes;
        (proven && self.can_stand(inst, value)).then_some(Simpler::Value(value))
    }

    /// Whether a value can stand for the result of an instruction, as far as types go.
    fn can_stand(&mut self, inst: Inst, value: Value) -> bool {
        let Some(result) = self.body.insts[inst].result else { return false };
        if self.ty(result) == self.ty(value) {
            return true;
        }
        let pinned = self.pinned.get_or_insert_with(|| Pinned::new(self.body));
        let can = pinned.can_replace(self.body, result, value);
        if can {
            pinned.replaced(result, value);
        }
        can
    }
}

/// The comparison that holds exactly when this one does not, of numbers that are no NaN.
fn opposite(op: Op) -> Option<Op> {
    const PAIRS: [(Op, Op); 3] = [(Op::Eq, Op::Ne), (Op::Lt, Op::Ge), (Op::Gt, Op::Le)];
    PAIRS.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).find(|&(a, _)| a == op).map(|(_, b)| b)
}

/// The bits of a number.
fn slot(constant: Constant) -> Option<Slot> {
    match constant {
        Constant::I32(n) => Some(from_i32(n)),
        Constant::I64(n) => Some(from_i64(n)),
        Constant::F32(bits) => Some(from_f32(f32::from_bits(bits))),
        Constant::F64(bits) => Some(from_f64(f64::from_bits(bits))),
        Constant::Null | Constant::String(_) | Constant::Class(_) => None,
    }
}

/// The number of a value type that has these bits. Not a NaN: its bits are the machine's choice, and can be seen.
fn number(ty: Type, slot: Slot) -> Option<Constant> {
    match ty {
        Type::I32 => Some(Constant::I32(to_i32(slot))),
        Type::I64 => Some(Constant::I64(to_i64(slot))),
        Type::F32 => Some(to_f32(slot)).filter(|n| !n.is_nan()).map(|n| Constant::F32(n.to_bits())),
        Type::F64 => Some(to_f64(slot)).filter(|n| !n.is_nan()).map(|n| Constant::F64(n.to_bits())),
        Type::Bool | Type::I8 | Type::U16 | Type::I16 | Type::Null | Type::Class(_) | Type::Array(_) => None,
    }
}
