//! What can be wrong, and where: every error names the class and member if they are known, and a byte offset.

use std::fmt;

use crate::insn::Label;

/// Short for a result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Something that is wrong with a class file or with an edit, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}{problem}")]
pub struct Error {
    // Errors are rare; a box keeps every `Result` small.
    place: Box<Place>,
    #[source]
    problem: Problem,
}

/// Where something is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The internal name of the class, as `a/b/C`.
    pub class: Option<String>,
    /// Name and descriptor of the field or method, as `run()V`.
    pub member: Option<String>,
    /// The byte.
    pub offset: Option<Offset>,
}

/// A byte, by where it is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// From the start of the class file.
    File(usize),
    /// From the start of a method's instructions.
    Code(u32),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The input ends too early.
    #[error("{wanted} more bytes wanted, {left} left")]
    Truncated {
        /// How many bytes come next by what was read before.
        wanted: usize,
        /// How many there are.
        left: usize,
    },
    /// Bytes are left where none may follow.
    #[error("{0} bytes after the end")]
    Trailing(usize),
    /// The first four bytes are not those of a class file.
    #[error("no class file: it begins with {0:#010x}, not with 0xcafebabe")]
    Magic(u32),
    /// The version is older or newer than those this crate knows.
    #[error("class file version {major}.{minor}; versions 45 to {} are known", crate::NEWEST_MAJOR)]
    Version {
        /// The major version.
        major: u16,
        /// The minor version.
        minor: u16,
    },
    /// An unknown kind of constant.
    #[error("no constant has the tag {0}")]
    Tag(u8),
    /// An index that names no constant.
    #[error("there is no constant {index}; the pool has {count}")]
    NoConstant {
        /// The index.
        index: u16,
        /// One more than the highest index.
        count: usize,
    },
    /// A constant of another kind than the place wants.
    #[error("constant {index} is {found}, wanted {wanted}")]
    WrongConstant {
        /// The index.
        index: u16,
        /// Its kind.
        found: &'static str,
        /// The kind that was wanted.
        wanted: &'static str,
    },
    /// A string that is not Unicode, or not in the JVM's form of UTF-8.
    #[error("constant {0} is no Unicode text")]
    NotText(u16),
    /// A descriptor that does not parse.
    #[error("`{0}` is no descriptor")]
    Descriptor(String),
    /// A byte that is no instruction.
    #[error("{0:#04x} is no instruction")]
    Opcode(u8),
    /// `wide` before an instruction that has no wide form.
    #[error("`{0}` has no wide form")]
    NoWideForm(&'static str),
    /// A `tableswitch` whose high is below its low, or a switch with more cases than fit.
    #[error("a switch from {low} to {high}")]
    Switch {
        /// The lowest case.
        low: i64,
        /// The highest case.
        high: i64,
    },
    /// A byte that has one allowed value, or a few.
    #[error("{what} is {found}")]
    Value {
        /// What the byte says.
        what: &'static str,
        /// Its value.
        found: i64,
    },
    /// An offset where no instruction begins.
    #[error("{what} is at {offset}, where no instruction begins")]
    NoInstruction {
        /// What has the offset.
        what: &'static str,
        /// The offset.
        offset: u32,
    },
    /// A label that was never placed.
    #[error("label {0} is nowhere")]
    NoLabel(Label),
    /// A label that is placed more than once.
    #[error("label {0} is in two places")]
    LabelTwice(Label),
    /// An edit that contradicts an earlier one.
    #[error("the instruction is already replaced or deleted")]
    EditedTwice,
    /// A method that has no code, or more than the JVM takes. One that would become so by edits is left as it was.
    #[error("{0} bytes of code; the JVM takes 1 to 65535")]
    CodeTooLarge(usize),
    /// A branch that cannot be made to reach.
    #[error("a branch to {0} bytes away cannot be made to reach")]
    OutOfReach(i64),
    /// A new branch into code that has no frame for the JVM's verifier.
    #[error("no stack map frame for the target of a new branch")]
    FrameMissing,
    /// A frame that mentions an object made by a `new` that an edit removed.
    #[error("a frame mentions what the deleted `new` at {0} made")]
    FrameOfDeleted(u32),
    /// Two ways to an instruction that have different stack depths, or a stack that underflows or overflows.
    #[error("stack depth {found}, wanted {wanted}")]
    StackDepth {
        /// The depth that was found.
        found: i32,
        /// The depth that was wanted.
        wanted: i32,
    },
    /// Control flows off the end of the code.
    #[error("control flows off the end of the code")]
    FallsOff,
    /// More of something than a class file can have.
    #[error("too many {0}")]
    TooMany(&'static str),
    /// What an edit adds is there already.
    #[error("there is a {0} already")]
    Exists(String),
    /// What an edit names is not there.
    #[error("there is no such {0}")]
    Missing(&'static str),
}

impl Error {
    /// Where it is.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What it is.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The same error, in this class unless it already has one.
    #[must_use]
    pub fn in_class(mut self, class: &str) -> Error {
        self.place.class.get_or_insert_with(|| class.to_string());
        self
    }

    /// The same error, in this member unless it already has one.
    #[must_use]
    pub fn in_member(mut self, member: &str) -> Error {
        self.place.member.get_or_insert_with(|| member.to_string());
        self
    }

    /// The same error, at this byte of the file unless it already has a place.
    pub(crate) fn at_file(mut self, offset: usize) -> Error {
        self.place.offset.get_or_insert(Offset::File(offset));
        self
    }

    /// The same error, at this instruction unless it already has a place.
    pub(crate) fn at_code(mut self, offset: u32) -> Error {
        self.place.offset.get_or_insert(Offset::Code(offset));
        self
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        Error { place: Box::default(), problem }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(class) = &self.class {
            parts.push(format!("class {class}"));
        }
        if let Some(member) = &self.member {
            parts.push(member.clone());
        }
        match self.offset {
            Some(Offset::File(offset)) => parts.push(format!("byte {offset}")),
            Some(Offset::Code(offset)) => parts.push(format!("instruction {offset}")),
            None => {}
        }
        if parts.is_empty() { Ok(()) } else { write!(f, "{}: ", parts.join(", ")) }
    }
}
