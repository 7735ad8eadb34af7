//! The control-flow graph, the dominator tree, and availability of values.

use smallvec::{SmallVec, smallvec};

use crate::domtree::DomTree;
use crate::entity::{Block, Entity, Inst, Value};
use crate::function::{Body, ValueDef};

/// Predecessors, successors, reverse postorder and dominators of a body, as it was when this was made.
///
/// An exception leaves a block *before* its first instruction, as far as values go: a handler may use the parameters of
/// the blocks it protects, and what dominates them, but no result of an instruction inside. To say that with a plain
/// dominator tree, a block with handlers counts as two nodes, its entry (parameters, exception edges) and its rest.
///
/// Blocks outside the layout, and edges to them, are left out. What holds on every way to a block that cannot be
/// reached holds vacuously: it is dominated by all blocks.
#[derive(Debug)]
pub struct Cfg {
    // By block.
    nodes: Vec<Node>,
    rpo: Vec<Block>,
    // All lists of successors, then all lists of predecessors; a node knows its parts.
    edges: Vec<Block>,
    // Where each instruction stands: its block and its position there, `NOWHERE` if in no block.
    places: Vec<(Block, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    in_layout: bool,
    succs: (u32, u32),
    /// How many of the successors the terminator names; they stand first.
    normal: u32,
    preds: (u32, u32),
    /// The block whose list of successors last got this one, so that each is listed once.
    listed_by: Option<Block>,
    /// The numbers of the entry and of the rest in a depth-first walk, the same in a block without handlers.
    numbers: (u32, u32),
    idom: Option<Block>,
    /// The numbers of the entry node in the dominator tree, and those of the rest. A range that holds another one
    /// dominates it; unreachable blocks have the empty range.
    entry: (u32, u32),
    rest: (u32, u32),
}

const NOWHERE: u32 = u32::MAX;
const UNREACHABLE: (u32, u32) = (1, 0);

impl Cfg {
    /// Reads the blocks of a body.
    pub fn new(body: &Body) -> Self {
        let unknown = Node { numbers: (NOWHERE, NOWHERE), entry: UNREACHABLE, rest: UNREACHABLE, ..Node::default() };
        let mut this = Self {
            nodes: vec![unknown; body.blocks.len()],
            rpo: Vec::new(),
            edges: Vec::new(),
            places: vec![(Block::new(0), NOWHERE); body.insts.len()],
        };
        for &block in &body.layout {
            this.nodes[block.index()].in_layout = true;
            for (position, inst) in body.blocks[block].insts.iter().enumerate() {
                this.places[inst.index()] = (block, position as u32);
            }
        }
        if !this.is_single(body) {
            this.list_edges(body);
            this.find_dominators(body);
        }
        this
    }

    /// The blocks reachable from the entry, in reverse postorder.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// Whether a block can be reached from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.nodes[block.index()].entry != UNREACHABLE
    }

    /// Blocks that jump, branch, switch or throw to this one; each once, in layout order.
    pub fn preds(&self, block: Block) -> &[Block] {
        let (start, end) = self.nodes[block.index()].preds;
        &self.edges[start as usize..end as usize]
    }

    /// Blocks this one can go to, handlers included; each once.
    pub fn succs(&self, block: Block) -> &[Block] {
        let (start, end) = self.nodes[block.index()].succs;
        &self.edges[start as usize..end as usize]
    }

    /// The immediate dominator of a reachable block; none for the entry.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.nodes[block.index()].idom
    }

    /// Whether every way to the start of `b` enters `a`.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        self.holds(self.nodes[a.index()].entry, b)
    }

    /// Whether every way to the start of `b` *completes* `a` normally (so `a`'s instruction results are available).
    pub fn dominates_exit(&self, a: Block, b: Block) -> bool {
        if a == b { !self.is_reachable(b) } else { self.holds(self.nodes[a.index()].rest, b) }
    }

    /// Whether `value` is available just before `inst` in `block` (same-block order is by position).
    pub fn is_available(&self, body: &Body, value: Value, block: Block, inst: Inst) -> bool {
        match body.values[value].def {
            ValueDef::Const(_) => true,
            ValueDef::Param(def, _) => self.dominates(def, block),
            ValueDef::Result(def) => match (self.place(def), self.place(inst)) {
                (Some((def_block, def_at)), Some((_, at))) if def_block == block => def_at < at,
                (Some((def_block, _)), _) => self.dominates_exit(def_block, block),
                (None, _) => false,
            },
        }
    }

    /// Where an instruction stands: its block, and its position there; none if it stands in no block.
    pub fn place(&self, inst: Inst) -> Option<(Block, u32)> {
        self.places.get(inst.index()).copied().filter(|&(_, at)| at != NOWHERE)
    }

    /// Whether every way to `later` completes `earlier` normally first.
    pub fn comes_first(&self, earlier: Inst, later: Inst) -> bool {
        match (self.place(earlier), self.place(later)) {
            (Some((a, i)), Some((b, j))) => (a == b && i < j) || self.dominates_exit(a, b),
            _ => false,
        }
    }

    fn holds(&self, (first, last): (u32, u32), b: Block) -> bool {
        let (number, _) = self.nodes[b.index()].entry;
        !self.is_reachable(b) || (first <= number && number <= last)
    }

    /// Whether the body is one block that goes nowhere, as most are; then nothing is left to find.
    fn is_single(&mut self, body: &Body) -> bool {
        let &[only] = body.layout.as_slice() else { return false };
        let targets = body.terminator(only).map_or(0, |last| body.insts[last].targets().len());
        let single = body.blocks[only].catches.is_empty() && targets == 0;
        if single {
            self.rpo.push(only);
            (self.nodes[only.index()].entry, self.nodes[only.index()].rest) = ((0, 0), (0, 0));
        }
        single
    }

    fn list_edges(&mut self, body: &Body) {
        // Most blocks have one or two successors, and all are listed twice.
        self.edges.reserve(body.layout.len() * 4);
        for &block in &body.layout {
            let start = self.edges.len() as u32;
            if let Some(inst) = body.terminator(block) {
                body.insts[inst].targets().iter().for_each(|target| self.list_succ(block, target.block));
            }
            self.nodes[block.index()].normal = self.edges.len() as u32 - start;
            handlers(body, block).for_each(|handler| self.list_succ(block, handler));
            self.nodes[block.index()].succs = (start, self.edges.len() as u32);
        }
        // So far, a list of predecessors ends at its length; it is moved behind those before it, and filled.
        let mut start = self.edges.len() as u32;
        for node in &mut self.nodes {
            let (_, len) = node.preds;
            node.preds = (start, start);
            start += len;
        }
        self.edges.resize(start as usize, Block::new(0));
        for &block in &body.layout {
            let (start, end) = self.nodes[block.index()].succs;
            for at in start..end {
                let succ = self.edges[at as usize];
                let (_, end) = &mut self.nodes[succ.index()].preds;
                self.edges[*end as usize] = block;
                *end += 1;
            }
        }
    }

    fn list_succ(&mut self, block: Block, succ: Block) {
        let node = &mut self.nodes[succ.index()];
        if node.in_layout && node.listed_by.replace(block) != Some(block) {
            node.preds.1 += 1;
            self.edges.push(succ);
        }
    }

    fn find_dominators(&mut self, body: &Body) {
        let Some(&entry) = body.layout.first() else { return };
        let mut graph = self.number_nodes(body, entry);
        self.for_each_edge(body, |_, to| graph.tree.count_edge(to));
        graph.tree.lay_out_edges();
        self.for_each_edge(body, |from, to| graph.tree.add_edge(from, to));
        let NodeGraph { mut tree, blocks } = graph;
        tree.build();
        for &block in &self.rpo {
            let node = &mut self.nodes[block.index()];
            let (entry, rest) = node.numbers;
            (node.entry, node.rest) = (tree.range(entry), tree.range(rest));
            node.idom = (entry != 0).then(|| blocks[tree.idom(entry) as usize]);
        }
    }

    /// Numbers the nodes in the preorder of a depth-first walk, and lists the blocks in its reverse postorder.
    ///
    /// A block's rest is numbered right after its entry, and the walk goes to what the terminator names first, so this
    /// is a depth-first walk of the graph in which the block is split.
    fn number_nodes(&mut self, body: &Body, entry: Block) -> NodeGraph {
        let room = body.layout.len();
        let mut graph = NodeGraph { tree: DomTree::with_capacity(room), blocks: Vec::with_capacity(room) };
        self.nodes[entry.index()].numbers = graph.add(body, entry, 0);
        // Each block with how many of its successors are done.
        let mut path: SmallVec<[(Block, u32); 16]> = smallvec![(entry, 0)];
        self.rpo.reserve(room);
        while let Some((block, done)) = path.last_mut() {
            let block = *block;
            let Some(&succ) = self.succs(block).get(*done as usize) else {
                self.rpo.push(block);
                path.pop();
                continue;
            };
            let (entry, rest) = self.nodes[block.index()].numbers;
            let parent = if *done < self.nodes[block.index()].normal { rest } else { entry };
            *done += 1;
            if self.nodes[succ.index()].numbers.0 == NOWHERE {
                self.nodes[succ.index()].numbers = graph.add(body, succ, parent);
                path.push((succ, 0));
            }
        }
        self.rpo.reverse();
        graph
    }

    /// Calls `f` with each edge of the graph in which blocks with handlers are split, by the numbers of its nodes.
    fn for_each_edge(&self, body: &Body, mut f: impl FnMut(u32, u32)) {
        for &block in &self.rpo {
            let Node { numbers: (entry, rest), normal, .. } = self.nodes[block.index()];
            if rest != entry {
                f(entry, rest);
            }
            for &succ in &self.succs(block)[..normal as usize] {
                f(rest, self.nodes[succ.index()].numbers.0);
            }
            for handler in handlers(body, block) {
                let handler = self.nodes[handler.index()];
                if handler.in_layout {
                    f(entry, handler.numbers.0);
                }
            }
        }
    }
}

/// The graph in which blocks with handlers are split, its nodes numbered in preorder.
struct NodeGraph {
    tree: DomTree,
    /// The block of each node.
    blocks: Vec<Block>,
}

impl NodeGraph {
    /// Adds the nodes of a block, and numbers them.
    fn add(&mut self, body: &Body, block: Block, parent: u32) -> (u32, u32) {
        let entry = self.tree.add_node(parent);
        self.blocks.push(block);
        if body.blocks[block].catches.is_empty() {
            return (entry, entry);
        }
        self.blocks.push(block);
        (entry, self.tree.add_node(entry))
    }
}

fn handlers(body: &Body, block: Block) -> impl Iterator<Item = Block> + '_ {
    body.blocks[block].catches.iter().map(|catch| catch.target.block)
}
