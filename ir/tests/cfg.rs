//! The control-flow graph against its definitions, on random bodies with handlers.

use arbtest::arbitrary::{Result, Unstructured};
use r8lite_ir::{
    Block, Body, Catch, Cfg, Entity, InstData, Module, Op, Origin, Payload, SwitchTable, Target, ValueDef,
};

/// A body without values: each block goes to some blocks, and has some handlers.
fn body_of(blocks: &[(Vec<usize>, Vec<usize>)]) -> Body {
    let module = Module::new();
    let mut body = Body::new();
    for _ in 1..blocks.len() {
        body.add_block(None);
    }
    let target = |&index: &usize| Target::new(Block::new(index), []);
    for (index, (succs, handlers)) in blocks.iter().enumerate() {
        let block = Block::new(index);
        let targets: Vec<Target> = succs.iter().map(target).collect();
        let (op, payload) = match targets.len() {
            0 => (Op::Return, Payload::None),
            1 => (Op::Jump, Payload::Targets(targets.into())),
            n => (Op::Switch, Payload::Switch(Box::new(SwitchTable { keys: (1..n as i32).collect(), targets }))),
        };
        body.append(&module, block, InstData::new(op, payload, [], Origin::default()), None);
        body.blocks[block].catches = handlers.iter().map(|h| Catch { class: None, target: target(h) }).collect();
    }
    body
}

fn random_blocks(u: &mut Unstructured<'_>) -> Result<Vec<(Vec<usize>, Vec<usize>)>> {
    let count = u.int_in_range(1..=12)?;
    let mut list =
        |max| -> Result<Vec<usize>> { (0..u.int_in_range(0..=max)?).map(|_| u.int_in_range(0..=count - 1)).collect() };
    // Nothing goes to the entry, so index 0 becomes its neighbour or vanishes.
    let keep = |list: Vec<usize>| list.into_iter().filter(|&index| index != 0).collect();
    (0..count).map(|_| Ok((keep(list(3)?), keep(list(2)?)))).collect()
}

/// The blocks that can be entered when `leave` says which edges of a block may be taken.
fn reached(blocks: &[(Vec<usize>, Vec<usize>)], leave: impl Fn(usize) -> (bool, bool)) -> Vec<bool> {
    let mut reached = vec![false; blocks.len()];
    let mut todo = vec![0];
    while let Some(block) = todo.pop() {
        if std::mem::replace(&mut reached[block], true) {
            continue;
        }
        let (normally, by_exception) = leave(block);
        todo.extend(blocks[block].0.iter().filter(|_| normally));
        todo.extend(blocks[block].1.iter().filter(|_| by_exception));
    }
    reached
}

fn check(blocks: &[(Vec<usize>, Vec<usize>)]) {
    let body = body_of(blocks);
    let cfg = Cfg::new(&body);
    let count = blocks.len();
    let block = Block::new;
    let reachable = reached(blocks, |_| (true, true));
    for a in 0..count {
        assert_eq!(cfg.is_reachable(block(a)), reachable[a], "b{a} in {blocks:?}");
        let without = reached(blocks, |b| (b != a, b != a));
        let incomplete = reached(blocks, |b| (b != a, true));
        for b in 0..count {
            let dominates = !reachable[b] || a == b || !without[b];
            assert_eq!(cfg.dominates(block(a), block(b)), dominates, "b{a} dominates b{b} in {blocks:?}");
            let completes = !incomplete[b];
            assert_eq!(cfg.dominates_exit(block(a), block(b)), completes, "b{a} completes before b{b} in {blocks:?}");
        }
        let strict: Vec<usize> =
            (0..count).filter(|&d| d != a && reachable[d] && cfg.dominates(block(d), block(a))).collect();
        let idom = strict.iter().copied().find(|&d| strict.iter().all(|&e| cfg.dominates(block(e), block(d))));
        assert_eq!(cfg.idom(block(a)), idom.filter(|_| reachable[a]).map(block), "idom of b{a} in {blocks:?}");

        let mut succs = [blocks[a].0.clone(), blocks[a].1.clone()].concat();
        succs.sort_unstable();
        succs.dedup();
        let mut found: Vec<usize> = cfg.succs(block(a)).iter().map(|b| b.index()).collect();
        found.sort_unstable();
        assert_eq!(found, succs);
        let preds = (0..count).filter(|&b| blocks[b].0.contains(&a) || blocks[b].1.contains(&a));
        assert!(cfg.preds(block(a)).iter().map(|b| b.index()).eq(preds), "preds of b{a} in {blocks:?}");
    }
    check_reverse_postorder(&cfg, &reachable);
}

/// Every reachable block stands once, and after one of its predecessors and all of its dominators.
fn check_reverse_postorder(cfg: &Cfg, reachable: &[bool]) {
    assert_eq!(cfg.rpo().len(), reachable.iter().filter(|&&r| r).count());
    for (at, &block) in cfg.rpo().iter().enumerate() {
        let before = &cfg.rpo()[..at];
        assert!(!before.contains(&block));
        assert!(at == 0 || cfg.preds(block).iter().any(|pred| before.contains(pred)));
        assert!(cfg.rpo()[at + 1..].iter().all(|&later| !cfg.dominates(later, block)));
    }
}

#[test]
fn random_graphs_agree_with_the_definitions() {
    arbtest::arbtest(|u| {
        check(&random_blocks(u)?);
        Ok(())
    })
    .budget_ms(700);
}

#[test]
fn a_handler_does_not_see_its_block_complete() {
    // b0 -> b1 (handler b3) -> b2; b3 -> b2.
    let blocks = [(vec![1], vec![]), (vec![2], vec![3]), (vec![], vec![]), (vec![2], vec![])];
    check(&blocks);
    let cfg = Cfg::new(&body_of(&blocks));
    let [b0, b1, b2, b3] = [0, 1, 2, 3].map(Block::new);
    assert!(cfg.dominates(b1, b3) && !cfg.dominates_exit(b1, b3));
    assert!(cfg.dominates(b1, b2) && !cfg.dominates_exit(b1, b2));
    assert!(cfg.dominates_exit(b0, b3));
    assert_eq!(cfg.rpo(), [b0, b1, b3, b2]);
}

#[test]
fn values_are_available_after_their_definition() {
    let module = Module::new();
    let mut body = body_of(&[(vec![1], vec![]), (vec![], vec![2]), (vec![], vec![])]);
    let [b0, b1, b2] = [0, 1, 2].map(Block::new);
    let param = body.add_param(b1, r8lite_ir::Type::I32, None);
    let make = |body: &mut Body| {
        let add = InstData::new(Op::Add, Payload::None, [param, param], Origin::default());
        let inst = body.make_inst(&module, add, None);
        body.blocks[b1].insts.insert(0, inst);
        inst
    };
    let second = make(&mut body);
    let first = make(&mut body);
    let cfg = Cfg::new(&body);
    let [first_value, second_value] = [first, second].map(|inst| body.insts[inst].result.expect("add has a result"));
    let end_of = |block| body.terminator(block).expect("a terminator");
    let available = |value, block, inst| cfg.is_available(&body, value, block, inst);
    assert!(available(param, b1, first) && available(param, b2, end_of(b2)));
    assert!(!available(param, b0, end_of(b0)));
    assert!(available(first_value, b1, second) && !available(second_value, b1, first));
    assert!(available(second_value, b1, end_of(b1)) && !available(second_value, b1, second));
    assert!(!available(first_value, b2, end_of(b2)), "the handler starts before the block's first instruction");
    assert!(matches!(body.values[param].def, ValueDef::Param(..)));
}

#[test]
fn long_chains_and_shared_handlers_are_cheap() {
    // Many blocks in a row, all of which throw to the last one.
    let count = 300_000;
    let blocks: Vec<(Vec<usize>, Vec<usize>)> =
        (0..count).map(|b| if b + 1 < count { (vec![b + 1], vec![count - 1]) } else { (vec![], vec![]) }).collect();
    let body = body_of(&blocks);
    let cfg = Cfg::new(&body);
    let last = Block::new(count - 1);
    assert_eq!(cfg.idom(last), Some(Block::new(0)));
    assert_eq!(cfg.idom(Block::new(count - 2)), Some(Block::new(count - 3)));
    assert!(cfg.dominates_exit(Block::new(17), Block::new(count - 2)));
}
