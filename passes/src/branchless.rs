//! Turns small branches that only choose a value into `select`.
//!
//! ```text
//!   c = lt a, b                         c = lt a, b
//!   branch c, less, other               d = gt a, b
//! less:                                 s = select c, -1, d
//!   return -1                     →     return s
//! other:
//!   d = gt a, b
//!   branch d, more, same
//! more:
//!   return 1
//! same:
//!   return 0
//! ```
//!
//! A branch goes if both of its sides end alike, by a jump to one block or by returning, and cost little: each side
//! does at most `MAX_SIDE` cheap things (whole-number arithmetic without division, comparisons, `select`; no calls, no
//! floats), and at most `MAX_SELECTS` values differ. What the sides do is done always then, so it must not throw or be
//! seen: a field may be read if it is not volatile and the object is certainly there where the branch stood, and at
//! most `MAX_LOADS` times; a field that was read just before is not read again. A block that only returns may be
//! shared by many branches. Branches inside go first, so a whole tree of them becomes one row of `select`s.
//!
//! A jump back to a loop's start is no join: the branch that ends an iteration would wait for values it can guess.
//! Exceptions: none come or go. Memory model: an unordered read happens earlier, or gives what the one before gave. So
//! where another thread writes a plain field meanwhile, the outcome in which two reads of it differ may be gone. No
//! outcome is new: the two could always be equal. Compilers for the JVM do the same.
//! Holds before: a verified body. Holds after: the same meaning with fewer blocks.
//! Cost: linear for each round; a round makes what the next one needs, and they are few.

use r8lite_ir::{
    Block, Body, Cfg, Constant, Effect, Flags, Func, Hierarchy, Inst, InstData, Module, Op, Payload, SecondaryMap,
    Symbol, Target, Type, Value,
};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::cleanup::unreachable::{self, passed};
use crate::cleanup::{as_int, count_edges, is_declared_without, is_truth, restore_order, same_value};
use crate::facts::Facts;
use crate::registry::BodyCx;

/// How many things a side of a branch may do.
const MAX_SIDE: usize = 6;

/// How many of them may be reads.
const MAX_LOADS: usize = 2;

/// How many values may differ.
const MAX_SELECTS: usize = 2;

/// How far back an equal read is looked for, and how far up a read may move.
const MAX_LOOK_BACK: usize = 16;

/// Each round joins the blocks that the one before left alone.
const MAX_ROUNDS: usize = 8;

/// Whether no branch of a body chooses between ways that come to the same end.
pub(crate) fn is_idle(body: &Body) -> bool {
    !body.layout.iter().any(|&block| may_convert(body, block))
}

/// Converts the branches of one body; whether it changed.
pub fn clean(cx: &BodyCx<'_>, func: Func, body: &mut Body) -> bool {
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        if !round(cx.module, cx.hierarchy, func, body) {
            break;
        }
        unreachable::tidy(cx.module, body);
        restore_order(body);
        changed = true;
    }
    changed
}

/// Converts what can be converted as things are, innermost branches first.
fn round(module: &Module, hierarchy: &Hierarchy, func: Func, body: &mut Body) -> bool {
    if is_idle(body) {
        return false;
    }
    let cfg = Cfg::new(body);
    let edges = count_edges(body);
    let liftable = liftable_reads(module, hierarchy, func, body, &cfg);
    let used_beyond = used_beyond(body);
    let mut converter = Converter { module, hierarchy, body, cfg: &cfg, edges, used_beyond, liftable };
    let mut changed = false;
    for &block in cfg.rpo().iter().rev() {
        changed |= converter.convert(block);
    }
    changed
}

/// Whether a block ends in a branch whose two sides may come to the same end: a look at the blocks that follow, before
/// anything dearer is worth its while.
fn may_convert(body: &Body, block: Block) -> bool {
    let Some(last) = body.terminator(block) else { return false };
    let data = &body.insts[last];
    if data.op != Op::Branch {
        return false;
    }
    let [yes, no] = [ends(body, data.targets()[0].block), ends(body, data.targets()[1].block)];
    yes.iter().any(|end| no.contains(end))
}

/// Where a side that starts with a block may end: at the block, or where that goes if it is small. None is a return.
fn ends(body: &Body, block: Block) -> SmallVec<[Option<Block>; 4]> {
    let mut ends: SmallVec<[Option<Block>; 4]> = SmallVec::new();
    ends.push(Some(block));
    let mut at = block;
    for _ in 0..2 {
        let Some(last) = body.terminator(at).filter(|_| body.blocks[at].insts.len() <= MAX_LOOK_BACK) else { break };
        match body.insts[last].op {
            Op::Jump => at = body.insts[last].targets()[0].block,
            Op::Return => {
                ends.push(None);
                break;
            }
            _ => break,
        }
        ends.push(Some(at));
    }
    ends
}

/// Blocks with a parameter or a result that another block uses: they cannot be passed over.
fn used_beyond(body: &Body) -> SecondaryMap<Block, bool> {
    let mut defined_in: SecondaryMap<Value, Option<Block>> = SecondaryMap::with_len(body.values.len(), None);
    for &block in &body.layout {
        let data = &body.blocks[block];
        data.params.iter().for_each(|&param| defined_in[param] = Some(block));
        data.insts.iter().filter_map(|&inst| body.insts[inst].result).for_each(|it| defined_in[it] = Some(block));
    }
    let mut beyond = SecondaryMap::with_len(body.blocks.len(), false);
    for &user in &body.layout {
        let mut note = |value: Value| {
            if let Some(block) = defined_in[value].filter(|&block| block != user) {
                beyond[block] = true;
            }
        };
        body.blocks[user].catches.iter().flat_map(|catch| &catch.target.args).for_each(|&arg| note(arg));
        body.blocks[user].insts.iter().for_each(|&inst| body.insts[inst].for_each_use(&mut note));
    }
    beyond
}

struct Converter<'a> {
    module: &'a Module,
    hierarchy: &'a Hierarchy,
    body: &'a mut Body,
    cfg: &'a Cfg,
    /// How many edges lead to a block now.
    edges: SecondaryMap<Block, u32>,
    used_beyond: SecondaryMap<Block, bool>,
    /// For reads, the blocks at whose end they may stand.
    liftable: FxHashMap<Inst, SmallVec<[Block; 4]>>,
}

/// One side of a branch, as seen from where the branch stands.
#[derive(Clone)]
struct Side {
    /// What it does, in order.
    insts: SmallVec<[Inst; 8]>,
    /// Values of it that are at hand already.
    known: SmallVec<[(Value, Value); 4]>,
    exit: Exit,
    /// What it returns is called in the block that returns it.
    result: Option<Symbol>,
}

#[derive(Clone)]
enum Exit {
    Jump(Target),
    Return(Option<Value>),
}

/// How a branch is to be converted.
struct Conversion {
    sides: [Side; 2],
    /// What differs is chosen.
    exit: Exit,
    chosen: SmallVec<[(Value, Value); 4]>,
    /// What is chosen to be returned is called so on both sides.
    result: Option<Symbol>,
}

impl Converter<'_> {
    fn convert(&mut self, block: Block) -> bool {
        let Some(last) = self.body.terminator(block) else { return false };
        let data = &self.body.insts[last];
        if data.op != Op::Branch || self.body.as_const(data.args[0]).is_some() {
            return false;
        }
        let sides = [self.sides(block, &data.targets()[0]), self.sides(block, &data.targets()[1])];
        let mut pairs = sides[0].iter().flat_map(|yes| sides[1].iter().map(move |no| (yes, no)));
        let Some(conversion) = pairs.find_map(|(yes, no)| self.conversion(block, yes, no)) else { return false };
        self.carry_out(block, last, conversion);
        true
    }

    /// The ways to see a side, the simplest first: as the mere edge; as its block and where that goes; and through to
    /// the end, if that is a block which only returns.
    fn sides(&self, block: Block, target: &Target) -> SmallVec<[Side; 3]> {
        let mut sides = SmallVec::new();
        let edge =
            Side { insts: SmallVec::new(), known: SmallVec::new(), exit: Exit::Jump(target.clone()), result: None };
        sides.push(edge.clone());
        if let Some(side) = self.enter(block, edge, target) {
            sides.push(side.clone());
            if let Exit::Jump(next) = side.exit.clone()
                && self.only_returns(next.block)
                && let Some(end) = self.enter(block, side, &next)
            {
                sides.push(end);
            }
        }
        sides
    }

    fn only_returns(&self, block: Block) -> bool {
        let insts = &self.body.blocks[block].insts;
        insts.len() == 1 && self.body.insts[insts[0]].op == Op::Return
    }

    /// A side with what its next block does.
    fn enter(&self, at: Block, mut side: Side, target: &Target) -> Option<Side> {
        let block = target.block;
        let (&last, insts) = self.body.blocks[block].insts.split_last()?;
        if block == at
            || self.used_beyond[block]
            || insts.len() > MAX_LOOK_BACK
            || !insts.is_empty() && self.edges[block] != 1
        {
            return None;
        }
        for &inst in insts {
            if let Some(known) = self.read_before(at, inst) {
                side.known.push((self.body.insts[inst].result?, known));
            } else if self.is_cheap(at, inst) {
                side.insts.push(inst);
            } else {
                return None;
            }
        }
        let loads = side.insts.iter().filter(|&&inst| self.body.insts[inst].op == Op::GetField).count();
        if side.insts.len() > MAX_SIDE || loads > MAX_LOADS {
            return None;
        }
        let value = |value| passed(self.body, target, value);
        let data = &self.body.insts[last];
        side.exit = if data.op == Op::Jump {
            let next = &data.targets()[0];
            Exit::Jump(Target::new(next.block, next.args.iter().map(|&arg| value(arg))))
        } else if data.op == Op::Return {
            side.result = data.args.first().and_then(|&arg| self.body.values[arg].name);
            Exit::Return(data.args.first().map(|&arg| value(arg)))
        } else {
            return None;
        };
        // What the block's own parameters are is known on this edge; a type must not change under a `select`.
        for (&param, &arg) in self.body.blocks[block].params.iter().zip(&target.args) {
            if !insts.is_empty() && self.body.values[param].ty != self.body.values[arg].ty {
                return None;
            }
            side.known.push((param, arg));
        }
        Some(side)
    }

    /// Whether an instruction can be done at the end of `at` though the program would not come to it.
    fn is_cheap(&self, at: Block, inst: Inst) -> bool {
        let data = &self.body.insts[inst];
        let whole = |value: Value| !self.body.values[value].ty.is_float();
        match data.op {
            Op::Add
            | Op::Sub
            | Op::Neg
            | Op::Shl
            | Op::Shr
            | Op::Ushr
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::Cmp
            | Op::Convert
            | Op::Select => data.args.iter().chain(&data.result).all(|&value| whole(value)),
            // A field that is not there would be missed.
            Op::FieldOffset => {
                data.field_symbol().is_some_and(|field| self.hierarchy.resolve_field(self.module, field).is_some())
            }
            Op::GetField => self.liftable.get(&inst).is_some_and(|blocks| blocks.contains(&at)),
            Op::Mul
            | Op::Div
            | Op::Rem
            | Op::Cmpl
            | Op::Cmpg
            | Op::GetStatic
            | Op::PutStatic
            | Op::PutField
            | Op::New
            | Op::NewArray
            | Op::ArrayLength
            | Op::ArrayLoad
            | Op::ArrayStore
            | Op::InstanceOf
            | Op::CheckCast
            | Op::NullCheck
            | Op::Check
            | Op::InitClass
            | Op::MonitorEnter
            | Op::MonitorExit
            | Op::InvokeStatic
            | Op::InvokeVirtual
            | Op::InvokeSpecial
            | Op::InvokeInterface
            | Op::Load
            | Op::Store
            | Op::Cas
            | Op::GetAndSet
            | Op::GetAndAdd
            | Op::GetAndAnd
            | Op::GetAndOr
            | Op::GetAndXor
            | Op::Jump
            | Op::Branch
            | Op::Switch
            | Op::Return
            | Op::Throw => false,
        }
    }

    /// What an equal read in `at` gave, with nothing after it that another thread's writes could be seen through.
    fn read_before(&self, at: Block, inst: Inst) -> Option<Value> {
        let wanted = &self.body.insts[inst];
        if wanted.op != Op::GetField {
            return None;
        }
        for &earlier in self.body.blocks[at].insts.iter().rev().skip(1).take(MAX_LOOK_BACK) {
            let data = &self.body.insts[earlier];
            if data.op == Op::GetField
                && is_declared_without(self.module, self.hierarchy, data.field_symbol()?, Flags::VOLATILE)
            {
                if data.payload == wanted.payload && data.args == wanted.args {
                    return data.result;
                }
            } else if data.op.info().effect != Effect::Pure {
                return None;
            }
        }
        None
    }

    /// How two ways to see the sides are brought together, if they can be.
    fn conversion(&self, block: Block, yes: &Side, no: &Side) -> Option<Conversion> {
        let chosen: SmallVec<[(Value, Value); 4]> = match (&yes.exit, &no.exit) {
            (Exit::Jump(a), Exit::Jump(b)) if a.block == b.block && !self.cfg.dominates(a.block, block) => {
                a.args.iter().copied().zip(b.args.iter().copied()).collect()
            }
            (Exit::Return(a), Exit::Return(b)) => a.iter().copied().zip(b.iter().copied()).collect(),
            _ => return None,
        };
        let differing = chosen.iter().filter(|&&(a, b)| !same_value(self.body, a, b));
        if differing.clone().count() > MAX_SELECTS || !differing.clone().all(|&(a, b)| self.can_select(a, b)) {
            return None;
        }
        let result = yes.result.filter(|_| yes.result == no.result);
        Some(Conversion { sides: [yes.clone(), no.clone()], exit: yes.exit.clone(), chosen, result })
    }

    /// Whether a `select` of the two has the type that both fit.
    fn can_select(&self, a: Value, b: Value) -> bool {
        let (a, b) = (self.body.values[a].ty, self.body.values[b].ty);
        !a.is_float() && (a == b || a == Type::Null || b == Type::Null)
    }

    fn carry_out(&mut self, block: Block, last: Inst, conversion: Conversion) {
        let condition = self.body.insts[last].args[0];
        let origin = self.body.insts[last].origin;
        let left = [0, 1].map(|side| self.body.insts[last].targets()[side].block);
        self.body.blocks[block].insts.pop();
        for side in &conversion.sides {
            for &inst in &side.insts {
                self.body.insts[inst].map_uses(|value| resolve(&side.known, value));
            }
            self.body.blocks[block].insts.extend_from_slice(&side.insts);
        }
        let mut values = SmallVec::new();
        for (yes, no) in conversion.chosen {
            let (yes, no) = (resolve(&conversion.sides[0].known, yes), resolve(&conversion.sides[1].known, no));
            values.push(if same_value(self.body, yes, no) {
                yes
            } else if is_truth(self.body, condition)
                && as_int(self.body, yes) == Some(1)
                && self.body.as_const(no) == Some(Constant::I32(0))
            {
                condition
            } else {
                let select = InstData::new(Op::Select, Payload::None, [condition, yes, no], origin);
                let select = self.body.append(self.module, block, select, conversion.result);
                self.body.insts[select].result.expect("a select has a result")
            });
        }
        let data = &mut self.body.insts[last];
        match conversion.exit {
            Exit::Jump(target) => {
                self.edges[target.block] += 1;
                data.op = Op::Jump;
                data.payload = Payload::Targets([Target { block: target.block, args: values }].into());
                data.args.clear();
            }
            Exit::Return(_) => {
                data.op = Op::Return;
                data.payload = Payload::None;
                data.args = values;
            }
        }
        self.body.blocks[block].insts.push(last);
        // A block whose work was moved has no way in any more.
        for side in left {
            self.leave(side);
        }
    }

    /// Takes one edge to a block away; without any, the block's own edges go too.
    fn leave(&mut self, block: Block) {
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            self.edges[block] -= 1;
            if self.edges[block] == 0
                && let Some(last) = self.body.terminator(block)
            {
                work.extend(self.body.insts[last].targets().iter().map(|target| target.block));
                work.extend(self.body.blocks[block].catches.iter().map(|catch| catch.target.block));
                self.body.blocks[block].insts = smallvec![last];
            }
        }
    }
}

fn resolve(known: &[(Value, Value)], value: Value) -> Value {
    let mut at = value;
    // Each step goes to a block further up.
    for _ in 0..=known.len() {
        match known.iter().find(|&&(from, _)| from == at) {
            Some(&(_, to)) if to != at => at = to,
            _ => break,
        }
    }
    at
}

/// Finds the field reads that may be done at the end of blocks further up: the object is certainly there.
fn liftable_reads(
    module: &Module,
    hierarchy: &Hierarchy,
    func: Func,
    body: &Body,
    cfg: &Cfg,
) -> FxHashMap<Inst, SmallVec<[Block; 4]>> {
    let mut liftable = FxHashMap::default();
    let facts = Facts::new(module, hierarchy, func, body);
    for &block in cfg.rpo() {
        let insts = &body.blocks[block].insts;
        if insts.len() > MAX_LOOK_BACK {
            continue;
        }
        for &inst in insts {
            let data = &body.insts[inst];
            if data.op != Op::GetField
                || !data
                    .field_symbol()
                    .is_some_and(|field| is_declared_without(module, hierarchy, field, Flags::VOLATILE))
            {
                continue;
            }
            let mut blocks = SmallVec::new();
            let mut at = block;
            while let Some(above) = cfg.idom(at)
                && let Some(last) = body.terminator(above)
                && body.insts[last].op == Op::Branch
                && blocks.len() < blocks.inline_size()
            {
                if !facts.is_non_null(data.args[0], last) {
                    break;
                }
                blocks.push(above);
                at = above;
            }
            if !blocks.is_empty() {
                liftable.insert(inst, blocks);
            }
        }
    }
    liftable
}
