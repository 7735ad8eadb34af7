//! The blocks of a method, in reverse postorder, and which local variables they need.
//!
//! A block ends where a branch may go, where an exception range begins or ends, and behind each store of a local
//! variable that a handler needs: handlers of the IR get what was there when the block was entered.
//!
//! Subroutines (`jsr`) are copied: a block is known by its first instruction and the calls that are under way, so each
//! call has a copy of its own. In code that the JVM takes, calls do not nest endlessly.

use r8lite_classfile::{ClassFile, Insn, Opcode, PoolIndex};
use rustc_hash::FxHashMap;

use super::Problem;
use super::code::{Code, LocalUse, local_use, may_throw};

/// The number of a node.
pub(crate) type NodeId = u32;

/// A block of bytecode.
#[derive(Debug)]
pub(crate) struct Node {
    /// The first instruction.
    pub(crate) first: u32,
    /// The first that is not in it.
    pub(crate) end: u32,
    /// The subroutine calls under way.
    pub(crate) context: u32,
    /// Where it goes: for a branch where it is taken, then where it is not; for a switch as the instruction has them.
    pub(crate) targets: Vec<NodeId>,
    /// What exceptions it throws go to, first match wins.
    pub(crate) handlers: Vec<(PoolIndex, NodeId)>,
    /// Whether it gets a state of its own from several places: it is the entry of a handler, or has several
    /// predecessors.
    pub(crate) merges: bool,
    /// Whether an exception may lead to it.
    pub(crate) is_handler: bool,
    /// The local variables that are read before they are written from here on, ascending.
    pub(crate) live: Vec<u16>,
}

/// The nodes that can be reached, in reverse postorder; the first is the entry.
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    contexts: Vec<Context>,
}

/// A subroutine call under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Context {
    /// The calls that it stands in.
    parent: u32,
    /// The instruction that it returns to.
    returns_to: u32,
    depth: u32,
}

/// No subroutine.
pub(crate) const NO_CONTEXT: u32 = 0;

/// How deep subroutine calls nest.
const MAX_DEPTH: u32 = 16;

/// How many instructions the copies of subroutines come to at most.
const MAX_INSNS: usize = 1 << 18;

/// How large the tables of live variables get, in 64-bit words.
const MAX_WORDS: usize = 1 << 22;

/// How many edges to handlers there are at most, and how often a range is looked at for them.
const MAX_HANDLERS: usize = 1 << 20;
const MAX_LOOKS: usize = 1 << 27;

impl Graph {
    /// The graph of a method.
    pub(crate) fn new(file: &ClassFile<'_>, code: &Code) -> Result<Graph, Problem> {
        let mut leaders = leaders(code)?;
        let mut graph = Graph::build(file, code, &leaders)?;
        if graph.nodes.iter().any(|node| !node.handlers.is_empty()) {
            // Now it is known what handlers need.
            for (number, extra) in graph.splits(code).into_iter().enumerate() {
                leaders[number] |= extra;
            }
            graph = Graph::build(file, code, &leaders)?;
        }
        Ok(graph)
    }

    /// Where the subroutine returns to whose call is innermost.
    pub(crate) fn returns_to(&self, context: u32) -> Option<u32> {
        (context != NO_CONTEXT).then(|| self.contexts[context as usize].returns_to)
    }

    fn build(file: &ClassFile<'_>, code: &Code, leaders: &[bool]) -> Result<Graph, Problem> {
        let mut builder = Builder {
            file,
            code,
            leaders,
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            contexts: vec![Context { parent: NO_CONTEXT, returns_to: 0, depth: 0 }],
            context_ids: FxHashMap::default(),
            insns: 0,
            handlers: 0,
            looks: 0,
        };
        builder.node(0, NO_CONTEXT)?;
        let mut next = 0;
        while next < builder.nodes.len() {
            builder.connect(next)?;
            next += 1;
        }
        let Builder { nodes, contexts, .. } = builder;
        let mut graph = Graph { nodes: in_reverse_postorder(nodes), contexts };
        graph.find_merges();
        graph.find_live(code)?;
        Ok(graph)
    }

    fn find_merges(&mut self) {
        const NOBODY: u32 = u32::MAX;
        let mut from = vec![NOBODY; self.nodes.len()];
        let mut merges = vec![false; self.nodes.len()];
        // What comes from outside.
        merges[0] = false;
        from[0] = NOBODY - 1;
        for (id, node) in self.nodes.iter().enumerate() {
            for &target in &node.targets {
                let known = &mut from[target as usize];
                merges[target as usize] |= *known != NOBODY && *known != id as u32;
                *known = id as u32;
            }
            for &(_, handler) in &node.handlers {
                merges[handler as usize] = true;
            }
        }
        self.nodes.iter_mut().zip(merges).for_each(|(node, merges)| node.merges = merges);
        let handlers: Vec<NodeId> = self.nodes.iter().flat_map(|node| &node.handlers).map(|&(_, to)| to).collect();
        handlers.into_iter().for_each(|handler| self.nodes[handler as usize].is_handler = true);
    }

    /// Finds the live variables, backwards until nothing changes.
    fn find_live(&mut self, code: &Code) -> Result<(), Problem> {
        let words = usize::from(code.max_locals).div_ceil(64);
        if self.nodes.len().saturating_mul(words) > MAX_WORDS {
            return Err(Problem::new(None, "it has too many blocks and local variables"));
        }
        let mut live = vec![0u64; self.nodes.len() * words];
        let mut now = vec![0u64; words];
        loop {
            let mut changed = false;
            for (id, node) in self.nodes.iter().enumerate().rev() {
                now.fill(0);
                let add = |now: &mut [u64], from: NodeId, live: &[u64]| {
                    let row = &live[from as usize * words..][..words];
                    now.iter_mut().zip(row).for_each(|(now, more)| *now |= more);
                };
                node.targets.iter().for_each(|&target| add(&mut now, target, &live));
                for insn in code.insns[node.first as usize..node.end as usize].iter().rev() {
                    let mut set = |local: u16, on: bool| {
                        let Some(word) = now.get_mut(usize::from(local) / 64) else { return false };
                        let bit = 1 << (local % 64);
                        *word = if on { *word | bit } else { *word & !bit };
                        usize::from(local) < words * 64 && local < code.max_locals
                    };
                    let inside = match local_use(&insn.insn) {
                        None => true,
                        Some(LocalUse::Load(local) | LocalUse::Both(local)) => set(local, true),
                        Some(LocalUse::Store(local, slots)) => {
                            set(local, false) && (slots == 1 || set(local.saturating_add(1), false))
                        }
                    };
                    if !inside {
                        return Err(Problem::new(Some(insn.offset), "there is no such local variable"));
                    }
                }
                node.handlers.iter().for_each(|&(_, handler)| add(&mut now, handler, &live));
                let row = &mut live[id * words..][..words];
                if *row != now[..] {
                    row.copy_from_slice(&now);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut total = 0;
        for (id, node) in self.nodes.iter_mut().enumerate() {
            let row = &live[id * words..][..words];
            let bits = |(word, &bits): (usize, &u64)| {
                (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| (word * 64 + bit) as u16)
            };
            node.live = row.iter().enumerate().flat_map(bits).collect();
            total += node.live.len();
            if total > MAX_WORDS {
                return Err(Problem::new(None, "it has too many blocks and local variables"));
            }
        }
        Ok(())
    }

    /// Where blocks have to begin because the instruction before stores what a handler needs.
    fn splits(&self, code: &Code) -> Vec<bool> {
        let mut splits = vec![false; code.insns.len()];
        for node in &self.nodes {
            for number in node.first..node.end {
                let stored = match local_use(&code.insns[number as usize].insn) {
                    Some(LocalUse::Both(local)) => (local, 1),
                    Some(LocalUse::Store(local, slots)) => (local, slots),
                    Some(LocalUse::Load(_)) | None => continue,
                };
                let is_live = |handler: &Node| {
                    // A store also ends a wide value in the slot before.
                    (stored.0.saturating_sub(1)..stored.0 + stored.1)
                        .any(|local| handler.live.binary_search(&local).is_ok())
                };
                let needed = node.handlers.iter().any(|&(_, handler)| is_live(&self.nodes[handler as usize]));
                if needed && let Some(split) = splits.get_mut(number as usize + 1) {
                    *split = true;
                }
            }
        }
        splits
    }
}

/// The instructions at which blocks begin.
fn leaders(code: &Code) -> Result<Vec<bool>, Problem> {
    let mut leaders = vec![false; code.insns.len() + 1];
    leaders[0] = true;
    for (number, located) in code.insns.iter().enumerate() {
        match &located.insn {
            Insn::Branch(_, label) => leaders[code.target(*label)? as usize] = true,
            Insn::Switch(switch) => {
                for label in switch.targets() {
                    leaders[code.target(label)? as usize] = true;
                }
            }
            _ => {}
        }
        if ends_block(&located.insn) {
            leaders[number + 1] = true;
        }
    }
    for range in &code.ranges {
        for number in [range.start, range.end, range.handler] {
            leaders[number as usize] = true;
        }
    }
    Ok(leaders)
}

fn ends_block(insn: &Insn) -> bool {
    match insn {
        Insn::Branch(..) | Insn::Switch(_) => true,
        insn => insn.opcode().is_some_and(|opcode| !opcode.falls_through()),
    }
}

struct Builder<'a> {
    file: &'a ClassFile<'a>,
    code: &'a Code,
    leaders: &'a [bool],
    nodes: Vec<Node>,
    ids: FxHashMap<(u32, u32), NodeId>,
    contexts: Vec<Context>,
    context_ids: FxHashMap<(u32, u32), u32>,
    /// How many instructions the nodes have.
    insns: usize,
    /// How many edges to handlers there are.
    handlers: usize,
    /// How often a range was looked at.
    looks: usize,
}

impl Builder<'_> {
    /// The node that begins at an instruction, with calls under way.
    fn node(&mut self, first: u32, context: u32) -> Result<NodeId, Problem> {
        if let Some(&id) = self.ids.get(&(first, context)) {
            return Ok(id);
        }
        let mut end = first + 1;
        while (end as usize) < self.code.insns.len() && !self.leaders[end as usize] {
            end += 1;
        }
        self.insns += (end - first) as usize;
        if self.insns > MAX_INSNS {
            return Err(Problem::new(Some(self.code.offset(first)), "its subroutines are too large to be copied"));
        }
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            first,
            end,
            context,
            targets: Vec::new(),
            handlers: Vec::new(),
            merges: false,
            is_handler: false,
            live: Vec::new(),
        });
        self.ids.insert((first, context), id);
        Ok(id)
    }

    /// Finds where a node goes.
    fn connect(&mut self, id: usize) -> Result<(), Problem> {
        let Node { first, end, context, .. } = self.nodes[id];
        let last = &self.code.insns[end as usize - 1];
        let mut targets = Vec::new();
        match &last.insn {
            Insn::Branch(Opcode::Jsr | Opcode::JsrW, label) => {
                let inner = self.enter(context, end, last.offset)?;
                targets.push(self.node(self.code.target(*label)?, inner)?);
            }
            Insn::Branch(opcode, label) => {
                targets.push(self.node(self.code.target(*label)?, context)?);
                if opcode.falls_through() {
                    targets.push(self.next(end, context)?);
                }
            }
            Insn::Switch(switch) => {
                for label in switch.targets() {
                    targets.push(self.node(self.code.target(label)?, context)?);
                }
            }
            Insn::Local(Opcode::Ret, _) => {
                if context == NO_CONTEXT {
                    return Err(Problem::new(Some(last.offset), "ret outside of a subroutine"));
                }
                let Context { parent, returns_to, .. } = self.contexts[context as usize];
                targets.push(self.next(returns_to, parent)?);
            }
            insn => {
                if insn.opcode().is_none_or(Opcode::falls_through) {
                    targets.push(self.next(end, context)?);
                }
            }
        }
        let mut handlers: Vec<(PoolIndex, NodeId)> = Vec::new();
        self.looks += self.code.ranges.len();
        if self.handlers > MAX_HANDLERS || self.looks > MAX_LOOKS {
            return Err(Problem::new(Some(last.offset), "it has too many handlers"));
        }
        let insns = &self.code.insns[first as usize..end as usize];
        if !self.code.ranges.is_empty() && insns.iter().any(|located| may_throw(self.file, &located.insn)) {
            for range in &self.code.ranges {
                if !(range.start <= first && first < range.end) {
                    continue;
                }
                if handlers.iter().all(|&(caught, _)| caught != range.catch_type) {
                    handlers.push((range.catch_type, self.node(range.handler, context)?));
                }
                if range.catch_type == PoolIndex::NONE {
                    break;
                }
            }
        }
        self.handlers += handlers.len();
        self.looks += handlers.len() * handlers.len();
        (self.nodes[id].targets, self.nodes[id].handlers) = (targets, handlers);
        Ok(())
    }

    fn next(&mut self, number: u32, context: u32) -> Result<NodeId, Problem> {
        if number as usize >= self.code.insns.len() {
            return Err(Problem::new(None, "it runs over the end of its code"));
        }
        self.node(number, context)
    }

    /// The calls under way in a subroutine that is called.
    fn enter(&mut self, parent: u32, returns_to: u32, offset: u32) -> Result<u32, Problem> {
        if let Some(&known) = self.context_ids.get(&(parent, returns_to)) {
            return Ok(known);
        }
        let depth = self.contexts[parent as usize].depth + 1;
        if depth > MAX_DEPTH {
            return Err(Problem::new(Some(offset), "subroutines are called too deeply"));
        }
        let context = self.contexts.len() as u32;
        self.contexts.push(Context { parent, returns_to, depth });
        self.context_ids.insert((parent, returns_to), context);
        Ok(context)
    }
}

/// The nodes in reverse postorder from the first. What a block falls into stands right behind it where that can be.
fn in_reverse_postorder(nodes: Vec<Node>) -> Vec<Node> {
    let successors = |node: &Node| -> Vec<NodeId> {
        node.handlers.iter().rev().map(|&(_, handler)| handler).chain(node.targets.iter().copied()).collect()
    };
    let mut visited = vec![false; nodes.len()];
    visited[0] = true;
    let mut postorder = Vec::with_capacity(nodes.len());
    let mut stack = vec![(0u32, successors(&nodes[0]), 0usize)];
    while let Some((id, next, at)) = stack.last_mut() {
        match next.get(*at) {
            Some(&to) => {
                *at += 1;
                if !std::mem::replace(&mut visited[to as usize], true) {
                    stack.push((to, successors(&nodes[to as usize]), 0));
                }
            }
            None => {
                postorder.push(*id);
                stack.pop();
            }
        }
    }
    let mut new_ids = vec![0; nodes.len()];
    for (position, &id) in postorder.iter().rev().enumerate() {
        new_ids[id as usize] = position as NodeId;
    }
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    postorder
        .iter()
        .rev()
        .map(|&id| {
            let mut node = nodes[id as usize].take().expect("each is visited once");
            node.targets.iter_mut().for_each(|target| *target = new_ids[*target as usize]);
            node.handlers.iter_mut().for_each(|(_, handler)| *handler = new_ids[*handler as usize]);
            node
        })
        .collect()
}
