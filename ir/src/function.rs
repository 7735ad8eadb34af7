//! Bodies: the graph of values and instructions, and their layout in blocks.

use smallvec::SmallVec;

use crate::entity::{Block, Class, Inst, Literal, PrimaryMap, Symbol, Value};
use crate::inst::{InstData, Op, ResultType, Target};
use crate::module::Module;
use crate::types::Type;

/// A constant. Floats are compared by their bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// `5`
    I32(i32),
    /// `5L`
    I64(i64),
    /// `1.5f`, as bits.
    F32(u32),
    /// `1.5`, as bits.
    F64(u64),
    /// `null`
    Null,
    /// `"text"`: the one interned `String` of this content.
    String(Literal),
    /// `class Node`: the `Class` object of a type. Initialises nothing.
    Class(Type),
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// The parameter of a block with this index. The parameters of the entry block are those of the method.
    Param(Block, u32),
    /// The result of an instruction.
    Result(Inst),
    /// A constant; it belongs to no block and may be used anywhere.
    Const(Constant),
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueData {
    /// Its type; always a value type.
    pub ty: Type,
    /// Where it comes from.
    pub def: ValueDef,
    /// Its name in the text; an unnamed value is printed as `v` and its number.
    pub name: Option<Symbol>,
}

/// Where an exception thrown inside a block goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Catch {
    /// What is caught; none is everything.
    pub class: Option<Class>,
    /// The handler. Its first parameter is the exception; `target.args` are for the others, and must be available
    /// when the block is entered: the edge leaves before the block's first instruction.
    pub target: Target,
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockData {
    /// Its name in the text; an unnamed block is printed as `b` and its number.
    pub name: Option<Symbol>,
    /// Its parameters.
    pub params: SmallVec<[Value; 4]>,
    /// What happens to exceptions, first match wins; one that none catches leaves the method.
    pub catches: Vec<Catch>,
    /// Its instructions; the last one, and only that, is a terminator.
    pub insts: SmallVec<[Inst; 8]>,
    /// The byte offset of its label in the text.
    pub pos: u32,
}

/// The code of a method.
///
/// Definitions stand before their uses in layout order as well as dominating them, so a reader (and the parser) meets
/// every value before it is used.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// All blocks ever made.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// The blocks in the body, in order; the first is the entry, which nothing jumps to.
    pub layout: SmallVec<[Block; 4]>,
    /// All instructions ever made.
    pub insts: PrimaryMap<Inst, InstData>,
    /// All values ever made.
    pub values: PrimaryMap<Value, ValueData>,
}

impl Body {
    /// A body with an empty entry block.
    pub fn new() -> Self {
        let mut body = Self::default();
        let entry = body.blocks.push(BlockData::default());
        body.layout.push(entry);
        body
    }

    /// Moves everything to a body without room to spare, and leaves an empty entry block and the room: for who makes
    /// many bodies. What does not grow bit by bit lies close together, and every later walk gains from that.
    pub(crate) fn move_out(&mut self) -> Body {
        let Self { blocks, layout, insts, values } = self;
        let mut moved = Self {
            blocks: blocks.move_out(),
            layout: SmallVec::from_slice(layout),
            insts: insts.move_out(),
            values: values.move_out(),
        };
        for block in moved.blocks.values_mut() {
            block.insts.shrink_to_fit();
            block.catches.shrink_to_fit();
        }
        layout.clear();
        layout.push(blocks.push(BlockData::default()));
        moved
    }

    /// The entry block.
    ///
    /// # Panics
    /// If the layout is empty; [`Body::new`] makes an entry and nothing removes it.
    #[inline]
    pub fn entry(&self) -> Block {
        self.layout[0]
    }

    /// Adds a block at the end of the layout.
    pub fn add_block(&mut self, name: Option<Symbol>) -> Block {
        let block = self.blocks.push(BlockData { name, ..BlockData::default() });
        self.layout.push(block);
        block
    }

    /// Adds a parameter to a block.
    pub fn add_param(&mut self, block: Block, ty: Type, name: Option<Symbol>) -> Value {
        let index = self.blocks[block].params.len() as u32;
        let value = self.values.push(ValueData { ty: ty.value_type(), def: ValueDef::Param(block, index), name });
        self.blocks[block].params.push(value);
        value
    }

    /// Makes a constant.
    pub fn constant(&mut self, module: &Module, constant: Constant) -> Value {
        let ty = module.constant_type(constant);
        self.values.push(ValueData { ty, def: ValueDef::Const(constant), name: None })
    }

    /// Makes an instruction with its result, in no block yet.
    ///
    /// The result's type follows from the opcode's row; where the operands do not allow one (`arrayload` on what is no
    /// array), it is `None` and the verifier will say so.
    pub fn make_inst(&mut self, module: &Module, mut data: InstData, name: Option<Symbol>) -> Inst {
        let inst = self.insts.next_key();
        if let Some(ty) = self.result_type(module, &data) {
            data.result = Some(self.values.push(ValueData { ty, def: ValueDef::Result(inst), name }));
        }
        self.insts.push(data);
        inst
    }

    /// Makes an instruction at the end of a block.
    pub fn append(&mut self, module: &Module, block: Block, data: InstData, name: Option<Symbol>) -> Inst {
        let inst = self.make_inst(module, data, name);
        self.blocks[block].insts.push(inst);
        inst
    }

    /// The type of the result that an instruction has, by its opcode's row.
    pub fn result_type(&self, module: &Module, data: &InstData) -> Option<Type> {
        let arg = |index: u8| data.args.get(usize::from(index)).map(|&v| self.values[v].ty);
        match data.op.info().result {
            ResultType::None => None,
            ResultType::I32 => Some(Type::I32),
            ResultType::I64 => Some(Type::I64),
            ResultType::Arg(index) => arg(index),
            ResultType::Either => Some(module.join(arg(1)?, arg(2)?)),
            ResultType::Symbol => data.type_symbol().map(Type::value_type),
            ResultType::Class => data.class_symbol().map(Type::Class),
            ResultType::Field => data.field_symbol().map(|f| module.field_ref(f).ty.value_type()),
            ResultType::Return => {
                let method = module.method_ref(data.method_symbol()?);
                module.sig(method.sig).ret.map(Type::value_type)
            }
            ResultType::Element => match arg(0)? {
                Type::Array(array) => Some(module.array_element(array).value_type()),
                _ => None,
            },
        }
    }

    /// The last instruction of a block, if it ends the block.
    #[inline]
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        let last = *self.blocks[block].insts.last()?;
        self.insts[last].op.is_terminator().then_some(last)
    }

    /// The constant that a value is.
    #[inline]
    pub fn as_const(&self, value: Value) -> Option<Constant> {
        match self.values[value].def {
            ValueDef::Const(constant) => Some(constant),
            _ => None,
        }
    }

    /// The instruction that defines a value.
    #[inline]
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Result(inst) => Some(inst),
            _ => None,
        }
    }

    /// Whether an instruction may throw, given its operands. What names a class or a field that is not declared may, if
    /// that turns out to be missing.
    #[inline]
    pub fn may_throw(&self, module: &Module, inst: Inst) -> bool {
        let data = &self.insts[inst];
        match data.op {
            Op::Div | Op::Rem => {
                match data.args.get(1).map(|&divisor| (self.values[divisor].ty, self.as_const(divisor))) {
                    Some((Type::F32 | Type::F64, _)) => false,
                    Some((_, Some(Constant::I32(n)))) => n == 0,
                    Some((_, Some(Constant::I64(n)))) => n == 0,
                    _ => true,
                }
            }
            Op::InstanceOf => {
                self.as_const(data.args[0]) != Some(Constant::Null)
                    && data.type_symbol().is_none_or(|ty| module.unknown_class(ty).is_some())
            }
            // An inherited field is there as well, but to find it takes the hierarchy, and few are named so.
            Op::FieldOffset => data.field_symbol().is_none_or(|field| {
                let field = module.field_ref(field);
                module.declared_field(field.class, field.name).is_none_or(|found| module.fields[found].ty != field.ty)
            }),
            op => op.info().throws,
        }
    }

    /// All instructions in layout order, with their blocks.
    #[inline]
    pub fn layout_insts(&self) -> impl Iterator<Item = (Block, Inst)> + '_ {
        self.layout.iter().flat_map(move |&block| self.blocks[block].insts.iter().map(move |&inst| (block, inst)))
    }
}
