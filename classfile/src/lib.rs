//! JVM class files and jars: read them, edit them, write them, and leave every byte alone that no edit touches.
//!
//! * [`read`] and [`write`](write()) are inverse to each other for every class file. The constant pool is kept as it is and only
//!   appended to; attributes are slices of the input.
//! * [`mentions`] answers from the constant pool alone whether a class can be of interest.
//! * [`ClassFile::code`] splits a method's code, and [`Code::instructions`] reads it.
//!
//! * [`CodeEdits`] collects edits of a method by instruction, and [`apply`] carries them out: branches, switches, handlers,
//!   frames and tables move along.
//!
//! ```
//! use r8lite_classfile::{ClassFile, CodeEdits, Insn, Opcode, add_method, apply, dump_method, flags, read, write};
//!
//! // A class with a method that returns 1.
//! let mut class = ClassFile::new(52, flags::PUBLIC | flags::SUPER, "demo/Numbers", "java/lang/Object")?;
//! let mut body = CodeEdits::new();
//! body.at_entry([Insn::Plain(Opcode::Iconst1), Insn::Plain(Opcode::Ireturn)]);
//! add_method(&mut class, flags::PUBLIC | flags::STATIC, "number", "()I", Some(&body))?;
//! let bytes = write(&class)?;
//!
//! // Read it, and have the method return 1000.
//! let mut class = read(&bytes)?;
//! assert_eq!(write(&class)?, bytes);
//! let method = class.find_method("number", "()I").expect("it was written");
//! let mut edits = CodeEdits::new();
//! for located in class.code(method)?.expect("it has code").instructions() {
//!     let located = located?;
//!     if located.insn == Insn::Plain(Opcode::Iconst1) {
//!         edits.replace(located.offset, [Insn::Push(Opcode::Sipush, 1000)])?;
//!     }
//! }
//! apply(&mut class, method, &edits)?;
//! assert_eq!(dump_method(&class, method)?, "number()I stack 1 locals 0\n    0 sipush 1000\n    3 ireturn\n");
//! # Ok::<(), r8lite_classfile::Error>(())
//! ```
//!
//! The names are those of the Java Virtual Machine Specification, chapter 4. Input never makes this crate panic or
//! reserve memory by a number that it claims; an [`Error`] names class, member and byte.
#![deny(missing_docs)]

mod attributes;
pub mod checks;
mod class;
mod code;
mod cursor;
pub mod descriptor;
mod dump;
mod edit;
mod error;
pub mod flags;
mod insn;
#[cfg(feature = "jar")]
pub mod jar;
mod mentions;
pub mod mutf8;
mod opcode;
mod pool;
mod stackmap;
mod uid;

pub use attributes::{BootstrapMethod, InnerClass, Requires};
pub use class::{Attribute, ClassFile, Member, NEWEST_MAJOR, read, write};
pub use code::{Code, ExceptionRange, Located};
pub use dump::{dump_insn, dump_method};
pub use edit::{
    CodeEdits, Handler, add_field, add_method, add_module_requires, apply, class_initializer, copy_method,
    new_attribute, stack_effect,
};
pub use error::{Error, Offset, Place, Problem, Result};
pub use insn::{Insn, Label, Switch};
pub use mentions::{Names, mentions, spells};
pub use opcode::{Opcode, Shape};
pub use pool::{Constant, ConstantPool, MemberRef, PoolIndex};
pub use stackmap::{Frame, VerificationType};
pub use uid::keep_serial_version_uid;
