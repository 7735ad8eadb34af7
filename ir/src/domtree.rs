//! The dominator tree of a flow graph, by the Semi-NCA algorithm.
//!
//! L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems" (2005), section 2.3. It is chosen over
//! the simpler iterative algorithm because that one is quadratic on thousands of blocks that all may throw to one
//! handler. Nothing recurses, so a chain of a million blocks is fine.

/// The predecessors of each node, by node. To be used in the order of its functions.
pub(crate) struct Preds {
    // Node `n`'s are `items[ends[n - 1]..ends[n]]` once all are added.
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Preds {
    pub(crate) fn new(nodes: usize) -> Self {
        Self { ends: vec![0; nodes], items: Vec::new() }
    }
    /// Counts an edge to a node.
    pub(crate) fn count(&mut self, to: u32) {
        self.ends[to as usize] += 1;
    }
    /// Makes room for what was counted.
    pub(crate) fn lay_out(&mut self) {
        let mut total = 0;
        for end in &mut self.ends {
            (*end, total) = (total, total + *end);
        }
        self.items.resize(total as usize, 0);
    }
    /// Adds an edge that was counted.
    pub(crate) fn add(&mut self, from: u32, to: u32) {
        let end = &mut self.ends[to as usize];
        self.items[*end as usize] = from;
        *end += 1;
    }

    fn of(&self, node: usize) -> &[u32] {
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.items[start as usize..self.ends[node] as usize]
    }
}

/// A dominator tree.
pub(crate) struct DomTree {
    /// The immediate dominator of each node; the root's own is itself.
    pub(crate) idoms: Vec<u32>,
    /// The first and last number of each node's part of the tree, in a preorder of it.
    pub(crate) ranges: Vec<(u32, u32)>,
}

/// Builds the tree for nodes that are numbered in the preorder of a depth-first walk, `parents` being the parents in
/// that walk and node 0 the root.
pub(crate) fn build(parents: &[u32], preds: &Preds) -> DomTree {
    let idoms = immediate_dominators(parents, preds);
    let ranges = number(&idoms);
    DomTree { idoms, ranges }
}

fn immediate_dominators(parents: &[u32], preds: &Preds) -> Vec<u32> {
    let count = parents.len();
    let mut semis: Vec<u32> = (0..count as u32).collect();
    let mut forest = Forest { ancestors: parents.to_vec(), labels: semis.clone(), path: Vec::new() };
    for node in (1..count).rev() {
        let mut semi = parents[node];
        for &pred in preds.of(node) {
            semi = semi.min(semis[forest.eval(&semis, pred, node as u32 + 1) as usize]);
        }
        semis[node] = semi;
    }
    let mut idoms = parents.to_vec();
    for node in 1..count {
        while idoms[node] > semis[node] {
            idoms[node] = idoms[idoms[node] as usize];
        }
    }
    idoms
}

/// The nodes done so far, linked to their parents, with compressed paths.
struct Forest {
    ancestors: Vec<u32>,
    /// The node of least semidominator on the path that was compressed.
    labels: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The node of least semidominator from `node` up to below the root of its tree; nodes from `linked` on are linked.
    fn eval(&mut self, semis: &[u32], node: u32, linked: u32) -> u32 {
        if node < linked {
            return node;
        }
        let mut top = node;
        while self.ancestors[top as usize] >= linked {
            self.path.push(top);
            top = self.ancestors[top as usize];
        }
        while let Some(node) = self.path.pop() {
            let above = self.ancestors[node as usize] as usize;
            let node = node as usize;
            if semis[self.labels[above] as usize] < semis[self.labels[node] as usize] {
                self.labels[node] = self.labels[above];
            }
            self.ancestors[node] = self.ancestors[above];
        }
        self.labels[node as usize]
    }
}

fn number(idoms: &[u32]) -> Vec<(u32, u32)> {
    let count = idoms.len();
    let mut sizes = vec![1u32; count];
    for node in (1..count).rev() {
        sizes[idoms[node] as usize] += sizes[node];
    }
    let mut ranges = vec![(0, 0); count];
    // The next free number below each node.
    let mut free = vec![1u32; count];
    for node in 0..count {
        let above = idoms[node] as usize;
        let first = if node == 0 { 0 } else { free[above] };
        if node != 0 {
            free[above] += sizes[node];
        }
        free[node] = first + 1;
        ranges[node] = (first, first + sizes[node] - 1);
    }
    ranges
}
