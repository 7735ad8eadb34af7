//! JVM class files and jars: read them, edit them, write them, and leave every byte alone that no edit touches.
//!
//! * [`read`] and [`write`] are inverse to each other for every class file. The constant pool is kept as it is and only
//!   appended to; attributes are slices of the input.
//! * [`mentions`] answers from the constant pool alone whether a class can be of interest.
//! * [`ClassFile::code`] splits a method's code, and [`Code::instructions`] reads it.
//!
//! The names are those of the Java Virtual Machine Specification, chapter 4. Input never makes this crate panic or
//! reserve memory by a number that it claims; an [`Error`] names class, member and byte.
#![deny(missing_docs)]
#![expect(dead_code, reason = "the editor of code, which is to come, uses the rest")]

mod class;
mod code;
mod cursor;
pub mod descriptor;
mod error;
pub mod flags;
mod insn;
#[cfg(feature = "jar")]
pub mod jar;
pub mod mutf8;
mod opcode;
mod pool;

pub use class::{Attribute, ClassFile, Member, NEWEST_MAJOR, read, write};
pub use code::{Code, ExceptionRange, Located};
pub use error::{Error, Offset, Place, Problem, Result};
pub use insn::{Insn, Label, Switch};
pub use opcode::{Opcode, Shape};
pub use pool::{Constant, ConstantPool, MemberRef, PoolIndex, mentions};
