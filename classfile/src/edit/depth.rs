//! How high the stack gets: a walk over all ways through the code that counts slots.

use crate::descriptor::{field_slots, method_slots};
use crate::edit::layout::Layout;
use crate::error::{Error, Problem, Result};
use crate::insn::Insn;
use crate::opcode::{Opcode, Shape};
use crate::pool::{ConstantPool, PoolIndex};

/// The highest stack, from instructions where the depth is known on. Code that no way leads to is not looked at.
///
/// # Errors
/// Ways meet with different depths, the stack underflows or grows too high, or control flows off the end.
pub(crate) fn max_stack(layout: &Layout<'_>, pool: &ConstantPool<'_>, roots: Vec<(usize, u32)>) -> Result<u16> {
    // A subroutine (`jsr`) may be called at different depths.
    let subroutines = layout.items.iter().any(|item| item.insn.opcode() == Some(Opcode::Ret));
    let mut depths: Vec<Option<u32>> = vec![None; layout.items.len()];
    let mut highest = 0;
    let mut left = roots;
    while let Some((index, depth)) = left.pop() {
        let Some(known) = depths.get_mut(index) else { return Err(Problem::FallsOff.into()) };
        let item = &layout.items[index];
        let wrong = |found: u32, wanted: u32| {
            Error::from(Problem::StackDepth { found: found as i32, wanted: wanted as i32 }).at_code(item.old)
        };
        match *known {
            Some(known) if known == depth || subroutines => continue,
            Some(known) => return Err(wrong(depth, known)),
            None => *known = Some(depth),
        }
        let (pops, pushes) = stack_effect(pool, item.insn).map_err(|error| error.at_code(item.old))?;
        let after = depth.checked_sub(pops).ok_or_else(|| wrong(depth, pops))? + pushes;
        if after > u32::from(u16::MAX) {
            return Err(wrong(after, u32::from(u16::MAX)));
        }
        highest = highest.max(depth).max(after);
        let Some(opcode) = item.insn.opcode() else { continue };
        match item.insn {
            Insn::Branch(_, label) => {
                left.push((layout.item(*label).map_err(|error| error.at_code(item.old))?, after));
            }
            Insn::Switch(switch) => {
                for label in switch.targets() {
                    left.push((layout.item(label).map_err(|error| error.at_code(item.old))?, after));
                }
            }
            _ => {}
        }
        if opcode.falls_through() {
            // What a subroutine is called with is gone when it returns.
            let after = if matches!(opcode, Opcode::Jsr | Opcode::JsrW) { depth } else { after };
            left.push((index + 1, after));
        }
    }
    Ok(highest as u16)
}

/// Slots that an instruction takes off the stack, and then puts on it. A `jsr` puts one there for the subroutine.
///
/// # Errors
/// It names a constant that is not there, or another than it needs.
pub fn stack_effect(pool: &ConstantPool<'_>, insn: &Insn) -> Result<(u32, u32)> {
    let Some(opcode) = insn.opcode() else { return Ok((0, 0)) };
    let info = opcode.info();
    let (pops, pushes) = (u32::from(info.pops), u32::from(info.pushes));
    Ok(match (info.shape, insn) {
        (Shape::Field, Insn::Constant(_, field)) => {
            let slots = u32::from(field_slots(&pool.member_descriptor(*field)?)?);
            let is_get = matches!(opcode, Opcode::Getfield | Opcode::Getstatic);
            if is_get { (pops, slots) } else { (pops + slots, 0) }
        }
        (Shape::Method | Shape::InterfaceMethod | Shape::Dynamic, Insn::Constant(_, method))
        | (Shape::InterfaceMethod, Insn::InvokeInterface { method, .. }) => {
            let (arguments, result) = called_slots(pool, *method)?;
            (pops + arguments, result)
        }
        (Shape::MultiNewArray, Insn::MultiNewArray { dimensions, .. }) => (u32::from(*dimensions), pushes),
        _ => (pops, pushes),
    })
}

/// Slots of arguments and result of a call.
fn called_slots(pool: &ConstantPool<'_>, method: PoolIndex) -> Result<(u32, u32)> {
    let (arguments, result) = method_slots(&pool.member_descriptor(method)?)?;
    Ok((u32::from(arguments), u32::from(result)))
}
