//! What each instruction does: the one place that knows, used to find types and to make code.

use r8lite_classfile::{ClassFile, Constant as Pooled, Insn, Opcode, PoolIndex, Switch};
use r8lite_ir::{
    Block, Body, Class, ClassOrigin, Constant, Flags, Func, InstData, MethodRef, MethodRefData, Module, Op, Origin,
    Payload, SigData, Type, Value, ValueData, ValueDef,
};

use super::body::is_wide;
use super::frame::{Frame, Slot};
use super::headers::string;
use crate::DYNAMIC;
use crate::names::{self, Named};

/// Makes instructions, or only finds the types of what they would make.
pub(crate) struct Emitter<'a, 'f> {
    pub(crate) module: &'a mut Module,
    file: &'a ClassFile<'f>,
    pub(crate) body: Body,
    /// Whether nothing is made but values that have types.
    pub(crate) dry: bool,
    pub(crate) block: Block,
    pub(crate) origin: Origin,
    /// What the method returns.
    returns: Option<Type>,
}

/// Where it goes on after an instruction.
pub(crate) enum Flow {
    /// With the next one.
    Next,
    /// With the block's only target.
    Goto,
    /// With the first target if the condition's being other than 0 is `when`, else with the second.
    Branch { condition: Value, when: bool },
    /// With the target of the key, or the last one.
    Switch { value: Value, keys: Vec<i32> },
    /// Where a subroutine was called: at this instruction.
    Ret(u32),
    /// Nowhere: the method is left.
    Leave,
}

impl<'a, 'f> Emitter<'a, 'f> {
    pub(crate) fn new(module: &'a mut Module, file: &'a ClassFile<'f>, func: Func) -> Self {
        let body = Body::new();
        let block = body.entry();
        let returns = module.sig(module.funcs[func].sig).ret;
        Emitter { module, file, body, dry: true, block, origin: Origin::default(), returns }
    }

    /// A value that is but a type.
    pub(crate) fn imagine(&mut self, ty: Type) -> Value {
        self.body.values.push(ValueData { ty, def: ValueDef::Const(Constant::Null), name: None })
    }

    fn constant(&mut self, constant: Constant) -> Value {
        self.body.constant(self.module, constant)
    }

    fn int(&mut self, n: i32) -> Value {
        self.constant(Constant::I32(n))
    }

    /// Makes an instruction; its result, if it has one.
    fn emit(&mut self, op: Op, payload: Payload, args: &[Value]) -> Option<Value> {
        let data = InstData::new(op, payload, args.iter().copied(), self.origin);
        if self.dry {
            let ty = self.body.result_type(self.module, &data)?;
            return Some(self.imagine(ty));
        }
        let inst = self.body.append(self.module, self.block, data, None);
        self.body.insts[inst].result
    }

    fn result(&mut self, op: Op, payload: Payload, args: &[Value]) -> Value {
        self.emit(op, payload, args).expect("the operands allow a result")
    }

    fn ty(&self, value: Value) -> Type {
        self.body.values[value].ty
    }

    fn show(&self, ty: Type) -> String {
        r8lite_ir::text::print_type(self.module, ty)
    }

    fn mismatch<T>(&self, found: Type, wanted: &str) -> Named<T> {
        Err(format!("an operand is of type {}, wanted {wanted}", self.show(found)))
    }

    /// A value where one of a type is wanted. Where the IR is stricter than the JVM, it is cast: to what it is.
    fn coerce(&mut self, value: Value, wanted: Type) -> Named<Value> {
        let found = self.ty(value);
        let wanted = wanted.value_type();
        if fits(self.module, found, wanted) {
            return Ok(value);
        }
        if found.is_ref() && wanted.is_ref() {
            return Ok(self.result(Op::CheckCast, Payload::Type(wanted), &[value]));
        }
        self.mismatch(found, &self.show(wanted))
    }

    // The stack.

    fn pop_slot(&mut self, frame: &mut Frame) -> Named<Slot> {
        frame.stack.pop().ok_or_else(|| "the stack is empty".to_owned())
    }

    fn pop(&mut self, frame: &mut Frame) -> Named<Value> {
        match self.pop_slot(frame)? {
            Slot::Value(value) => Ok(value),
            Slot::Return(_) => Err("an operand is a return address".to_owned()),
            Slot::Unusable => Err("an operand differs by the way that was taken".to_owned()),
        }
    }

    /// Takes a number of this very type, or a reference that fits or is cast.
    fn pop_as(&mut self, frame: &mut Frame, wanted: Type) -> Named<Value> {
        let value = self.pop(frame)?;
        self.coerce(value, wanted)
    }

    fn pop_ref(&mut self, frame: &mut Frame) -> Named<Value> {
        let value = self.pop(frame)?;
        let ty = self.ty(value);
        if ty.is_ref() { Ok(value) } else { self.mismatch(ty, "a reference") }
    }

    fn is_wide_slot(&self, slot: Slot) -> bool {
        matches!(slot, Slot::Value(value) if is_wide(self.ty(value)))
    }

    /// Takes one wide value or two others, topmost last.
    fn pop_two(&mut self, frame: &mut Frame) -> Named<Vec<Slot>> {
        let top = self.pop_slot(frame)?;
        if self.is_wide_slot(top) {
            return Ok(vec![top]);
        }
        Ok(vec![self.pop_narrow(frame)?, top])
    }

    fn pop_narrow(&mut self, frame: &mut Frame) -> Named<Slot> {
        let slot = self.pop_slot(frame)?;
        if self.is_wide_slot(slot) {
            return Err("half of a wide operand is wanted".to_owned());
        }
        Ok(slot)
    }

    /// `dup` and its kin: what is doubled, and under how many slots it goes.
    fn dup(&mut self, frame: &mut Frame, opcode: Opcode) -> Named<()> {
        let top = match opcode {
            Opcode::Dup | Opcode::DupX1 | Opcode::DupX2 => vec![self.pop_narrow(frame)?],
            _ => self.pop_two(frame)?,
        };
        let under = match opcode {
            Opcode::DupX1 | Opcode::Dup2X1 => vec![self.pop_narrow(frame)?],
            Opcode::DupX2 | Opcode::Dup2X2 => self.pop_two(frame)?,
            _ => Vec::new(),
        };
        frame.stack.extend(top.iter().chain(&under).chain(&top));
        Ok(())
    }

    // Local variables.

    fn load(&mut self, frame: &mut Frame, kind: u8, local: u16) -> Named<()> {
        let Slot::Value(value) = frame.local(local) else {
            return Err(format!("local variable {local} holds nothing that may be used"));
        };
        let found = self.ty(value);
        if !is_of_kind(found, kind) {
            return self.mismatch(found, KINDS[usize::from(kind)]);
        }
        frame.stack.push(Slot::Value(value));
        Ok(())
    }

    fn store(&mut self, frame: &mut Frame, kind: u8, local: u16) -> Named<()> {
        let slot = self.pop_slot(frame)?;
        match slot {
            Slot::Value(value) if !is_of_kind(self.ty(value), kind) => {
                return self.mismatch(self.ty(value), KINDS[usize::from(kind)]);
            }
            Slot::Return(_) if kind != REFERENCE => return Err("an operand is a return address".to_owned()),
            Slot::Unusable => return Err("an operand differs by the way that was taken".to_owned()),
            Slot::Value(_) | Slot::Return(_) => {}
        }
        if let Some(before) = local.checked_sub(1)
            && self.is_wide_slot(frame.local(before))
        {
            frame.set_local(before, Slot::Unusable);
        }
        frame.set_local(local, slot);
        if self.is_wide_slot(slot) {
            frame.set_local(local + 1, Slot::Unusable);
        }
        Ok(())
    }

    /// Does what an instruction does; `number` is its own.
    pub(crate) fn step(&mut self, frame: &mut Frame, insn: &Insn, number: u32) -> Named<Flow> {
        match insn {
            Insn::Plain(opcode) => return self.plain(frame, *opcode),
            Insn::Push(_, n) => {
                let value = self.int(i32::from(*n));
                frame.stack.push(Slot::Value(value));
            }
            Insn::Local(Opcode::Ret, local) => {
                return match frame.local(*local) {
                    Slot::Return(to) => Ok(Flow::Ret(to)),
                    Slot::Value(_) | Slot::Unusable => Err(format!("local variable {local} holds no return address")),
                };
            }
            Insn::Local(opcode, local) => match opcode.byte().checked_sub(Opcode::Istore.byte()) {
                Some(kind) => self.store(frame, kind, *local)?,
                None => self.load(frame, opcode.byte() - Opcode::Iload.byte(), *local)?,
            },
            Insn::Increment { local, by } => {
                self.load(frame, 0, *local)?;
                let (old, by) = (self.pop(frame)?, self.int(i32::from(*by)));
                let new = self.result(Op::Add, Payload::None, &[old, by]);
                frame.set_local(*local, Slot::Value(new));
            }
            Insn::Constant(opcode, index) => self.constant_insn(frame, *opcode, *index)?,
            Insn::InvokeInterface { method, .. } => self.invoke(frame, Op::InvokeInterface, *method)?,
            Insn::NewArray(kind) => {
                let element = [Type::Bool, Type::U16, Type::F32, Type::F64, Type::I8, Type::I16, Type::I32, Type::I64];
                let element = kind.checked_sub(4).and_then(|kind| element.get(usize::from(kind)).copied());
                let Some(element) = element else { return Err(format!("no primitive type has the number {kind}")) };
                let array = self.module.array_of(element);
                self.new_array(frame, array, 1)?;
            }
            Insn::MultiNewArray { class, dimensions } => {
                let array = names::class_constant(self.module, self.file, *class)?;
                self.new_array(frame, array, *dimensions)?;
            }
            Insn::Branch(opcode, _) => return self.branch(frame, *opcode, number),
            Insn::Switch(switch) => return self.switch(frame, switch),
            Insn::Label(_) => {}
        }
        Ok(Flow::Next)
    }

    fn plain(&mut self, frame: &mut Frame, opcode: Opcode) -> Named<Flow> {
        use Opcode::*;
        use Type::{F32, F64, I8, I16, I32, I64, U16};
        let byte = opcode.byte();
        match opcode {
            Nop => {}
            AconstNull => self.push_constant(frame, Constant::Null),
            IconstM1 | Iconst0 | Iconst1 | Iconst2 | Iconst3 | Iconst4 | Iconst5 => {
                self.push_constant(frame, Constant::I32(i32::from(byte) - i32::from(Iconst0.byte())));
            }
            Lconst0 | Lconst1 => self.push_constant(frame, Constant::I64(i64::from(byte - Lconst0.byte()))),
            Fconst0 | Fconst1 | Fconst2 => {
                self.push_constant(frame, Constant::F32(f32::from(byte - Fconst0.byte()).to_bits()));
            }
            Dconst0 | Dconst1 => {
                self.push_constant(frame, Constant::F64(f64::from(byte - Dconst0.byte()).to_bits()));
            }
            _ if (Iload0..=Aload3).contains(&opcode) => {
                let index = byte - Iload0.byte();
                self.load(frame, index / 4, u16::from(index % 4))?;
            }
            _ if (Istore0..=Astore3).contains(&opcode) => {
                let index = byte - Istore0.byte();
                self.store(frame, index / 4, u16::from(index % 4))?;
            }
            Iaload => self.array_load(frame, I32)?,
            Laload => self.array_load(frame, I64)?,
            Faload => self.array_load(frame, F32)?,
            Daload => self.array_load(frame, F64)?,
            Aaload => self.array_load(frame, Type::Null)?,
            Baload => self.array_load(frame, I8)?,
            Caload => self.array_load(frame, U16)?,
            Saload => self.array_load(frame, I16)?,
            Iastore => self.array_store(frame, I32)?,
            Lastore => self.array_store(frame, I64)?,
            Fastore => self.array_store(frame, F32)?,
            Dastore => self.array_store(frame, F64)?,
            Aastore => self.array_store(frame, Type::Null)?,
            Bastore => self.array_store(frame, I8)?,
            Castore => self.array_store(frame, U16)?,
            Sastore => self.array_store(frame, I16)?,
            Pop => {
                self.pop_narrow(frame)?;
            }
            Pop2 => {
                self.pop_two(frame)?;
            }
            Dup | DupX1 | DupX2 | Dup2 | Dup2X1 | Dup2X2 => self.dup(frame, opcode)?,
            Swap => {
                let (top, under) = (self.pop_narrow(frame)?, self.pop_narrow(frame)?);
                frame.stack.extend([top, under]);
            }
            _ if (Iadd..=Drem).contains(&opcode) => {
                let index = byte - Iadd.byte();
                let op = [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem][usize::from(index / 4)];
                self.binary(frame, op, [I32, I64, F32, F64][usize::from(index % 4)])?;
            }
            Ineg | Lneg | Fneg | Dneg => {
                let ty = [I32, I64, F32, F64][usize::from(byte - Ineg.byte())];
                let value = self.pop_as(frame, ty)?;
                self.push_result(frame, Op::Neg, Payload::None, &[value]);
            }
            _ if (Ishl..=Lushr).contains(&opcode) => {
                let index = byte - Ishl.byte();
                let (by, value) = (self.pop_as(frame, I32)?, self.pop_as(frame, [I32, I64][usize::from(index % 2)])?);
                self.push_result(
                    frame,
                    [Op::Shl, Op::Shr, Op::Ushr][usize::from(index / 2)],
                    Payload::None,
                    &[value, by],
                );
            }
            _ if (Iand..=Lxor).contains(&opcode) => {
                let index = byte - Iand.byte();
                let op = [Op::And, Op::Or, Op::Xor][usize::from(index / 2)];
                self.binary(frame, op, [I32, I64][usize::from(index % 2)])?;
            }
            I2l => self.convert(frame, I32, I64)?,
            I2f => self.convert(frame, I32, F32)?,
            I2d => self.convert(frame, I32, F64)?,
            L2i => self.convert(frame, I64, I32)?,
            L2f => self.convert(frame, I64, F32)?,
            L2d => self.convert(frame, I64, F64)?,
            F2i => self.convert(frame, F32, I32)?,
            F2l => self.convert(frame, F32, I64)?,
            F2d => self.convert(frame, F32, F64)?,
            D2i => self.convert(frame, F64, I32)?,
            D2l => self.convert(frame, F64, I64)?,
            D2f => self.convert(frame, F64, F32)?,
            I2b => self.convert(frame, I32, I8)?,
            I2c => self.convert(frame, I32, U16)?,
            I2s => self.convert(frame, I32, I16)?,
            Lcmp => self.binary(frame, Op::Cmp, I64)?,
            Fcmpl => self.binary(frame, Op::Cmpl, F32)?,
            Fcmpg => self.binary(frame, Op::Cmpg, F32)?,
            Dcmpl => self.binary(frame, Op::Cmpl, F64)?,
            Dcmpg => self.binary(frame, Op::Cmpg, F64)?,
            Ireturn | Lreturn | Freturn | Dreturn | Areturn | Return => return self.leave(frame, opcode),
            Arraylength => {
                let array = self.pop_array(frame, None)?;
                self.push_result(frame, Op::ArrayLength, Payload::None, &[array]);
            }
            Athrow => {
                let throwable = names::class(self.module, "java/lang/Throwable")?;
                let exception = self.pop_as(frame, Type::Class(throwable))?;
                self.emit(Op::Throw, Payload::None, &[exception]);
                return Ok(Flow::Leave);
            }
            Monitorenter | Monitorexit => {
                let object = self.pop_ref(frame)?;
                let op = if opcode == Monitorenter { Op::MonitorEnter } else { Op::MonitorExit };
                self.emit(op, Payload::None, &[object]);
            }
            _ => return Err(format!("{} stands without its operands", opcode.mnemonic())),
        }
        Ok(Flow::Next)
    }

    fn push_constant(&mut self, frame: &mut Frame, constant: Constant) {
        let value = self.constant(constant);
        frame.stack.push(Slot::Value(value));
    }

    fn push_result(&mut self, frame: &mut Frame, op: Op, payload: Payload, args: &[Value]) {
        let value = self.result(op, payload, args);
        frame.stack.push(Slot::Value(value));
    }

    fn binary(&mut self, frame: &mut Frame, op: Op, ty: Type) -> Named<()> {
        let (b, a) = (self.pop_as(frame, ty)?, self.pop_as(frame, ty)?);
        self.push_result(frame, op, Payload::None, &[a, b]);
        Ok(())
    }

    fn convert(&mut self, frame: &mut Frame, from: Type, to: Type) -> Named<()> {
        let value = self.pop_as(frame, from)?;
        self.push_result(frame, Op::Convert, Payload::Type(to), &[value]);
        Ok(())
    }

    fn leave(&mut self, frame: &mut Frame, opcode: Opcode) -> Named<Flow> {
        let wanted = self.returns;
        match (wanted, opcode) {
            (None, Opcode::Return) => {
                self.emit(Op::Return, Payload::None, &[]);
            }
            (Some(ty), opcode) if opcode != Opcode::Return => {
                let value = self.pop_as(frame, ty)?;
                self.emit(Op::Return, Payload::None, &[value]);
            }
            (_, opcode) => return Err(format!("{} does not return what the method does", opcode.mnemonic())),
        }
        Ok(Flow::Leave)
    }

    // Arrays.

    /// Takes an array with elements of this type; `Null` stands for references, `I8` for `boolean` as well.
    fn pop_array(&mut self, frame: &mut Frame, element: Option<Type>) -> Named<Value> {
        let value = self.pop_ref(frame)?;
        if let Type::Array(array) = self.ty(value) {
            let found = self.module.array_element(array);
            let fits = match element {
                None => true,
                Some(Type::Null) => found.is_ref(),
                Some(Type::I8) => matches!(found, Type::I8 | Type::Bool),
                Some(element) => found == element,
            };
            return if fits { Ok(value) } else { self.mismatch(self.ty(value), "an array of another type") };
        }
        // What the JVM merges to an array may be but an object here.
        let element = match element {
            None | Some(Type::Null) => Type::Class(names::class(self.module, "java/lang/Object")?),
            Some(element) => element,
        };
        let array = self.module.array_of(element);
        Ok(self.result(Op::CheckCast, Payload::Type(array), &[value]))
    }

    fn array_load(&mut self, frame: &mut Frame, element: Type) -> Named<()> {
        let index = self.pop_as(frame, Type::I32)?;
        let array = self.pop_array(frame, Some(element))?;
        self.push_result(frame, Op::ArrayLoad, Payload::None, &[array, index]);
        Ok(())
    }

    fn array_store(&mut self, frame: &mut Frame, element: Type) -> Named<()> {
        let value = match element {
            Type::Null => self.pop_ref(frame)?,
            element => self.pop_as(frame, element)?,
        };
        let index = self.pop_as(frame, Type::I32)?;
        let array = self.pop_array(frame, Some(element))?;
        self.emit(Op::ArrayStore, Payload::None, &[array, index, value]);
        Ok(())
    }

    fn new_array(&mut self, frame: &mut Frame, array: Type, dimensions: u8) -> Named<()> {
        let mut element = array;
        for _ in 0..dimensions {
            match element {
                Type::Array(array) => element = self.module.array_element(array),
                _ => return Err("an array has fewer dimensions than lengths".to_owned()),
            }
        }
        if dimensions == 0 {
            return Err("an array has no length".to_owned());
        }
        let mut lengths = Vec::with_capacity(usize::from(dimensions));
        for _ in 0..dimensions {
            lengths.push(self.pop_as(frame, Type::I32)?);
        }
        lengths.reverse();
        self.push_result(frame, Op::NewArray, Payload::Type(array), &lengths);
        Ok(())
    }

    // Control.

    fn branch(&mut self, frame: &mut Frame, opcode: Opcode, number: u32) -> Named<Flow> {
        use Opcode::*;
        let (op, with_zero) = match opcode {
            Goto | GotoW => return Ok(Flow::Goto),
            Jsr | JsrW => {
                frame.stack.push(Slot::Return(number + 1));
                return Ok(Flow::Goto);
            }
            Ifeq | Ifne => {
                let condition = self.pop_as(frame, Type::I32)?;
                return Ok(Flow::Branch { condition, when: opcode == Ifne });
            }
            Ifnull | Ifnonnull => {
                let (value, null) = (self.pop_ref(frame)?, self.constant(Constant::Null));
                let op = if opcode == Ifnull { Op::Eq } else { Op::Ne };
                let condition = self.result(op, Payload::None, &[value, null]);
                return Ok(Flow::Branch { condition, when: true });
            }
            IfAcmpeq | IfAcmpne => {
                let (b, a) = (self.pop_ref(frame)?, self.pop_ref(frame)?);
                let op = if opcode == IfAcmpeq { Op::Eq } else { Op::Ne };
                let condition = self.result(op, Payload::None, &[a, b]);
                return Ok(Flow::Branch { condition, when: true });
            }
            Iflt => (Op::Lt, true),
            Ifge => (Op::Ge, true),
            Ifgt => (Op::Gt, true),
            Ifle => (Op::Le, true),
            IfIcmpeq => (Op::Eq, false),
            IfIcmpne => (Op::Ne, false),
            IfIcmplt => (Op::Lt, false),
            IfIcmpge => (Op::Ge, false),
            IfIcmpgt => (Op::Gt, false),
            IfIcmple => (Op::Le, false),
            _ => return Err(format!("{} is no branch", opcode.mnemonic())),
        };
        let b = if with_zero { self.int(0) } else { self.pop_as(frame, Type::I32)? };
        let a = self.pop_as(frame, Type::I32)?;
        let condition = self.result(op, Payload::None, &[a, b]);
        Ok(Flow::Branch { condition, when: true })
    }

    fn switch(&mut self, frame: &mut Frame, switch: &Switch) -> Named<Flow> {
        let value = self.pop_as(frame, Type::I32)?;
        let keys: Vec<i32> = match switch {
            Switch::Table { low, targets, .. } => {
                (0..targets.len()).map(|index| low.wrapping_add(index as i32)).collect()
            }
            Switch::Lookup { cases, .. } => cases.iter().map(|&(key, _)| key).collect(),
        };
        if keys.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err("the keys of a switch do not ascend".to_owned());
        }
        Ok(Flow::Switch { value, keys })
    }

    // What names a constant.

    fn constant_insn(&mut self, frame: &mut Frame, opcode: Opcode, index: PoolIndex) -> Named<()> {
        use Opcode::*;
        match opcode {
            Ldc | LdcW | Ldc2W => self.load_constant(frame, index)?,
            Getstatic => {
                let field = names::field_ref(self.module, self.file, index)?;
                self.push_result(frame, Op::GetStatic, Payload::Field(field), &[]);
            }
            Putstatic => {
                let field = names::field_ref(self.module, self.file, index)?;
                let value = self.pop_as(frame, self.module.field_ref(field).ty)?;
                self.emit(Op::PutStatic, Payload::Field(field), &[value]);
            }
            Getfield => {
                let field = names::field_ref(self.module, self.file, index)?;
                let holder = self.pop_as(frame, Type::Class(self.module.field_ref(field).class))?;
                self.push_result(frame, Op::GetField, Payload::Field(field), &[holder]);
            }
            Putfield => {
                let field = names::field_ref(self.module, self.file, index)?;
                let named = self.module.field_ref(field);
                let (value, holder) = (self.pop_as(frame, named.ty)?, self.pop_as(frame, Type::Class(named.class))?);
                self.emit(Op::PutField, Payload::Field(field), &[holder, value]);
            }
            Invokevirtual => self.invoke(frame, Op::InvokeVirtual, index)?,
            Invokespecial => self.invoke(frame, Op::InvokeSpecial, index)?,
            Invokestatic => self.invoke(frame, Op::InvokeStatic, index)?,
            Invokedynamic => {
                let (name, descriptor) = match self.file.pool.get(index) {
                    Ok(Pooled::InvokeDynamic { name_and_type, .. }) => {
                        self.file.pool.name_and_type(name_and_type).map_err(|error| error.to_string())?
                    }
                    _ => return Err(format!("constant {index} is no InvokeDynamic")),
                };
                let sig = names::sig(self.module, &descriptor)?;
                let method = self.dynamic(&name, sig)?;
                self.call(frame, Op::InvokeStatic, method)?;
            }
            New => {
                let class = match names::class_constant(self.module, self.file, index)? {
                    Type::Class(class) => class,
                    _ => return Err("an array is made by `new`".to_owned()),
                };
                if self.module.classes[class].flags.has(Flags::ABSTRACT) {
                    return Err(format!("{} is abstract, and made by `new`", self.module.class_name(class)));
                }
                self.push_result(frame, Op::New, Payload::Class(class), &[]);
            }
            Anewarray => {
                let element = names::class_constant(self.module, self.file, index)?;
                let array = self.module.array_of(element);
                self.new_array(frame, array, 1)?;
            }
            Checkcast => {
                let ty = names::class_constant(self.module, self.file, index)?;
                let value = self.pop_ref(frame)?;
                self.push_result(frame, Op::CheckCast, Payload::Type(ty), &[value]);
            }
            Instanceof => {
                let ty = names::class_constant(self.module, self.file, index)?;
                let value = self.pop_ref(frame)?;
                self.push_result(frame, Op::InstanceOf, Payload::Type(ty), &[value]);
            }
            _ => return Err(format!("{} names no constant", opcode.mnemonic())),
        }
        Ok(())
    }

    fn load_constant(&mut self, frame: &mut Frame, index: PoolIndex) -> Named<()> {
        let constant = match self.file.pool.get(index).map_err(|error| error.to_string())? {
            Pooled::Integer(n) => Constant::I32(n),
            Pooled::Float(bits) => Constant::F32(bits),
            Pooled::Long(n) => Constant::I64(n),
            Pooled::Double(bits) => Constant::F64(bits),
            Pooled::String { text } => string(self.module, self.file, text)?,
            Pooled::Class { .. } => Constant::Class(names::class_constant(self.module, self.file, index)?),
            Pooled::MethodHandle { .. } => {
                return self.dynamic_constant(frame, "methodHandle", "Ljava/lang/invoke/MethodHandle;");
            }
            Pooled::MethodType { .. } => {
                return self.dynamic_constant(frame, "methodType", "Ljava/lang/invoke/MethodType;");
            }
            Pooled::Dynamic { name_and_type, .. } => {
                let named = self.file.pool.name_and_type(name_and_type).map_err(|error| error.to_string())?;
                return self.dynamic_constant(frame, &named.0, &named.1);
            }
            other => return Err(format!("constant {index} is {}, which is not loaded", other.kind())),
        };
        self.push_constant(frame, constant);
        Ok(())
    }

    fn dynamic_constant(&mut self, frame: &mut Frame, name: &str, descriptor: &str) -> Named<()> {
        let ret = Some(names::ty(self.module, descriptor)?);
        let sig = self.module.intern_sig(SigData { params: Vec::new(), ret });
        let method = self.dynamic(name, sig)?;
        self.call(frame, Op::InvokeStatic, method)
    }

    /// The method that stands for what the IR does not have.
    fn dynamic(&mut self, name: &str, sig: r8lite_ir::Sig) -> Named<MethodRef> {
        if name.starts_with('<') {
            return Err(format!("`{name}` is no name of a call site"));
        }
        let class = self.module.symbol(DYNAMIC);
        let class = self.module.class(class);
        let name = self.module.symbol(name);
        Ok(self.module.intern_method_ref(MethodRefData { class, name, sig }))
    }

    fn invoke(&mut self, frame: &mut Frame, op: Op, index: PoolIndex) -> Named<()> {
        let method = names::method_ref(self.module, self.file, index)?;
        let name = self.module.name(self.module.method_ref(method).name);
        if name.starts_with('<') && !(name == "<init>" && op == Op::InvokeSpecial) {
            return Err(format!("{} does not call {name}", op.mnemonic()));
        }
        self.call(frame, op, method)
    }

    fn call(&mut self, frame: &mut Frame, op: Op, method: MethodRef) -> Named<()> {
        let named = self.module.method_ref(method);
        let params = self.module.sig(named.sig).params.clone();
        let mut args = Vec::with_capacity(params.len() + 1);
        for &param in params.iter().rev() {
            args.push(self.pop_as(frame, param)?);
        }
        if op != Op::InvokeStatic {
            args.push(self.pop_as(frame, Type::Class(named.class))?);
        }
        args.reverse();
        if let Some(result) = self.emit(op, Payload::Method(method), &args) {
            frame.stack.push(Slot::Value(result));
        }
        Ok(())
    }
}

/// What loads and stores are for, by the last part of their opcodes.
const KINDS: [&str; 5] = ["i32", "i64", "f32", "f64", "a reference"];

const REFERENCE: u8 = 4;

fn is_of_kind(ty: Type, kind: u8) -> bool {
    match kind {
        0 => ty == Type::I32,
        1 => ty == Type::I64,
        2 => ty == Type::F32,
        3 => ty == Type::F64,
        _ => ty.is_ref(),
    }
}

/// How far superclasses are followed; a class that has more is taken for one that may be below anything.
const MAX_CHAIN: usize = 1 << 10;

/// Whether the IR takes a value of one type where another is wanted, as `Hierarchy::is_assignable` has it: that needs all
/// classes to be there, and here more are named all the time.
fn fits(module: &Module, from: Type, to: Type) -> bool {
    match (from, to) {
        _ if from == to => true,
        (Type::Null, to) => to.is_ref(),
        (Type::Class(_) | Type::Array(_), Type::Class(to)) => {
            is_open_or_interface(module, to) || module.class_name(to) == "java.lang.Object" || below(module, from, to)
        }
        (Type::Array(from), Type::Array(to)) => {
            let (from, to) = (module.array_element(from), module.array_element(to));
            from == to || from.is_ref() && to.is_ref() && fits(module, from, to)
        }
        _ => false,
    }
}

fn below(module: &Module, from: Type, to: Class) -> bool {
    let Type::Class(from) = from else { return false };
    let mut at = Some(from);
    for _ in 0..MAX_CHAIN {
        match at {
            Some(class) if class == to || is_extern(module, class) => return true,
            Some(class) => at = module.classes[class].superclass,
            None => return false,
        }
    }
    true
}

fn is_extern(module: &Module, class: Class) -> bool {
    matches!(module.classes[class].origin, ClassOrigin::Extern | ClassOrigin::Missing)
}

fn is_open_or_interface(module: &Module, class: Class) -> bool {
    is_extern(module, class) || module.classes[class].flags.has(Flags::INTERFACE)
}
