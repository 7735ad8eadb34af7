//! JVM class files as r8lite IR.
//!
//! [`lift()`] reads class files into a [`Module`](r8lite_ir::Module): every class of the program with all its members,
//! and the bodies of the methods that somebody asked for. The IR is for analysis: what is decided on it is carried out
//! on the original bytes, so each instruction knows its place there ([`Origin::pos`](r8lite_ir::Origin), a byte offset),
//! and each method its place in its class file ([`Lifted::place`]).
//!
//! ```
//! use r8lite_classfile::{ClassFile, CodeEdits, Insn, Opcode, add_method, flags, write};
//! use r8lite_jvm::{Input, Options, lift};
//!
//! let mut class = ClassFile::new(52, flags::PUBLIC | flags::SUPER, "demo/Numbers", "java/lang/Object")?;
//! let mut body = CodeEdits::new();
//! body.at_entry([Insn::Plain(Opcode::Iconst1), Insn::Plain(Opcode::Ireturn)]);
//! add_method(&mut class, flags::PUBLIC | flags::STATIC, "number", "()I", Some(&body))?;
//! let bytes = write(&class)?;
//!
//! let lifted = lift(&[Input { bytes: &bytes, name: "Numbers.class" }], &[], &Options::default());
//! assert!(lifted.refused.is_empty());
//! let text = r8lite_ir::text::print_module(&lifted.module);
//! assert!(text.contains("  public static method number(): i32 {\n    return 1\n"));
//! # Ok::<(), r8lite_classfile::Error>(())
//! ```
//!
//! # What has no counterpart in the IR
//!
//! `invokedynamic` is a static call of a method of the class [`DYNAMIC`], which is known by name only and so may do
//! anything; so are `ldc` of method handles, method types and dynamic constants. Members that method handles name are
//! `exposed`. Subroutines (`jsr`, `ret`) are copied to where they are called. A method that cannot be lifted is refused
//! with the reason; it is `unread` in the module, and all that it may use is exposed.
#![deny(missing_docs)]

mod apply;
pub mod checks;
mod lift;
mod names;
mod parallel;
pub mod program;

pub use apply::{AddedClass, Applied, ApplyOptions, Backend, apply};
pub use lift::{lift, lift_from};

use r8lite_ir::{Class, ClassOrigin, Func, SecondaryMap, Verified};

/// The class whose methods stand for `invokedynamic` and for the constants that the IR does not have. No class file can
/// have this name.
pub const DYNAMIC: &str = "r8lite;dynamic";

/// A class file.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Its content.
    pub bytes: &'a [u8],
    /// What to call it in messages.
    pub name: &'a str,
}

/// Class files to lift, and where to find more.
#[derive(Clone, Copy)]
pub struct Sources<'a, 's> {
    /// The program; with [`Methods::Relevant`], all of it that mentions updaters is enough.
    pub program: &'s [Input<'a>],
    /// What it runs with. Classes that it has besides are taken from the program.
    pub classpath: &'s [Input<'a>],
    /// Class files that may run with the program without being part of the module, as those that other files of the same
    /// class may take the place of. What they name may be used by code that nobody sees.
    pub opaque: &'s [Input<'a>],
    /// Finds further classes by their internal names, when they are needed.
    pub find: &'s dyn Fn(&str) -> Option<Found<'a>>,
}

/// A class that was found by its name.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The class file.
    pub input: Input<'a>,
    /// Whether it is of the program or of the class path.
    pub origin: ClassOrigin,
}

/// How to lift.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Which methods of the program get a body; the others are `unread`.
    pub methods: Methods,
}

impl Options {
    /// To lift these methods.
    pub fn of(methods: Methods) -> Options {
        Options { methods }
    }
}

/// A choice of methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Methods {
    /// Every method of the program, and what runs of the class path while classes with updaters are initialised.
    #[default]
    All,
    /// What the plan for field updaters looks at: methods that mention an updater or may look up its field by name,
    /// and what runs while a class that has updaters is initialised.
    Relevant,
}

/// What [`lift()`] made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lifted {
    /// The program on top of the class library.
    pub module: Verified,
    /// What was left out, in the order of the input.
    pub refused: Vec<Refused>,
    /// The class of each input of the program, unless it was refused or is no class (`module-info`).
    pub classes: Vec<Option<Class>>,
    /// Where methods come from.
    pub(crate) places: SecondaryMap<Func, Option<Place>>,
}

impl Lifted {
    /// Where a method of the program or of the class path was declared; none for methods of the class library.
    pub fn place(&self, func: Func) -> Option<Place> {
        self.places[func]
    }
}

/// Where a method was declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number of the input: of the program, then of the class path, then of those that were found by name.
    pub input: u32,
    /// The number of the method in the class file.
    pub method: u32,
}

/// A class or method that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The name of the input.
    pub input: String,
    /// The class, with dots, if that much is known.
    pub class: Option<String>,
    /// Name and descriptor of the method, as `run()V`; none if it is the whole class.
    pub method: Option<String>,
    /// The byte offset in the method's code, if it is about an instruction.
    pub offset: Option<u32>,
    /// Why.
    pub reason: String,
}

/// `Queue.class: com.acme.Queue.run()V at 12: the stack is empty`
impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.input)?;
        if let Some(class) = &self.class {
            write!(f, "{class}")?;
            if let Some(method) = &self.method {
                write!(f, ".{method}")?;
            }
            if let Some(offset) = self.offset {
                write!(f, " at {offset}")?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.reason)
    }
}
