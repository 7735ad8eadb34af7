//! Instructions: the one opcode table, and the data an instruction carries.
//!
//! In the text an instruction is `RESULT = MNEMONIC[.ORDERING] SYMBOL, VALUE, VALUE…`. The table below says for each
//! opcode which symbol it takes, how many values, what type the result has and what the instruction may do. Parser,
//! printer, verifier, interpreter and passes read it from here.

use smallvec::SmallVec;

use crate::entity::{Block, Class, FieldRef, MethodRef, Value};
use crate::types::{Ordering, Type};

/// The symbol an instruction names before its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// No symbol.
    None,
    /// A type, as in `checkcast String, x`.
    Type,
    /// A class, as in `new Node`.
    Class,
    /// A field, as in `getfield Node.next, n`.
    Field,
    /// A method with its arguments in parentheses, as in `invokestatic Math.max(a, b)`.
    Method,
    /// Blocks with their arguments, as in `jump loop(i)`.
    Targets,
}

/// How many values an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arity {
    /// Exactly so many.
    Exactly(u8),
    /// At least so many.
    AtLeast(u8),
}

/// Where the type of the result comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultType {
    /// There is no result.
    None,
    /// Always `i32`.
    I32,
    /// Always `i64`.
    I64,
    /// The type of the argument with this index.
    Arg(u8),
    /// The join of the types of arguments 1 and 2, for `select`: see `Module::join`.
    Either,
    /// The value type of the named type.
    Symbol,
    /// A reference to the named class.
    Class,
    /// The value type of the named field.
    Field,
    /// The value type that the named method returns; none if it returns nothing.
    Return,
    /// The value type of the elements of argument 0.
    Element,
}

/// What an instruction does besides computing its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: two with equal operands are interchangeable, and an unused one may go if it cannot throw.
    Pure,
    /// Reads memory that others may write.
    Read,
    /// Writes memory, runs other code, or orders memory.
    Write,
    /// Ends a block.
    Control,
}

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident = $mnemonic:literal, $sym:ident, $arity:expr, $result:expr, $throws:literal, $effect:ident, $ord:literal;)*) => {
        /// What an instruction does. `ir/LANGUAGE.md` gives each one's typing and exceptions.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Op {
            $($(#[$doc])* $name,)*
        }

        impl Op {
            /// Every opcode, in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            /// The row of this opcode.
            #[inline]
            pub fn info(self) -> &'static OpInfo {
                use Arity::{AtLeast, Exactly};
                use ResultType as R;
                const TABLE: &[OpInfo] = &[$(OpInfo {
                    mnemonic: $mnemonic,
                    symbol: SymbolKind::$sym,
                    arity: $arity,
                    result: $result,
                    throws: $throws,
                    effect: Effect::$effect,
                    ordered: $ord,
                }),*];
                &TABLE[self as usize]
            }
        }
    };
}

/// A row of the opcode table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The name in the text.
    pub mnemonic: &'static str,
    /// The symbol it names.
    pub symbol: SymbolKind,
    /// How many values it takes.
    pub arity: Arity,
    /// The type of its result.
    pub result: ResultType,
    /// Whether it can throw for some operands. (Integer division can only for a zero divisor, `instanceof` and
    /// `field_offset` only for what is missing; see `Body::may_throw`.)
    pub throws: bool,
    /// What it does besides.
    pub effect: Effect,
    /// Whether the mnemonic is followed by `.ORDERING`.
    pub ordered: bool,
}

// Columns: mnemonic, symbol, arity, result type, may throw, effect, takes an ordering.
ops! {
    /// Sum.
    Add = "add", None, Exactly(2), R::Arg(0), false, Pure, false;
    /// Difference.
    Sub = "sub", None, Exactly(2), R::Arg(0), false, Pure, false;
    /// Product.
    Mul = "mul", None, Exactly(2), R::Arg(0), false, Pure, false;
    /// Quotient; whole numbers round to zero, a zero divisor throws, `MIN / -1` is `MIN`.
    Div = "div", None, Exactly(2), R::Arg(0), true, Pure, false;
    /// Remainder with the sign of the dividend; a zero divisor throws for whole numbers.
    Rem = "rem", None, Exactly(2), R::Arg(0), true, Pure, false;
    /// Negation.
    Neg = "neg", None, Exactly(1), R::Arg(0), false, Pure, false;
    /// Shift left by the low 5 or 6 bits of an `i32`.
    Shl = "shl", None, Exactly(2), R::Arg(0), false, Pure, false;
    /// Arithmetic shift right.
    Shr = "shr", None, Exactly(2), R::Arg(0), false, Pure, false;
    /// Logical shift right.
    Ushr = "ushr", None, Exactly(2), R::Arg(0), false, Pure, false;
    /// Bitwise and.
    And = "and", None, Exactly(2), R::Arg(0), false, Pure, false;
    /// Bitwise or.
    Or = "or", None, Exactly(2), R::Arg(0), false, Pure, false;
    /// Bitwise exclusive or.
    Xor = "xor", None, Exactly(2), R::Arg(0), false, Pure, false;
    /// 1 if equal: numbers by value (NaN equals nothing), references by identity.
    Eq = "eq", None, Exactly(2), R::I32, false, Pure, false;
    /// 1 if not equal.
    Ne = "ne", None, Exactly(2), R::I32, false, Pure, false;
    /// 1 if less.
    Lt = "lt", None, Exactly(2), R::I32, false, Pure, false;
    /// 1 if less or equal.
    Le = "le", None, Exactly(2), R::I32, false, Pure, false;
    /// 1 if greater.
    Gt = "gt", None, Exactly(2), R::I32, false, Pure, false;
    /// 1 if greater or equal.
    Ge = "ge", None, Exactly(2), R::I32, false, Pure, false;
    /// -1, 0 or 1 as the first `i64` is less, equal or greater (the JVM's `lcmp`).
    Cmp = "cmp", None, Exactly(2), R::I32, false, Pure, false;
    /// The same for floats, -1 if either is NaN (`fcmpl`, `dcmpl`).
    Cmpl = "cmpl", None, Exactly(2), R::I32, false, Pure, false;
    /// The same for floats, 1 if either is NaN (`fcmpg`, `dcmpg`).
    Cmpg = "cmpg", None, Exactly(2), R::I32, false, Pure, false;
    /// Converts a number to the named type as Java casts do; `bool` keeps the lowest bit.
    Convert = "convert", Type, Exactly(1), R::Symbol, false, Pure, false;
    /// The second value if the first is not 0, else the third.
    Select = "select", None, Exactly(3), R::Either, false, Pure, false;
    /// Reads a static field; initialises its class first.
    GetStatic = "getstatic", Field, Exactly(0), R::Field, true, Read, false;
    /// Writes a static field; initialises its class first.
    PutStatic = "putstatic", Field, Exactly(1), R::None, true, Write, false;
    /// Reads an instance field; null throws `NullPointerException`.
    GetField = "getfield", Field, Exactly(1), R::Field, true, Read, false;
    /// Writes an instance field; null throws `NullPointerException`.
    PutField = "putfield", Field, Exactly(2), R::None, true, Write, false;
    /// Makes a zeroed object and initialises its class; the constructor is called separately.
    New = "new", Class, Exactly(0), R::Class, true, Write, false;
    /// Makes a zeroed array of the named array type; one length for each dimension that is made.
    NewArray = "newarray", Type, AtLeast(1), R::Symbol, true, Write, false;
    /// The length of an array.
    ArrayLength = "arraylength", None, Exactly(1), R::I32, true, Pure, false;
    /// Reads an element.
    ArrayLoad = "arrayload", None, Exactly(2), R::Element, true, Read, false;
    /// Writes an element: array, index, value.
    ArrayStore = "arraystore", None, Exactly(3), R::None, true, Write, false;
    /// 1 if the reference is not null and an instance of the named type.
    InstanceOf = "instanceof", Type, Exactly(1), R::I32, true, Pure, false;
    /// The same reference, typed; `ClassCastException` if it is neither null nor an instance.
    CheckCast = "checkcast", Type, Exactly(1), R::Symbol, true, Pure, false;
    /// Throws `NullPointerException` if the reference is null.
    NullCheck = "nullcheck", None, Exactly(1), R::None, true, Pure, false;
    /// Throws a new exception of the named class, without a message, if the `i32` is 0.
    Check = "check", Class, Exactly(1), R::None, true, Pure, false;
    /// Initialises a class as any other first use would.
    InitClass = "initclass", Class, Exactly(0), R::None, true, Write, false;
    /// Enters the monitor of an object.
    MonitorEnter = "monitorenter", None, Exactly(1), R::None, true, Write, false;
    /// Leaves the monitor of an object.
    MonitorExit = "monitorexit", None, Exactly(1), R::None, true, Write, false;
    /// Calls a static method; initialises its class first.
    InvokeStatic = "invokestatic", Method, AtLeast(0), R::Return, true, Write, false;
    /// Calls a method of a class, chosen by the receiver.
    InvokeVirtual = "invokevirtual", Method, AtLeast(1), R::Return, true, Write, false;
    /// Calls exactly the named method: a constructor, a private or a superclass's method.
    InvokeSpecial = "invokespecial", Method, AtLeast(1), R::Return, true, Write, false;
    /// Calls a method of an interface, chosen by the receiver.
    InvokeInterface = "invokeinterface", Method, AtLeast(1), R::Return, true, Write, false;
    /// The offset of an instance field in its holder; a constant, never 0. Initialises nothing.
    FieldOffset = "field_offset", Field, Exactly(0), R::I64, true, Pure, false;
    /// Reads the named type at holder + offset.
    Load = "load", Type, Exactly(2), R::Symbol, false, Read, true;
    /// Writes at holder + offset: holder, offset, value.
    Store = "store", None, Exactly(3), R::None, false, Write, true;
    /// Compare and swap: holder, offset, expected, new; 1 if the value was as expected and was replaced.
    Cas = "cas", None, Exactly(4), R::I32, false, Write, true;
    /// Swaps in a value of the named type: holder, offset, new; the old value.
    GetAndSet = "getandset", Type, Exactly(3), R::Symbol, false, Write, true;
    /// Adds: holder, offset, delta; the old value.
    GetAndAdd = "getandadd", None, Exactly(3), R::Arg(2), false, Write, true;
    /// Bitwise and: holder, offset, mask; the old value.
    GetAndAnd = "getandand", None, Exactly(3), R::Arg(2), false, Write, true;
    /// Bitwise or: holder, offset, mask; the old value.
    GetAndOr = "getandor", None, Exactly(3), R::Arg(2), false, Write, true;
    /// Bitwise exclusive or: holder, offset, mask; the old value.
    GetAndXor = "getandxor", None, Exactly(3), R::Arg(2), false, Write, true;
    /// Goes to a block.
    Jump = "jump", Targets, Exactly(0), R::None, false, Control, false;
    /// Goes to the first block if the `i32` is not 0, else to the second.
    Branch = "branch", Targets, Exactly(1), R::None, false, Control, false;
    /// Goes to the block of the equal key, else to the default.
    Switch = "switch", Targets, Exactly(1), R::None, false, Control, false;
    /// Returns, with a value if the method has one.
    Return = "return", None, AtLeast(0), R::None, false, Control, false;
    /// Throws; null throws `NullPointerException`.
    Throw = "throw", None, Exactly(1), R::None, true, Control, false;
}

impl Op {
    /// The name in the text.
    pub fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }

    /// Whether it ends a block.
    #[inline]
    pub fn is_terminator(self) -> bool {
        self.info().effect == Effect::Control
    }

    /// Whether it calls a method.
    #[inline]
    pub fn is_invoke(self) -> bool {
        matches!(self, Op::InvokeStatic | Op::InvokeVirtual | Op::InvokeSpecial | Op::InvokeInterface)
    }

    /// Whether it accesses memory at holder + offset.
    pub fn is_offset_access(self) -> bool {
        self.info().ordered
    }
}

/// A block to go to, with the arguments for its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// Where to.
    pub block: Block,
    /// One for each parameter (of a handler: for each but the first, which is the exception).
    pub args: SmallVec<[Value; 4]>,
}

impl Target {
    /// A target with these arguments.
    pub fn new(block: Block, args: impl IntoIterator<Item = Value>) -> Self {
        Self { block, args: args.into_iter().collect() }
    }
}

/// The symbol, ordering or targets of an instruction. Which one stands here follows from the opcode's row:
/// [`SymbolKind`] and `ordered`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Payload {
    /// Nothing.
    #[default]
    None,
    /// A type.
    Type(Type),
    /// A class.
    Class(Class),
    /// A field.
    Field(FieldRef),
    /// A method.
    Method(MethodRef),
    /// An ordering.
    Ordering(Ordering),
    /// An ordering and a type.
    OrderedType(Ordering, Type),
    /// Where a jump (one) or a branch (two: taken, not taken) goes.
    Targets(Box<[Target]>),
    /// Where a switch goes.
    Switch(Box<SwitchTable>),
}

/// The cases of a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchTable {
    /// The keys, ascending, without repeats.
    pub keys: Vec<i32>,
    /// One target for each key, then the default.
    pub targets: Vec<Target>,
}

/// Where an instruction came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The line in the class's source file (`@12` in the text), 0 if unknown.
    pub line: u32,
    /// The byte offset in the text, or in the bytecode of a lifted method.
    pub pos: u32,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstData {
    /// What it does.
    pub op: Op,
    /// Its symbol, ordering or targets.
    pub payload: Payload,
    /// Its values.
    pub args: SmallVec<[Value; 4]>,
    /// Its result, if it has one.
    pub result: Option<Value>,
    /// Where it came from.
    pub origin: Origin,
}

impl InstData {
    /// An instruction without a result yet; `Body` gives it one.
    pub fn new(op: Op, payload: Payload, args: impl IntoIterator<Item = Value>, origin: Origin) -> Self {
        Self { op, payload, args: args.into_iter().collect(), result: None, origin }
    }

    /// Its blocks to go to.
    #[inline]
    pub fn targets(&self) -> &[Target] {
        match &self.payload {
            Payload::Targets(targets) => targets,
            Payload::Switch(table) => &table.targets,
            _ => &[],
        }
    }

    /// Its blocks to go to.
    #[inline]
    pub fn targets_mut(&mut self) -> &mut [Target] {
        match &mut self.payload {
            Payload::Targets(targets) => targets,
            Payload::Switch(table) => &mut table.targets,
            _ => &mut [],
        }
    }

    /// The ordering, for an access at an offset.
    pub fn ordering(&self) -> Option<Ordering> {
        match self.payload {
            Payload::Ordering(ordering) | Payload::OrderedType(ordering, _) => Some(ordering),
            _ => None,
        }
    }

    /// The named type, if the instruction names one.
    pub fn type_symbol(&self) -> Option<Type> {
        match self.payload {
            Payload::Type(ty) | Payload::OrderedType(_, ty) => Some(ty),
            _ => None,
        }
    }

    /// The named class, if the instruction names one.
    pub fn class_symbol(&self) -> Option<Class> {
        match self.payload {
            Payload::Class(class) => Some(class),
            _ => None,
        }
    }

    /// The named field, if the instruction names one.
    #[inline]
    pub fn field_symbol(&self) -> Option<FieldRef> {
        match self.payload {
            Payload::Field(field) => Some(field),
            _ => None,
        }
    }

    /// The named method, if the instruction names one.
    #[inline]
    pub fn method_symbol(&self) -> Option<MethodRef> {
        match self.payload {
            Payload::Method(method) => Some(method),
            _ => None,
        }
    }

    /// Calls `f` on every value the instruction uses, its targets' arguments included.
    pub fn for_each_use(&self, mut f: impl FnMut(Value)) {
        self.args.iter().copied().for_each(&mut f);
        for target in self.targets() {
            target.args.iter().copied().for_each(&mut f);
        }
    }

    /// Replaces every value the instruction uses by `f` of it.
    pub fn map_uses(&mut self, mut f: impl FnMut(Value) -> Value) {
        for arg in &mut self.args {
            *arg = f(*arg);
        }
        for target in self.targets_mut() {
            for arg in &mut target.args {
                *arg = f(*arg);
            }
        }
    }
}
