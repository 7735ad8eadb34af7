//! What is on the stack before each instruction: which instruction pushed it, and what the JVM's verifier takes it for.
//!
//! Where ways meet that disagree, the pusher is unknown. So is that of what `dup` and `swap` leave: they count as pushers
//! themselves. Types are those of the frames where there are frames, so that what is concluded from them holds for the
//! verifier as well; a type that is not certain is unknown.

use std::sync::Arc;

use r8lite_classfile::{
    ClassFile, Code, Constant, ConstantPool, Frame, Insn, Label, Located, Opcode, PoolIndex, VerificationType,
    descriptor, stack_effect,
};

/// Why a method's code is left alone.
#[derive(Debug)]
pub(crate) struct Odd(pub(crate) String);

impl From<r8lite_classfile::Error> for Odd {
    fn from(error: r8lite_classfile::Error) -> Odd {
        Odd(error.to_string())
    }
}

/// A slot of the stack. A `long` or `double` takes two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    /// The number of the instruction that pushed it.
    pub(crate) pusher: Option<u32>,
    pub(crate) kind: Kind,
}

/// What a slot or a local variable is known to hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Something else, or unknown.
    Other,
    /// Null.
    Null,
    /// A reference of this type, as `Class` constants spell it.
    Reference(Arc<str>),
}

impl Kind {
    fn of_descriptor(text: &str) -> Kind {
        descriptor::class_constant(text).map_or(Kind::Other, |name| Kind::Reference(name.into()))
    }

    fn merge(&mut self, other: &Kind) -> bool {
        if self == other || *self == Kind::Other {
            return false;
        }
        *self = Kind::Other;
        true
    }
}

/// The instructions of a method, and the stack before each.
pub(crate) struct Flow {
    pub(crate) insns: Vec<Located>,
    /// The stack before each instruction; none where no way leads to.
    pub(crate) before: Vec<Option<Vec<Slot>>>,
    pub(crate) max_locals: u16,
    /// Whether control gets to an instruction from elsewhere than the one above it.
    pub(crate) is_target: Vec<bool>,
    numbers: Vec<u32>,
    handlers: Vec<Range>,
}

/// A row of the exception table, by numbers of instructions.
#[derive(Clone, Copy)]
struct Range {
    start: u32,
    end: u32,
    handler: u32,
    catch_type: PoolIndex,
}

#[derive(Clone)]
struct State {
    stack: Vec<Slot>,
    locals: Vec<Kind>,
}

const NOWHERE: u32 = u32::MAX;

/// How many slots are noted altogether.
const MAX_SLOTS: usize = 1 << 22;

impl Flow {
    /// Follows the code of a method.
    pub(crate) fn new(file: &ClassFile<'_>, method: usize) -> Result<Flow, Odd> {
        let code = file.code(method)?.ok_or_else(|| Odd("it has no code".to_owned()))?;
        let mut flow = Flow::decode(&code)?;
        let frames = file.frames(method)?;
        let mut walk = Walk::new(file, method, &flow, &frames)?;
        walk.run()?;
        (flow.before, flow.is_target) = (walk.before, walk.leader);
        Ok(flow)
    }

    fn decode(code: &Code<'_>) -> Result<Flow, Odd> {
        let insns: Vec<Located> = code.instructions().collect::<Result<_, _>>()?;
        let mut numbers = vec![NOWHERE; code.bytes.len() + 1];
        for (number, located) in insns.iter().enumerate() {
            numbers[located.offset as usize] = number as u32;
            if matches!(located.insn.opcode(), Some(Opcode::Jsr | Opcode::JsrW | Opcode::Ret)) {
                return Err(Odd("it has subroutines; compile it for a newer class file version".to_owned()));
            }
        }
        numbers[code.bytes.len()] = insns.len() as u32;
        let mut flow = Flow {
            insns,
            before: Vec::new(),
            max_locals: code.max_locals,
            is_target: Vec::new(),
            numbers,
            handlers: Vec::new(),
        };
        for range in &code.exceptions {
            let number = |offset: u16| flow.number(u32::from(offset));
            let (start, end, handler) = (number(range.start)?, number(range.end)?, number(range.handler)?);
            flow.handlers.push(Range { start, end, handler, catch_type: range.catch_type });
        }
        Ok(flow)
    }

    /// The number of the instruction at an offset.
    pub(crate) fn number(&self, offset: u32) -> Result<u32, Odd> {
        match self.numbers.get(offset as usize) {
            Some(&number) if number != NOWHERE => Ok(number),
            _ => Err(Odd(format!("no instruction begins at {offset}"))),
        }
    }

    /// The instruction with a number.
    pub(crate) fn insn(&self, number: u32) -> &Insn {
        &self.insns[number as usize].insn
    }

    /// The offset of an instruction.
    pub(crate) fn offset(&self, number: u32) -> u32 {
        self.insns[number as usize].offset
    }

    /// The stack before an instruction.
    pub(crate) fn stack(&self, number: u32) -> Option<&[Slot]> {
        self.before.get(number as usize)?.as_deref()
    }

    /// Where control goes from an instruction, but for exceptions.
    pub(crate) fn successors(&self, number: u32) -> Vec<u32> {
        let insn = self.insn(number);
        let mut next: Vec<u32> = match insn {
            Insn::Branch(_, label) => self.label(*label).into_iter().collect(),
            Insn::Switch(switch) => switch.targets().filter_map(|label| self.label(label)).collect(),
            _ => Vec::new(),
        };
        if insn.opcode().is_some_and(Opcode::falls_through) && (number as usize) + 1 < self.insns.len() {
            next.push(number + 1);
        }
        next
    }

    fn label(&self, label: Label) -> Option<u32> {
        self.number(label.offset()?).ok().filter(|&number| (number as usize) < self.insns.len())
    }
}

struct Walk<'a, 'f> {
    file: &'a ClassFile<'f>,
    flow: &'a Flow,
    frames: &'a [(u32, Frame)],
    parameters: Vec<Kind>,
    entry: Vec<Option<State>>,
    leader: Vec<bool>,
    before: Vec<Option<Vec<Slot>>>,
    todo: Vec<u32>,
    slots: usize,
}

impl<'a, 'f> Walk<'a, 'f> {
    fn new(
        file: &'a ClassFile<'f>,
        method: usize,
        flow: &'a Flow,
        frames: &'a [(u32, Frame)],
    ) -> Result<Walk<'a, 'f>, Odd> {
        let count = flow.insns.len();
        let mut leader = vec![false; count];
        for number in 0..count as u32 {
            if matches!(flow.insn(number), Insn::Branch(..) | Insn::Switch(_)) {
                flow.successors(number).into_iter().for_each(|target| leader[target as usize] = true);
            }
        }
        for range in &flow.handlers {
            match leader.get_mut(range.handler as usize) {
                Some(leader) => *leader = true,
                None => return Err(Odd("a handler lies behind the code".to_owned())),
            }
        }
        for &(offset, _) in frames {
            if let Ok(number) = flow.number(offset)
                && let Some(leader) = leader.get_mut(number as usize)
            {
                *leader = true;
            }
        }
        let member = &file.methods[method];
        let text = file.pool.text(member.descriptor)?;
        let mut locals = vec![Kind::Other; usize::from(flow.max_locals)];
        let mut at = 0;
        if member.access_flags & r8lite_classfile::flags::STATIC == 0 {
            if let Some(local) = locals.first_mut() {
                *local = Kind::Reference(file.name()?.into());
            }
            at = 1;
        }
        let mut parameters = Vec::new();
        for parameter in descriptor::parameters(&text)? {
            let parameter = parameter?;
            let kind = Kind::of_descriptor(parameter);
            if let Some(local) = locals.get_mut(at) {
                *local = kind.clone();
            }
            parameters.push(kind);
            at += usize::from(descriptor::field_slots(parameter)?);
        }
        let mut walk = Walk {
            file,
            flow,
            frames,
            parameters,
            entry: vec![None; count],
            leader,
            before: vec![None; count],
            todo: Vec::new(),
            slots: 0,
        };
        walk.enter(0, &State { stack: Vec::new(), locals })?;
        Ok(walk)
    }

    fn run(&mut self) -> Result<(), Odd> {
        while let Some(start) = self.todo.pop() {
            let mut state = self.entry[start as usize].clone().expect("what is to do was entered");
            let mut number = start;
            loop {
                self.note(number, &state.stack)?;
                self.enter_handlers(number, &state)?;
                self.step(number, &mut state)?;
                let insn = self.flow.insn(number);
                if matches!(insn, Insn::Branch(..) | Insn::Switch(_)) {
                    for target in self.flow.successors(number) {
                        self.enter(target, &state)?;
                    }
                    break;
                }
                if !insn.opcode().is_some_and(Opcode::falls_through) {
                    break;
                }
                number += 1;
                match self.leader.get(number as usize) {
                    None => return Err(Odd("control falls off the end".to_owned())),
                    Some(true) => {
                        self.enter(number, &state)?;
                        break;
                    }
                    Some(false) => {}
                }
            }
        }
        Ok(())
    }

    /// Notes the stack before an instruction. Within a block it is what the block's start makes of it.
    fn note(&mut self, number: u32, stack: &[Slot]) -> Result<(), Odd> {
        let place = &mut self.before[number as usize];
        if place.is_none() {
            self.slots += stack.len() + 1;
            if self.slots > MAX_SLOTS {
                return Err(Odd("it has too many instructions with too much on the stack".to_owned()));
            }
        }
        *place = Some(stack.to_vec());
        Ok(())
    }

    fn enter_handlers(&mut self, number: u32, state: &State) -> Result<(), Odd> {
        let covers = |range: &&Range| (range.start..range.end).contains(&number);
        let ranges: Vec<Range> = self.flow.handlers.iter().filter(covers).copied().collect();
        for range in ranges {
            let caught = match range.catch_type {
                PoolIndex::NONE => "java/lang/Throwable".into(),
                class => self.file.pool.class_name(class)?,
            };
            let stack = vec![Slot { pusher: None, kind: Kind::Reference(caught.into()) }];
            // Without a frame, the handler would have to be told of every change of a local variable.
            let locals = vec![Kind::Other; state.locals.len()];
            self.enter(range.handler, &State { stack, locals })?;
        }
        Ok(())
    }

    /// Control gets to the start of a block.
    fn enter(&mut self, number: u32, state: &State) -> Result<(), Odd> {
        let Some(known) = &mut self.entry[number as usize] else {
            self.slots += state.stack.len() + state.locals.len();
            if self.slots > MAX_SLOTS {
                return Err(Odd("it has too many blocks with too many variables".to_owned()));
            }
            self.entry[number as usize] = Some(state.clone());
            self.todo.push(number);
            return self.take_frame(number);
        };
        if known.stack.len() != state.stack.len() {
            return Err(Odd("ways meet with different stacks".to_owned()));
        }
        let has_frame = self.frames.binary_search_by_key(&self.flow.offset(number), |&(offset, _)| offset).is_ok();
        let mut changed = false;
        for (known, new) in known.stack.iter_mut().zip(&state.stack) {
            if known.pusher.is_some() && known.pusher != new.pusher {
                known.pusher = None;
                changed = true;
            }
            // What a frame says stands.
            changed |= !has_frame && known.kind.merge(&new.kind);
        }
        for (known, new) in known.locals.iter_mut().zip(&state.locals).filter(|_| !has_frame) {
            changed |= known.merge(new);
        }
        if changed {
            self.todo.push(number);
        }
        Ok(())
    }

    /// Takes the types of a frame, if there is one.
    fn take_frame(&mut self, number: u32) -> Result<(), Odd> {
        let offset = self.flow.offset(number);
        let Ok(found) = self.frames.binary_search_by_key(&offset, |&(offset, _)| offset) else { return Ok(()) };
        let frame = &self.frames[found].1;
        let state = self.entry[number as usize].as_mut().expect("it was entered");
        let mut slot = 0;
        for kind in &frame.stack {
            let wide = matches!(kind, VerificationType::Long | VerificationType::Double);
            let kind = verified_kind(&self.file.pool, &self.parameters, *kind)?;
            match state.stack.get_mut(slot) {
                Some(slot) => slot.kind = kind,
                None => return Err(Odd("a frame does not fit the stack".to_owned())),
            }
            slot += if wide { 2 } else { 1 };
        }
        if slot != state.stack.len() {
            return Err(Odd("a frame does not fit the stack".to_owned()));
        }
        state.locals.fill(Kind::Other);
        let mut local = 0;
        for kind in &frame.locals {
            let wide = matches!(kind, VerificationType::Long | VerificationType::Double);
            let kind = verified_kind(&self.file.pool, &self.parameters, *kind)?;
            if let Some(local) = state.locals.get_mut(local) {
                *local = kind;
            }
            local += if wide { 2 } else { 1 };
        }
        Ok(())
    }

    /// What an instruction does to the stack and to local variables.
    fn step(&self, number: u32, state: &mut State) -> Result<(), Odd> {
        let pool = &self.file.pool;
        let insn = self.flow.insn(number);
        let (pops, pushes) = stack_effect(pool, insn)?;
        let depth = state.stack.len();
        let Some(left) = depth.checked_sub(pops as usize) else {
            return Err(Odd(format!("too little is on the stack at {}", self.flow.offset(number))));
        };
        let popped: Vec<Kind> = state.stack.drain(left..).map(|slot| slot.kind).collect();
        let stored = stored_local(insn);
        if let Some((local, slots)) = stored {
            let end = (usize::from(local) + usize::from(slots)).min(state.locals.len());
            for at in usize::from(local)..end {
                state.locals[at] = Kind::Other;
            }
            if let (1, Some(value), Some(place)) = (slots, popped.first(), state.locals.get_mut(usize::from(local))) {
                *place = value.clone();
            }
        }
        let kinds = pushed_kinds(pool, insn, &popped, &state.locals, pushes as usize)?;
        state.stack.extend(kinds.into_iter().map(|kind| Slot { pusher: Some(number), kind }));
        Ok(())
    }
}

fn verified_kind(pool: &ConstantPool<'_>, parameters: &[Kind], kind: VerificationType) -> Result<Kind, Odd> {
    Ok(match kind {
        VerificationType::Null => Kind::Null,
        VerificationType::Object(class) => Kind::Reference(pool.class_name(class)?.into()),
        VerificationType::Argument(index) => parameters.get(usize::from(index)).cloned().unwrap_or(Kind::Other),
        VerificationType::Top
        | VerificationType::Integer
        | VerificationType::Float
        | VerificationType::Double
        | VerificationType::Long
        | VerificationType::UninitializedThis
        | VerificationType::Uninitialized(_) => Kind::Other,
    })
}

/// The local variable that an instruction stores to, and its slots.
fn stored_local(insn: &Insn) -> Option<(u16, u16)> {
    use Opcode::*;
    let stores = match insn {
        Insn::Local(opcode, _) => (Istore..=Astore).contains(opcode),
        Insn::Plain(opcode) => (Istore0..=Astore3).contains(opcode),
        _ => false,
    };
    insn.local().filter(|_| stores)
}

/// What the slots are known to hold that an instruction pushes.
fn pushed_kinds(
    pool: &ConstantPool<'_>,
    insn: &Insn,
    popped: &[Kind],
    locals: &[Kind],
    pushes: usize,
) -> Result<Vec<Kind>, Odd> {
    use Opcode::*;
    let one = |kind: Kind| vec![kind];
    let take = |indices: &[usize]| indices.iter().map(|&index| popped[index].clone()).collect::<Vec<_>>();
    Ok(match insn {
        Insn::Plain(AconstNull) => one(Kind::Null),
        Insn::Plain(Aload0 | Aload1 | Aload2 | Aload3) | Insn::Local(Aload, _) => {
            let local = insn.local().map_or(0, |(local, _)| usize::from(local));
            one(locals.get(local).cloned().unwrap_or(Kind::Other))
        }
        Insn::Plain(Dup) => take(&[0, 0]),
        Insn::Plain(DupX1) => take(&[1, 0, 1]),
        Insn::Plain(DupX2) => take(&[2, 0, 1, 2]),
        Insn::Plain(Dup2) => take(&[0, 1, 0, 1]),
        Insn::Plain(Dup2X1) => take(&[1, 2, 0, 1, 2]),
        Insn::Plain(Dup2X2) => take(&[2, 3, 0, 1, 2, 3]),
        Insn::Plain(Swap) => take(&[1, 0]),
        Insn::Plain(Aaload) => one(match &popped[0] {
            Kind::Reference(array) => array.strip_prefix('[').map_or(Kind::Other, Kind::of_descriptor),
            _ => Kind::Other,
        }),
        Insn::Constant(Checkcast | New, class) => one(Kind::Reference(pool.class_name(*class)?.into())),
        Insn::Constant(Ldc | LdcW, constant) => one(match pool.get(*constant)? {
            Constant::String { .. } => Kind::Reference("java/lang/String".into()),
            Constant::Class { .. } => Kind::Reference("java/lang/Class".into()),
            _ => Kind::Other,
        }),
        Insn::Constant(Getfield | Getstatic, field) => {
            let mut kinds = vec![Kind::Other; pushes];
            kinds[0] = Kind::of_descriptor(&pool.member_ref(*field)?.descriptor);
            kinds
        }
        Insn::Constant(Invokevirtual | Invokespecial | Invokestatic, method) | Insn::InvokeInterface { method, .. } => {
            let mut kinds = vec![Kind::Other; pushes];
            if let (Some(kind), Some((_, result))) =
                (kinds.first_mut(), pool.member_ref(*method)?.descriptor.rsplit_once(')'))
            {
                *kind = Kind::of_descriptor(result);
            }
            kinds
        }
        _ => vec![Kind::Other; pushes],
    })
}
