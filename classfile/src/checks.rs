//! What must hold for any bytes whatsoever: called by fuzzers, and by tests with bytes at random.
//!
//! These panic where something is wrong with this crate; that something is wrong with the bytes is no matter.

use crate::class::{ClassFile, read, write};
use crate::code::Located;
use crate::dump::dump_method;
use crate::edit::{CodeEdits, Handler, apply};
use crate::insn::{Insn, Label};
use crate::mentions::{Names, mentions};
use crate::opcode::Opcode;
use crate::pool::PoolIndex;
use crate::stackmap::{Frame, VerificationType};

/// Reading never panics, whatever is read; and what was read is written as it was.
///
/// # Panics
/// If that does not hold.
pub fn read_write_roundtrip(bytes: &[u8]) {
    let _ = mentions(bytes, &Names::new(&["java/util/concurrent/atomic/AtomicLongFieldUpdater"]));
    let Ok(class) = read(bytes) else { return };
    assert!(write(&class).is_ok_and(|written| written == bytes), "written otherwise than read");
    for (index, _) in class.pool.iter() {
        let _ = class.pool.text(index);
        let _ = class.pool.class_name(index);
        let _ = class.pool.member_ref(index);
    }
    let _ = (class.nest_host(), class.nest_members(), class.bootstrap_methods(), class.inner_classes());
    let _ = class.module_requires();
    for field in &class.fields {
        let _ = class.constant_value(field);
    }
    for method in 0..class.methods.len() {
        let _ = dump_method(&class, method);
        if let Ok(Some(code)) = class.code(method) {
            let _ = class.line_numbers(&code);
        }
    }
}

/// Edits methods so that they do the same as before: what runs must not tell, and what is in order must stay so.
///
/// `choose` gives numbers below the one it is given, which must not be 0; it decides everything. The result is nothing if
/// the bytes are no class that can be read.
///
/// # Panics
/// If the result cannot be read again.
pub fn random_edits(bytes: &[u8], choose: &mut dyn FnMut(u32) -> u32) -> Option<Vec<u8>> {
    let mut class = read(bytes).ok()?;
    for method in 0..class.methods.len() {
        let mut edits = CodeEdits::new();
        // A method that is broken has no edits or refuses them.
        if collect_edits(&mut class, method, &mut edits, choose).is_some() && apply(&mut class, method, &edits).is_ok()
        {
            dump_method(&class, method).unwrap_or_else(|error| panic!("an edited method cannot be read: {error}"));
        }
    }
    let written = write(&class).unwrap_or_else(|error| panic!("an edited class cannot be written: {error}"));
    let again = read(&written).unwrap_or_else(|error| panic!("an edited class cannot be read: {error}"));
    assert!(write(&again).is_ok_and(|again| again == written), "written otherwise than read");
    Some(written)
}

/// Reading and rewriting a jar never panics, and what is written can be read.
///
/// # Panics
/// If that does not hold.
#[cfg(feature = "jar")]
pub fn jar_rewrite(bytes: &[u8]) {
    use crate::jar::{Jar, JarEdits, Limits, Unpacker, write};
    let limits = Limits { entries: 1000, entry_size: 1 << 20, total_size: 1 << 24 };
    let Ok(jar) = Jar::read(bytes, &limits) else { return };
    let mut edits = JarEdits::default();
    let names = Names::new(&["java/lang/Object"]);
    let mut unpacker = Unpacker::default();
    for index in 0..jar.entries().len() {
        let _ = jar.class_mentions(index, &names, &mut unpacker);
        match (jar.content(index), index % 3) {
            (Err(_), _) => edits.remove(index),
            (Ok(mut content), 0) if !jar.entries()[index].is_folder() => {
                content.push(0);
                edits.replace(index, content);
            }
            (Ok(_), _) => {}
        }
    }
    let Ok(written) = write(&jar, &edits) else { return };
    let again = Jar::read(&written, &Limits::default()).unwrap_or_else(|error| panic!("a jar cannot be read: {error}"));
    for index in 0..again.entries().len() {
        again.content(index).unwrap_or_else(|error| panic!("a jar cannot be unpacked: {error}"));
    }
}

fn collect_edits(
    class: &mut ClassFile<'_>,
    method: usize,
    edits: &mut CodeEdits,
    choose: &mut dyn FnMut(u32) -> u32,
) -> Option<()> {
    let code = class.code(method).ok()??;
    let old: Vec<Located> = code.instructions().collect::<Result<_, _>>().ok()?;
    let next_local = code.max_locals;
    if choose(4) == 0 {
        let code = nothing(next_local, choose);
        edits.at_entry(code);
    }
    // As much code as it takes for branches to lose their reach, now and then.
    let large = (choose(30) == 0).then(|| (1_000_000 / old.len() as u32).clamp(1, 30_000));
    for Located { offset, insn, .. } in &old {
        match choose(12) {
            0 => edits.before(*offset, nothing(next_local, choose)),
            // What follows an instruction that never goes on would need a frame.
            1 if insn.opcode().is_some_and(Opcode::falls_through) => edits.after(*offset, nothing(next_local, choose)),
            2 | 3 => {
                if let Some(same) = same(insn, next_local, choose) {
                    edits.replace(*offset, same).ok()?;
                }
            }
            4 => {
                let nops = large.map_or(0, &mut *choose);
                edits.before(*offset, (0..nops).map(|_| Insn::Plain(Opcode::Nop)));
            }
            _ => {}
        }
    }
    let constructor = class.pool.utf8(class.methods[method].name).ok()? == b"<init>";
    // Before it has called another, a constructor has no frame without `this`; and where there are other handlers, they
    // and not the new one are to catch.
    if choose(4) == 0 && !constructor && code.exceptions.is_empty() {
        rethrow_somewhere(class, &old, edits, choose)?;
    }
    Some(())
}

/// Instructions that together do nothing.
fn nothing(next_local: u16, choose: &mut dyn FnMut(u32) -> u32) -> Vec<Insn> {
    let local = next_local.saturating_add(choose(300) as u16).min(u16::MAX - 2);
    match choose(6) {
        0 => vec![Insn::Plain(Opcode::AconstNull), Insn::Plain(Opcode::Pop)],
        1 => vec![
            Insn::Plain(Opcode::Lconst0),
            Insn::Plain(Opcode::Dup2),
            Insn::Plain(Opcode::Pop2),
            Insn::Plain(Opcode::Pop2),
        ],
        2 => vec![Insn::Plain(Opcode::Iconst3), Insn::store(Opcode::Istore, local), Insn::Increment { local, by: 300 }],
        3 => vec![Insn::Plain(Opcode::Dconst0), Insn::store(Opcode::Dstore, local)],
        _ => vec![Insn::Plain(Opcode::Nop); choose(5) as usize],
    }
}

/// Other instructions that do the same as this one.
fn same(insn: &Insn, next_local: u16, choose: &mut dyn FnMut(u32) -> u32) -> Option<Vec<Insn>> {
    Some(match insn {
        Insn::Plain(Opcode::Nop) => Vec::new(),
        Insn::Branch(Opcode::Goto, label) => vec![Insn::Branch(Opcode::GotoW, *label)],
        Insn::Plain(Opcode::Iconst5) => vec![Insn::Push(Opcode::Bipush, 5)],
        Insn::Push(Opcode::Bipush, value) => vec![Insn::Push(Opcode::Sipush, *value)],
        Insn::Increment { local, by } if (-100..100).contains(by) => {
            vec![Insn::Increment { local: *local, by: by - 300 }, Insn::Increment { local: *local, by: 300 }]
        }
        // The instruction itself, moved away from where it began.
        _ if insn.opcode()?.falls_through() => {
            let mut code = nothing(next_local, choose);
            code.push(insn.clone());
            code.extend(nothing(next_local, choose));
            code
        }
        _ => vec![insn.clone()],
    })
}

/// A handler that catches anything and throws it on.
fn rethrow_somewhere(
    class: &mut ClassFile<'_>,
    old: &[Located],
    edits: &mut CodeEdits,
    choose: &mut dyn FnMut(u32) -> u32,
) -> Option<()> {
    let throwable = class.pool.add_class("java/lang/Throwable").ok()?;
    let last = old.last()?;
    if last.insn.opcode()?.falls_through() || edits.is_replaced(last.offset) {
        return None;
    }
    let start = choose(old.len() as u32) as usize;
    let end = start + choose((old.len() - start) as u32) as usize;
    let handler = edits.new_label();
    edits.after(last.offset, [Insn::Label(handler), Insn::Plain(Opcode::Athrow)]);
    edits.frame(handler, Frame { locals: Vec::new(), stack: vec![VerificationType::Object(throwable)] });
    let (start, end) = (Label::at(old[start].offset), Label::at(old[end].offset));
    let catch_type = if choose(2) == 0 { PoolIndex::NONE } else { throwable };
    edits.handler(Handler { start, end, handler, catch_type });
    Some(())
}
