//! The body of a method: first the types where blocks meet, then the code.
//!
//! Types are found by going through blocks until nothing changes, with the very code that makes instructions, whose
//! results are thrown away then. So there is one place that says what an instruction does. Class files before version 50
//! have no frames, so theirs are not looked at in any version.

use std::collections::BTreeSet;

use r8lite_classfile::{ClassFile, PoolIndex};
use r8lite_ir::{
    Block, Body, Catch, Class, Func, InstData, Module, Op, Origin, Payload, SwitchTable, Target, Type, Value,
};
use smallvec::SmallVec;

use super::Problem;
use super::code::Code;
use super::frame::{Frame, Kind, Slot, Slots, merge};
use super::graph::{Graph, Node, NodeId};
use super::step::{Emitter, Flow};
use crate::names;

/// How large the tables of states get, in slots; and how many arguments edges have.
const MAX_SLOTS: usize = 1 << 22;

/// How often instructions are gone through, on average, until types settle.
const MAX_VISITS: usize = 100;

/// Lifts the code of a method.
pub(crate) fn lift(
    module: &mut Module,
    file: &ClassFile<'_>,
    func: Func,
    code: &r8lite_classfile::Code<'_>,
) -> Result<Body, Problem> {
    let code = Code::read(file, code)?;
    let graph = Graph::new(file, &code)?;
    let throwable = names::class(module, "java/lang/Throwable").map_err(|reason| Problem::new(None, reason))?;
    let mut caught = Vec::new();
    for node in &graph.nodes {
        for &(index, _) in &node.handlers {
            caught.push((index, caught_class(module, file, index)?));
        }
    }
    caught.sort_unstable_by_key(|&(index, _)| index);
    caught.dedup();
    let mut lifter = Lifter {
        code: &code,
        graph: &graph,
        caught,
        throwable,
        exceptions: Vec::new(),
        frame: Frame::new(code.max_locals),
        emitter: Emitter::new(module, file, func),
        func,
        slots: 0,
    };
    lifter.find_exception_types();
    let states = lifter.settle()?;
    lifter.emit(&states)
}

fn caught_class(module: &mut Module, file: &ClassFile<'_>, index: PoolIndex) -> Result<Option<Class>, Problem> {
    if index == PoolIndex::NONE {
        return Ok(None);
    }
    match names::class_constant(module, file, index).map_err(|reason| Problem::new(None, reason))? {
        Type::Class(class) => Ok(Some(class)),
        _ => Err(Problem::new(None, "a handler catches an array type")),
    }
}

struct Lifter<'a, 'f> {
    code: &'a Code,
    graph: &'a Graph,
    /// The classes that handlers catch, by their constants.
    caught: Vec<(PoolIndex, Option<Class>)>,
    throwable: Class,
    /// The type of the exception that each handler gets.
    exceptions: Vec<Option<Type>>,
    frame: Frame,
    emitter: Emitter<'a, 'f>,
    func: Func,
    /// How many slots were set aside.
    slots: usize,
}

impl Lifter<'_, '_> {
    fn node(&self, id: NodeId) -> &Node {
        &self.graph.nodes[id as usize]
    }

    fn caught(&self, index: PoolIndex) -> Option<Class> {
        let found = self.caught.binary_search_by_key(&index, |&(index, _)| index);
        self.caught[found.expect("all were looked up")].1
    }

    fn find_exception_types(&mut self) {
        self.exceptions = vec![None; self.graph.nodes.len()];
        for node in &self.graph.nodes {
            for &(index, handler) in &node.handlers {
                let class = Type::Class(self.caught(index).unwrap_or(self.throwable));
                let known = &mut self.exceptions[handler as usize];
                let joined = known.map_or(class, |known| self.emitter.module.join(known, class));
                // Of classes that are known by name only, no more is known.
                let is_object = joined != class && Some(joined) == object(self.emitter.module);
                *known = Some(if is_object { Type::Class(self.throwable) } else { joined });
            }
        }
    }

    /// Notes that so many slots are needed.
    fn set_aside(&mut self, count: usize) -> Result<(), Problem> {
        self.slots += count;
        if self.slots > MAX_SLOTS {
            return Err(Problem::new(None, "it has too many blocks, local variables and operands"));
        }
        Ok(())
    }

    /// What local variables hold when the method is entered, by the parameters of the method.
    fn parameters(&self) -> Vec<(u16, Type)> {
        let module = &*self.emitter.module;
        let data = &module.funcs[self.func];
        let receiver = (!data.is_static()).then_some(Type::Class(data.class));
        let params = receiver.into_iter().chain(module.sig(data.sig).params.iter().map(|ty| ty.value_type()));
        let mut local = 0u16;
        let mut found = Vec::new();
        for ty in params {
            found.push((local, ty));
            local = local.saturating_add(if is_wide(ty) { 2 } else { 1 });
        }
        found
    }

    /// Finds what is known at the entry of each block.
    fn settle(&mut self) -> Result<Vec<Slots<Kind>>, Problem> {
        self.emitter.dry = true;
        let graph = self.graph;
        let mut states: Vec<Option<Slots<Kind>>> = vec![None; graph.nodes.len()];
        let params = self.parameters();
        if params.last().is_some_and(|&(local, ty)| {
            usize::from(local) + if is_wide(ty) { 2 } else { 1 } > usize::from(self.code.max_locals)
        }) {
            return Err(Problem::new(None, "its parameters do not fit its local variables"));
        }
        let kind_of = |local: u16| {
            let found = params.binary_search_by_key(&local, |&(local, _)| local);
            found.map_or(Kind::Unusable, |index| Kind::Value(params[index].1))
        };
        let locals: Vec<Kind> = graph.nodes[0].live.iter().map(|&local| kind_of(local)).collect();
        self.set_aside(locals.len())?;
        states[0] = Some(Slots { stack: Vec::new(), locals });
        let mut work = BTreeSet::from([0]);
        let mut budget = self.code.insns.len().max(1000) * MAX_VISITS;
        while let Some(id) = work.pop_first() {
            let node = &graph.nodes[id as usize];
            budget = budget.saturating_sub((node.end - node.first) as usize);
            if budget == 0 {
                return Err(Problem::new(None, "its types do not settle"));
            }
            // Values are but types here.
            self.emitter.body = Body::default();
            let state = states[id as usize].clone().expect("what is to be done was reached");
            self.frame.clear();
            for &kind in &state.stack {
                let slot = self.imagined(kind);
                self.frame.stack.push(slot);
            }
            for (&local, &kind) in node.live.iter().zip(&state.locals) {
                let slot = self.imagined(kind);
                self.frame.set_local(local, slot);
            }
            for &(_, handler) in &node.handlers {
                let ty = self.exceptions[handler as usize].expect("it is known of every handler");
                let mut found = self.kinds(&self.graph.nodes[handler as usize].live);
                found.stack = vec![Kind::Value(ty)];
                if self.flow(&mut states, handler, found)? {
                    work.insert(handler);
                }
            }
            self.run(node)?;
            for &target in &node.targets {
                let found = self.kinds(&self.graph.nodes[target as usize].live);
                if self.flow(&mut states, target, found)? {
                    work.insert(target);
                }
            }
        }
        Ok(states.into_iter().map(|state| state.expect("every node can be reached")).collect())
    }

    fn imagined(&mut self, kind: Kind) -> Slot {
        match kind {
            Kind::Unusable => Slot::Unusable,
            Kind::Return(to) => Slot::Return(to),
            Kind::Value(ty) => Slot::Value(self.emitter.imagine(ty)),
        }
    }

    fn kind(&self, slot: Slot) -> Kind {
        match slot {
            Slot::Unusable => Kind::Unusable,
            Slot::Return(to) => Kind::Return(to),
            Slot::Value(value) => Kind::Value(self.emitter.body.values[value].ty),
        }
    }

    fn kinds(&self, live: &[u16]) -> Slots<Kind> {
        let locals = live.iter().map(|&local| self.kind(self.frame.local(local))).collect();
        Slots { stack: self.frame.stack.iter().map(|&slot| self.kind(slot)).collect(), locals }
    }

    /// Adds what is known on one way to a block. Whether that changes anything.
    fn flow(&mut self, states: &mut [Option<Slots<Kind>>], to: NodeId, found: Slots<Kind>) -> Result<bool, Problem> {
        let Some(known) = &mut states[to as usize] else {
            self.set_aside(found.stack.len() + found.locals.len())?;
            states[to as usize] = Some(found);
            return Ok(true);
        };
        if known.stack.len() != found.stack.len() {
            let offset = self.code.offset(self.node(to).first);
            return Err(Problem::new(Some(offset), "the stack is not equally high on all ways to here"));
        }
        let mut changed = false;
        let pairs = known.stack.iter_mut().zip(&found.stack).chain(known.locals.iter_mut().zip(&found.locals));
        for (known, &found) in pairs {
            let merged = merge(self.emitter.module, *known, found);
            changed |= merged != *known;
            *known = merged;
        }
        Ok(changed)
    }

    /// Goes through a block.
    fn run(&mut self, node: &Node) -> Result<Flow, Problem> {
        for number in node.first..node.end {
            let located = &self.code.insns[number as usize];
            self.emitter.origin = Origin { line: self.code.line(located.offset), pos: located.offset };
            let flow = self.emitter.step(&mut self.frame, &located.insn, number);
            let flow = flow.map_err(|reason| Problem::new(Some(located.offset), reason))?;
            if self.frame.stack.len() > usize::from(self.code.max_stack) {
                return Err(Problem::new(Some(located.offset), "the stack is higher than the method says"));
            }
            match flow {
                Flow::Next => {}
                Flow::Ret(to) => {
                    if self.graph.returns_to(node.context) != Some(to) {
                        let reason = "a subroutine does not return to its caller";
                        return Err(Problem::new(Some(located.offset), reason));
                    }
                    return Ok(Flow::Goto);
                }
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Goto)
    }

    /// Makes the body.
    fn emit(mut self, states: &[Slots<Kind>]) -> Result<Body, Problem> {
        self.emitter.dry = false;
        self.emitter.body = Body::new();
        let graph = self.graph;
        let entry = self.emitter.body.entry();
        let params: Vec<(u16, Value)> = self
            .parameters()
            .into_iter()
            .map(|(local, ty)| (local, self.emitter.body.add_param(entry, ty, None)))
            .collect();
        if !self.emitter.module.funcs[self.func].is_static() {
            let name = self.emitter.module.symbol("this");
            self.emitter.body.values[params[0].1].name = Some(name);
        }
        // Nothing goes to an entry block, so code that is a loop from its start has one of its own.
        let own_entry = graph.nodes[0].merges;
        let mut blocks: Vec<Block> = Vec::with_capacity(graph.nodes.len());
        for (id, (node, state)) in graph.nodes.iter().zip(states).enumerate() {
            let block = if id == 0 && !own_entry { entry } else { self.emitter.body.add_block(None) };
            blocks.push(block);
            if node.merges {
                for &kind in state.stack.iter().chain(&state.locals) {
                    if let Kind::Value(ty) = kind {
                        self.emitter.body.add_param(block, ty, None);
                    }
                }
            }
        }
        let mut entered: Vec<Option<Slots<Slot>>> = vec![None; graph.nodes.len()];
        self.frame.clear();
        params.iter().for_each(|&(local, value)| self.frame.set_local(local, Slot::Value(value)));
        if own_entry {
            let target = self.target(0, &blocks, states, false)?;
            self.emitter.block = entry;
            self.emitter.end(Op::Jump, Payload::Targets([target].into()), None);
        } else {
            entered[0] = Some(self.frame.take(&graph.nodes[0].live));
        }
        for (id, node) in graph.nodes.iter().enumerate() {
            let block = blocks[id];
            self.emitter.block = block;
            let slots = match node.merges {
                true => merged_slots(&self.emitter.body, block, &states[id]),
                false => entered[id].take().expect("what goes to it alone stands before it"),
            };
            self.frame.clear();
            self.frame.stack = slots.stack;
            for (&local, &slot) in node.live.iter().zip(&slots.locals) {
                self.frame.set_local(local, slot);
            }
            for &(index, handler) in &node.handlers {
                let class = self.caught(index);
                let target = self.target(handler, &blocks, states, true)?;
                self.emitter.body.blocks[block].catches.push(Catch { class, target });
            }
            let flow = self.run(node)?;
            let mut targets: SmallVec<[Target; 2]> = SmallVec::new();
            for &target in &node.targets {
                if !graph.nodes[target as usize].merges && entered[target as usize].is_none() {
                    entered[target as usize] = Some(self.frame.take(&graph.nodes[target as usize].live));
                }
                targets.push(self.target(target, &blocks, states, false)?);
            }
            match flow {
                Flow::Leave => {}
                Flow::Branch { condition, when } => {
                    if !when {
                        targets.reverse();
                    }
                    self.emitter.end(Op::Branch, Payload::Targets(targets.into_vec().into()), Some(condition));
                }
                Flow::Switch { value, keys } => {
                    let table = SwitchTable { keys, targets: targets.into_vec() };
                    self.emitter.end(Op::Switch, Payload::Switch(Box::new(table)), Some(value));
                }
                Flow::Next | Flow::Goto | Flow::Ret(_) => {
                    self.emitter.end(Op::Jump, Payload::Targets(targets.into_vec().into()), None);
                }
            }
        }
        Ok(self.emitter.body)
    }

    /// The way to a block, with what it needs of the frame; a handler gets its stack from elsewhere.
    fn target(
        &mut self,
        to: NodeId,
        blocks: &[Block],
        states: &[Slots<Kind>],
        is_handler: bool,
    ) -> Result<Target, Problem> {
        let node = self.node(to);
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        if node.merges {
            let state = &states[to as usize];
            let stack = self.frame.stack.iter().copied().zip(&state.stack).filter(|_| !is_handler);
            let locals = node.live.iter().map(|&local| self.frame.local(local)).zip(&state.locals);
            for (slot, kind) in stack.chain(locals) {
                if let (Slot::Value(value), Kind::Value(_)) = (slot, kind) {
                    args.push(value);
                }
            }
            self.set_aside(args.len())?;
        }
        Ok(Target { block: blocks[to as usize], args })
    }
}

/// The slots at the entry of a block that has parameters.
fn merged_slots(body: &Body, block: Block, state: &Slots<Kind>) -> Slots<Slot> {
    let mut params = body.blocks[block].params.iter();
    let mut slot = |&kind: &Kind| match kind {
        Kind::Unusable => Slot::Unusable,
        Kind::Return(to) => Slot::Return(to),
        Kind::Value(_) => Slot::Value(*params.next().expect("there is one for each value")),
    };
    Slots { stack: state.stack.iter().map(&mut slot).collect(), locals: state.locals.iter().map(&mut slot).collect() }
}

fn object(module: &Module) -> Option<Type> {
    module.find_class("java.lang.Object").map(Type::Class)
}

pub(crate) fn is_wide(ty: Type) -> bool {
    matches!(ty, Type::I64 | Type::F64)
}

impl Emitter<'_, '_> {
    /// Ends the block.
    fn end(&mut self, op: Op, payload: Payload, arg: Option<Value>) {
        let data = InstData::new(op, payload, arg, self.origin);
        let inst = self.body.make_inst(self.module, data, None);
        self.body.blocks[self.block].insts.push(inst);
    }
}
