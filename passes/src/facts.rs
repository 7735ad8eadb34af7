//! What is proven about the values of a body at its instructions: not null, null, an instance of a type, a condition
//! that holds.
//!
//! ```text
//! x = getfield Node.next, n      ; from here on n is not null
//! c = instanceof Leaf, x
//! branch c, leaf, other          ; in leaf: x is not null, and a Leaf
//! ```
//!
//! A fact holds at a point if every way from the entry to that point establishes it: by an instruction that completed
//! (`nullcheck`, an access or a call through the value, `check`, `checkcast`), or by the side of a branch that was
//! taken. A block's parameter inherits what all its arguments have in common. `this`, new objects, constants and
//! caught exceptions need no proof, and `checkcast` returns the reference it was given.
//!
//! Values are in SSA form, so nothing ever kills a fact: what establishes it is dominated by the value's definition,
//! and a way round a loop that meets the definition again meets what establishes the fact again, or the fact would not
//! hold on the shortest way either.
//!
//! An exception leaves a block with what held at the block's start. The static type of a value is a proof if it is a
//! class; an interface (or an array of one) proves nothing, since the JVM's verifier lets any reference stand there,
//! and neither does a class that is known by name only, which may be an interface.
//!
//! Cost: linear in the body, times the facts of a body over 64, times the nesting of its loops.

use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use r8lite_ir::{
    Answer, Block, Body, Cfg, Class, ClassOrigin, Constant, Entity, Flags, Func, Hierarchy, Inst, Module, Op,
    SecondaryMap, Target, Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Above this many bits (blocks times facts) only facts that need no flow are known: 16 MiB.
const MAX_BITS: usize = 1 << 27;

/// How far a proof branches out over the arms of `select`s.
const MAX_DEPTH: u32 = 4;

/// How many casts or negations a proof looks through; beyond that it is only less precise.
const MAX_STEPS: usize = 16;

/// Something that may hold from a point on. The values are roots: see [`Facts::root`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Fact {
    NonNull(Value),
    Null(Value),
    /// Null or an instance.
    Is(Value, Type),
    True(Value),
    False(Value),
}

impl Fact {
    fn value(self) -> Value {
        match self {
            Fact::NonNull(v) | Fact::Null(v) | Fact::Is(v, _) | Fact::True(v) | Fact::False(v) => v,
        }
    }
}

/// The facts of one body. All questions are about the point just before an instruction in the body's layout.
pub struct Facts<'a> {
    module: &'a Module,
    hierarchy: &'a Hierarchy,
    body: &'a Body,
    this: Option<Value>,
    cfg: OnceCell<Rc<Cfg>>,
    /// Found when first asked for: many proofs need none of it.
    flow: OnceCell<Flow>,
}

impl<'a> Facts<'a> {
    /// The facts of a body: `func`'s, or what is to become it.
    pub fn new(module: &'a Module, hierarchy: &'a Hierarchy, func: Func, body: &'a Body) -> Self {
        let this =
            if module.funcs[func].is_static() { None } else { body.blocks[body.entry()].params.first().copied() };
        Self { module, hierarchy, body, this, cfg: OnceCell::new(), flow: OnceCell::new() }
    }

    /// The graph of the body.
    pub fn cfg(&self) -> &Rc<Cfg> {
        self.cfg.get_or_init(|| Rc::new(Cfg::new(self.body)))
    }

    /// Whether `value` is certainly not null just before `at`.
    pub fn is_non_null(&self, value: Value, at: Inst) -> bool {
        self.non_null(value, &|fact| self.holds(fact, at), 0)
    }

    /// Whether `value` is certainly null just before `at`.
    pub fn is_null(&self, value: Value, at: Inst) -> bool {
        self.null(value, &|fact| self.holds(fact, at))
    }

    /// Whether `value` is certainly null or an instance of `ty` just before `at`.
    pub fn is_null_or_instance(&self, value: Value, ty: Type, at: Inst) -> bool {
        self.null_or_instance(value, ty, &|fact| self.holds(fact, at), 0)
    }

    /// What the `i32` `value` is as a condition just before `at`, if that is known.
    pub fn condition(&self, value: Value, at: Inst) -> Option<bool> {
        self.known_condition(value, &|fact| self.holds(fact, at))
    }

    /// The class that `value` is an instance of, exactly, where its definition tells; it is not null then.
    pub fn known_class(&self, value: Value) -> Option<Class> {
        let root = self.root(value);
        match self.body.values[root].def {
            ValueDef::Const(Constant::String(_) | Constant::Class(_)) => match self.body.values[root].ty {
                Type::Class(class) => Some(class),
                _ => None,
            },
            ValueDef::Result(inst) if self.body.insts[inst].op == Op::New => self.body.insts[inst].class_symbol(),
            _ => None,
        }
    }

    /// The value that `value` is, whatever casts it went through.
    pub fn root(&self, value: Value) -> Value {
        root(self.body, value)
    }

    fn holds(&self, fact: Fact, at: Inst) -> bool {
        let flow = self.flow.get_or_init(|| Flow::find(self));
        let Some(&number) = flow.numbers.get(&fact) else { return false };
        let Some((block, position)) = self.cfg().place(at) else { return false };
        flow.at_start.get(block, number) || flow.first.get(&(block, number)).is_some_and(|&first| first < position)
    }

    fn non_null(&self, value: Value, holds: &dyn Fn(Fact) -> bool, depth: u32) -> bool {
        let root = self.root(value);
        if self.is_never_null(root) || holds(Fact::NonNull(root)) {
            return true;
        }
        match self.select_arms(root) {
            Some(arms) if depth < MAX_DEPTH => arms.into_iter().all(|arm| self.non_null(arm, holds, depth + 1)),
            _ => false,
        }
    }

    fn null(&self, value: Value, holds: &dyn Fn(Fact) -> bool) -> bool {
        let root = self.root(value);
        self.body.as_const(root) == Some(Constant::Null) || holds(Fact::Null(root))
    }

    fn null_or_instance(&self, value: Value, ty: Type, holds: &dyn Fn(Fact) -> bool, depth: u32) -> bool {
        // Each cast on the way back to the root is a proof of its own, interfaces included.
        let mut at = value;
        for _ in 0..=MAX_STEPS {
            if self.type_proves(self.body.values[at].ty, ty) {
                return true;
            }
            match self.body.def_inst(at).map(|inst| &self.body.insts[inst]) {
                Some(data) if data.op == Op::CheckCast => {
                    if data.type_symbol().is_some_and(|cast| self.is_subtype(cast, ty)) {
                        return true;
                    }
                    at = data.args[0];
                }
                _ => break,
            }
        }
        if self.null(at, holds)
            || holds(Fact::Is(at, ty))
            || self.allocated_type(at).is_some_and(|exact| self.is_subtype(exact, ty))
        {
            return true;
        }
        match self.select_arms(at) {
            Some(arms) if depth < MAX_DEPTH => {
                arms.into_iter().all(|arm| self.null_or_instance(arm, ty, holds, depth + 1))
            }
            _ => false,
        }
    }

    fn is_subtype(&self, sub: Type, sup: Type) -> bool {
        sub == sup || self.hierarchy.is_subtype(self.module, sub, sup) == Answer::Yes
    }

    /// Whether a value of static type `from` is certainly null or an instance of `to`.
    fn type_proves(&self, from: Type, to: Type) -> bool {
        is_sound(self.module, from) && self.is_subtype(from, to)
    }

    /// The type that an allocation makes; an array of an interface's is a proof, unlike its static type.
    fn allocated_type(&self, value: Value) -> Option<Type> {
        let data = &self.body.insts[self.body.def_inst(value)?];
        (data.op == Op::NewArray).then(|| data.type_symbol()).flatten()
    }

    fn known_condition(&self, value: Value, holds: &dyn Fn(Fact) -> bool) -> Option<bool> {
        let (condition, positive) = stripped(self.body, value);
        match self.body.as_const(condition) {
            Some(Constant::I32(n)) => Some((n != 0) == positive),
            _ if holds(Fact::True(condition)) => Some(positive),
            _ if holds(Fact::False(condition)) => Some(!positive),
            _ => None,
        }
    }

    /// Whether what a fact says of a parameter is so for an argument.
    fn proves(&self, arg: Value, fact: Fact, holds: &dyn Fn(Fact) -> bool) -> bool {
        match fact {
            Fact::NonNull(_) => self.non_null(arg, holds, 0),
            Fact::Null(_) => self.null(arg, holds),
            Fact::Is(_, ty) => self.null_or_instance(arg, ty, holds, 0),
            Fact::True(_) => self.known_condition(arg, holds) == Some(true),
            Fact::False(_) => self.known_condition(arg, holds) == Some(false),
        }
    }

    /// What follows from a condition being true or false.
    fn implied(&self, condition: Value, holds: bool, tests: &SecondaryMap<Value, u8>, out: &mut Vec<Fact>) {
        let (condition, positive) = stripped(self.body, condition);
        let holds = holds == positive;
        if tests[condition] > 1 {
            out.push(if holds { Fact::True(condition) } else { Fact::False(condition) });
        }
        let Some(inst) = self.body.def_inst(condition) else { return };
        let data = &self.body.insts[inst];
        if data.op == Op::InstanceOf && holds {
            let value = self.root(data.args[0]);
            out.push(Fact::NonNull(value));
            out.extend(data.type_symbol().map(|ty| Fact::Is(value, ty)));
        } else if matches!(data.op, Op::Eq | Op::Ne) {
            let is_null = |v: Value| self.body.as_const(v) == Some(Constant::Null);
            let value = match (data.args[0], data.args[1]) {
                (value, null) | (null, value) if is_null(null) => self.root(value),
                _ => return,
            };
            out.push(if holds == (data.op == Op::Eq) { Fact::Null(value) } else { Fact::NonNull(value) });
        }
    }

    fn select_arms(&self, value: Value) -> Option<[Value; 2]> {
        let data = &self.body.insts[self.body.def_inst(value)?];
        (data.op == Op::Select).then(|| [data.args[1], data.args[2]])
    }

    /// Whether a root needs no proof.
    fn is_never_null(&self, root: Value) -> bool {
        if self.this == Some(root) {
            return true;
        }
        match self.body.values[root].def {
            ValueDef::Const(Constant::String(_) | Constant::Class(_)) => true,
            ValueDef::Const(_) => false,
            ValueDef::Result(inst) => matches!(self.body.insts[inst].op, Op::New | Op::NewArray),
            ValueDef::Param(..) => false,
        }
    }
}

/// Whether values of this static type are certainly null or instances of it.
///
/// Interfaces are not checked by the JVM's verifier, nor are arrays of them; a class known by name only may be one.
pub fn is_sound(module: &Module, ty: Type) -> bool {
    match ty {
        Type::Class(class) => {
            let data = &module.classes[class];
            !matches!(data.origin, ClassOrigin::Extern | ClassOrigin::Missing) && !data.flags.has(Flags::INTERFACE)
        }
        Type::Array(array) => is_sound(module, module.array_element(array)),
        Type::Null => true,
        Type::Bool | Type::I8 | Type::U16 | Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64 => true,
    }
}

/// The value that `value` is, whatever casts it went through.
pub fn root(body: &Body, value: Value) -> Value {
    let mut at = value;
    for _ in 0..MAX_STEPS {
        match body.def_inst(at).map(|inst| &body.insts[inst]) {
            Some(data) if data.op == Op::CheckCast => at = data.args[0],
            _ => break,
        }
    }
    at
}

/// A condition without its negations (`eq c, 0`) and `ne c, 0`, and whether an even number was taken off.
fn stripped(body: &Body, value: Value) -> (Value, bool) {
    let (mut at, mut positive) = (value, true);
    for _ in 0..MAX_STEPS {
        let Some(inst) = body.def_inst(at) else { break };
        let data = &body.insts[inst];
        let is_zero = |v: Value| body.as_const(v) == Some(Constant::I32(0));
        if !matches!(data.op, Op::Eq | Op::Ne) || !is_zero(data.args[1]) {
            break;
        }
        positive ^= data.op == Op::Eq;
        at = data.args[0];
    }
    (at, positive)
}

/// The value that an instruction uses such that it is not null when the instruction has completed.
fn dereferenced(body: &Body, inst: Inst) -> Option<Value> {
    let data = &body.insts[inst];
    match data.op {
        Op::GetField
        | Op::PutField
        | Op::ArrayLength
        | Op::ArrayLoad
        | Op::ArrayStore
        | Op::NullCheck
        | Op::MonitorEnter
        | Op::MonitorExit
        | Op::InvokeVirtual
        | Op::InvokeSpecial
        | Op::InvokeInterface => data.args.first().copied(),
        // A null holder ends the program.
        Op::Load
        | Op::Store
        | Op::Cas
        | Op::GetAndSet
        | Op::GetAndAdd
        | Op::GetAndAnd
        | Op::GetAndOr
        | Op::GetAndXor => data.args.first().copied(),
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Rem
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
        | Op::Cmpl
        | Op::Cmpg
        | Op::Convert
        | Op::Select
        | Op::GetStatic
        | Op::PutStatic
        | Op::New
        | Op::NewArray
        | Op::InstanceOf
        | Op::CheckCast
        | Op::Check
        | Op::InitClass
        | Op::InvokeStatic
        | Op::FieldOffset
        | Op::Jump
        | Op::Branch
        | Op::Switch
        | Op::Return
        | Op::Throw => None,
    }
}

/// What holds where, by the instructions and the sides of branches that establish it.
#[derive(Default)]
struct Flow {
    numbers: FxHashMap<Fact, u32>,
    /// The position in a block where a fact is first established.
    first: FxHashMap<(Block, u32), u32>,
    /// For each block a row of bits, one for each fact.
    at_start: Bits,
}

impl Flow {
    fn find(facts: &Facts<'_>) -> Flow {
        let (body, cfg) = (facts.body, facts.cfg());
        let mut flow = Flow::default();
        let sources = flow.collect(facts, cfg);
        let rows = body.blocks.len();
        if sources.facts.is_empty() || rows.saturating_mul(sources.facts.len()) > MAX_BITS {
            return Flow::default();
        }
        let words = sources.facts.len().div_ceil(64);
        flow.at_start = Bits { words, bits: vec![!0; rows * words] };
        flow.at_start.row_mut(body.entry()).fill(0);

        // One block alone has nowhere to let facts flow to.
        if cfg.rpo().len() == 1 {
            return flow;
        }
        let mut dirty = vec![true; rows];
        let mut state = vec![0; words];
        let mut edge = vec![0; words];
        let mut again = true;
        while again {
            again = false;
            for &block in cfg.rpo() {
                if !std::mem::take(&mut dirty[block.index()]) {
                    continue;
                }
                let mut follow = |flow: &mut Self, edge: &mut [u64], target: &Target, skip: usize| {
                    if flow.enter(facts, &sources, edge, target, skip) {
                        dirty[target.block.index()] = true;
                        again = true;
                    }
                };
                state.copy_from_slice(flow.at_start.row(block));
                for catch in &body.blocks[block].catches {
                    edge.copy_from_slice(&state);
                    follow(&mut flow, &mut edge, &catch.target, 1);
                }
                for &number in &sources.blocks[block.index()].established {
                    set(&mut state, number);
                }
                let Some(last) = body.terminator(block) else { continue };
                for (index, target) in body.insts[last].targets().iter().enumerate() {
                    edge.copy_from_slice(&state);
                    // Only a branch, which has two targets, establishes something on its edges.
                    for &number in sources.blocks[block.index()].on_edges.get(index).into_iter().flatten() {
                        set(&mut edge, number);
                    }
                    follow(&mut flow, &mut edge, target, 0);
                }
            }
        }
        flow
    }

    /// Lets the facts of an edge into its target; whether the target lost any. What the edge says of the target's
    /// own parameters is old: they are what the arguments are.
    fn enter(&mut self, facts: &Facts<'_>, sources: &Sources, edge: &mut [u64], target: &Target, skip: usize) -> bool {
        let on_params = &sources.blocks[target.block.index()].on_params;
        if !on_params.is_empty() {
            let known = edge.to_vec();
            let holds = |fact| self.numbers.get(&fact).is_some_and(|&number| is_set(&known, number));
            for &(number, index) in on_params {
                let fact = sources.facts[number as usize];
                let proven = match (index as usize).checked_sub(skip) {
                    None => matches!(fact, Fact::NonNull(_)), // the exception itself
                    Some(arg) => facts.proves(target.args[arg], fact, &holds),
                };
                if proven {
                    set(edge, number);
                } else {
                    clear(edge, number);
                }
            }
        }
        let row = self.at_start.row_mut(target.block);
        let mut lost = false;
        for (have, come) in row.iter_mut().zip(&*edge) {
            lost |= *have & !come != 0;
            *have &= come;
        }
        lost
    }

    /// Finds everything that establishes a fact.
    fn collect(&mut self, facts: &Facts<'_>, cfg: &Cfg) -> Sources {
        let body = facts.body;
        let mut sources = Sources { facts: Vec::new(), blocks: vec![BlockSources::default(); body.blocks.len()] };
        let tests = count_tests(body, cfg);
        let mut found = Vec::new();
        for &block in cfg.rpo() {
            for (position, &inst) in body.blocks[block].insts.iter().enumerate() {
                let data = &body.insts[inst];
                if data.op == Op::CheckCast {
                    found.extend(data.type_symbol().map(|ty| Fact::Is(facts.root(data.args[0]), ty)));
                } else if data.op == Op::Check {
                    facts.implied(data.args[0], true, &tests, &mut found);
                } else if data.op == Op::Branch {
                    for (side, holds) in [true, false].into_iter().enumerate() {
                        facts.implied(data.args[0], holds, &tests, &mut found);
                        let numbers = found.drain(..).map(|fact| self.number(fact, &mut sources.facts));
                        sources.blocks[block.index()].on_edges[side] = numbers.collect();
                    }
                } else if let Some(value) = dereferenced(body, inst).map(|v| facts.root(v))
                    && body.as_const(value).is_none()
                    && !facts.is_never_null(value)
                {
                    found.push(Fact::NonNull(value));
                }
                for fact in found.drain(..) {
                    let number = self.number(fact, &mut sources.facts);
                    if let Entry::Vacant(entry) = self.first.entry((block, number)) {
                        entry.insert(position as u32);
                        sources.blocks[block.index()].established.push(number);
                    }
                }
            }
            // What all arguments of a parameter have in common may be found here alone.
            if block != body.entry() {
                for &param in body.blocks[block].params.iter().filter(|&&p| body.values[p].ty.is_ref()) {
                    self.number(Fact::NonNull(param), &mut sources.facts);
                }
            }
        }
        for (number, fact) in sources.facts.iter().enumerate() {
            if let ValueDef::Param(block, index) = body.values[fact.value()].def
                && block != body.entry()
            {
                sources.blocks[block.index()].on_params.push((number as u32, index));
            }
        }
        sources
    }

    fn number(&mut self, fact: Fact, facts: &mut Vec<Fact>) -> u32 {
        *self.numbers.entry(fact).or_insert_with(|| {
            facts.push(fact);
            facts.len() as u32 - 1
        })
    }
}

/// How often each value decides a branch or a check; what decides one alone is no fact worth a bit.
fn count_tests(body: &Body, cfg: &Cfg) -> SecondaryMap<Value, u8> {
    let mut tests: SecondaryMap<Value, u8> = SecondaryMap::with_len(body.values.len(), 0);
    for &block in cfg.rpo() {
        for &inst in &body.blocks[block].insts {
            let data = &body.insts[inst];
            if matches!(data.op, Op::Branch | Op::Check) {
                let (condition, _) = stripped(body, data.args[0]);
                tests[condition] = tests[condition].saturating_add(1);
            }
        }
    }
    tests
}

/// What establishes facts; each by its number, which is its index in `facts`.
struct Sources {
    facts: Vec<Fact>,
    /// By the block's index.
    blocks: Vec<BlockSources>,
}

#[derive(Clone, Default)]
struct BlockSources {
    /// By its instructions.
    established: SmallVec<[u32; 4]>,
    /// By the sides of its branch.
    on_edges: [SmallVec<[u32; 4]>; 2],
    /// Facts about its parameters, with the parameter's index; the arguments establish them.
    on_params: SmallVec<[(u32, u32); 2]>,
}

/// A row of bits for each block.
#[derive(Default)]
struct Bits {
    words: usize,
    bits: Vec<u64>,
}

impl Bits {
    fn row(&self, block: Block) -> &[u64] {
        &self.bits[block.index() * self.words..][..self.words]
    }
    fn row_mut(&mut self, block: Block) -> &mut [u64] {
        &mut self.bits[block.index() * self.words..][..self.words]
    }
    fn get(&self, block: Block, number: u32) -> bool {
        is_set(self.row(block), number)
    }
}

fn is_set(row: &[u64], number: u32) -> bool {
    row[number as usize / 64] >> (number % 64) & 1 != 0
}

fn set(row: &mut [u64], number: u32) {
    row[number as usize / 64] |= 1 << (number % 64);
}

fn clear(row: &mut [u64], number: u32) {
    row[number as usize / 64] &= !(1 << (number % 64));
}
