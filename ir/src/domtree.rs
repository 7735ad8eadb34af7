//! The dominator tree of a flow graph, by the Semi-NCA algorithm.
//!
//! L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems" (2005), section 2.3. It is chosen over
//! the simpler iterative algorithm because that one is quadratic on thousands of blocks that all may throw to one
//! handler. Nothing recurses, so a chain of a million blocks is fine.
//!
//! Most graphs are small, so what it takes to make room counts: all that is known of a node stands together.

/// A flow graph, and then its dominator tree. To be used in the order of its functions.
pub(crate) struct DomTree {
    nodes: Vec<Node>,
    /// The predecessors of each node; a node knows where its own end.
    preds: Vec<u32>,
    /// A path that is compressed.
    path: Vec<u32>,
}

/// A node. The graph's nodes are numbered in the preorder of a depth-first walk.
struct Node {
    /// Its parent in the walk; then its immediate dominator. The root's is itself.
    parent: u32,
    /// Its predecessors stand between where those of the node before end and here.
    preds_end: u32,
    semi: u32,
    /// The nodes that are done are linked to their parents, with compressed paths.
    ancestor: u32,
    /// The node of least semidominator on the path that was compressed.
    label: u32,
    /// How many nodes its part of the dominator tree has.
    size: u32,
    /// The next free number below it in a preorder of the dominator tree.
    free: u32,
    /// The first and last number of its part of the tree in that preorder.
    range: (u32, u32),
}

impl DomTree {
    /// A graph without nodes, with room for so many.
    pub(crate) fn with_capacity(nodes: usize) -> Self {
        Self { nodes: Vec::with_capacity(nodes), preds: Vec::new(), path: Vec::new() }
    }

    /// Adds the next node of the walk, and numbers it. The parent of the first one is itself.
    pub(crate) fn add_node(&mut self, parent: u32) -> u32 {
        let node = self.nodes.len() as u32;
        let (semi, ancestor, label) = (node, parent, node);
        self.nodes.push(Node { parent, preds_end: 0, semi, ancestor, label, size: 1, free: 0, range: (0, 0) });
        node
    }

    /// Counts an edge to a node.
    pub(crate) fn count_edge(&mut self, to: u32) {
        self.nodes[to as usize].preds_end += 1;
    }

    /// Makes room for what was counted.
    pub(crate) fn lay_out_edges(&mut self) {
        let mut total = 0;
        for node in &mut self.nodes {
            (node.preds_end, total) = (total, total + node.preds_end);
        }
        self.preds.resize(total as usize, 0);
    }

    /// Adds an edge that was counted.
    pub(crate) fn add_edge(&mut self, from: u32, to: u32) {
        let end = &mut self.nodes[to as usize].preds_end;
        self.preds[*end as usize] = from;
        *end += 1;
    }

    /// Builds the tree.
    pub(crate) fn build(&mut self) {
        self.find_immediate_dominators();
        self.number();
    }

    /// The immediate dominator of a node; the root's own is itself.
    pub(crate) fn idom(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    /// The first and last number of a node's part of the tree, in a preorder of it.
    pub(crate) fn range(&self, node: u32) -> (u32, u32) {
        self.nodes[node as usize].range
    }

    fn find_immediate_dominators(&mut self) {
        for node in (1..self.nodes.len()).rev() {
            let mut semi = self.nodes[node].parent;
            for at in self.nodes[node - 1].preds_end..self.nodes[node].preds_end {
                let least = self.eval(self.preds[at as usize], node as u32 + 1);
                semi = semi.min(self.nodes[least as usize].semi);
            }
            self.nodes[node].semi = semi;
        }
        for node in 1..self.nodes.len() {
            let Node { semi, parent: mut idom, .. } = self.nodes[node];
            while idom > semi {
                idom = self.nodes[idom as usize].parent;
            }
            self.nodes[node].parent = idom;
        }
    }

    /// The node of least semidominator from `node` up to below the root of its tree; nodes from `linked` on are linked.
    fn eval(&mut self, node: u32, linked: u32) -> u32 {
        if node < linked {
            return node;
        }
        let nodes = &mut self.nodes;
        let mut top = node;
        while nodes[top as usize].ancestor >= linked {
            self.path.push(top);
            top = nodes[top as usize].ancestor;
        }
        while let Some(node) = self.path.pop() {
            let Node { ancestor: next, label, .. } = nodes[nodes[node as usize].ancestor as usize];
            let node = node as usize;
            if nodes[label as usize].semi < nodes[nodes[node].label as usize].semi {
                nodes[node].label = label;
            }
            nodes[node].ancestor = next;
        }
        nodes[node as usize].label
    }

    fn number(&mut self) {
        for node in (1..self.nodes.len()).rev() {
            let Node { parent, size, .. } = self.nodes[node];
            self.nodes[parent as usize].size += size;
        }
        for node in 0..self.nodes.len() {
            let Node { parent, size, .. } = self.nodes[node];
            let mut first = 0;
            if node != 0 {
                let free = &mut self.nodes[parent as usize].free;
                first = *free;
                *free += size;
            }
            (self.nodes[node].free, self.nodes[node].range) = (first + 1, (first, first + size - 1));
        }
    }
}
