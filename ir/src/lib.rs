//! The intermediate representation of r8lite.
//!
//! A [`Module`] is a whole program: classes with fields and methods, and the class library they run on. Method bodies
//! are in SSA form with block parameters. Modules come from text ([`text::parse`]) or from class files; only
//! [`verify()`] makes a [`Verified`] one, and everything that runs or compiles code asks for that.
//!
//! ```
//! use r8lite_ir::interp::{self, Config};
//! use r8lite_ir::text::{self, Source};
//!
//! let text = "
//! class Main {
//!   static method main() {
//!     out = getstatic System.out
//!     sum = add 40, 2
//!     invokevirtual PrintStream.println(out, sum) as (i32)
//!     return
//!   }
//! }";
//! let module = text::parse(&[Source { name: "main.ir", text }]).unwrap();
//! let verified = r8lite_ir::verify(module).unwrap();
//! let main = interp::find_entry(&verified, None)?;
//! let result = interp::run(&verified, main, &Config::default())?;
//! assert_eq!(result.stdout, "42\n");
//! # Ok::<(), interp::EntryError>(())
//! ```
//!
//! `ir/LANGUAGE.md` describes the text, every instruction, and the memory model.
#![deny(missing_docs)]

pub mod cfg;
pub mod diag;
mod domtree;
pub mod edit;
pub mod entity;
pub mod function;
pub mod hierarchy;
pub mod inst;
pub mod interp;
pub mod library;
pub mod module;
pub mod natives;
pub mod text;
pub mod types;
pub mod verify;

pub use cfg::Cfg;
pub use diag::{Diagnostic, Severity};
pub use edit::Edits;
pub use entity::{
    ArrayType, Block, Class, Entity, Field, FieldRef, File, Func, Inst, Literal, MethodRef, PrimaryMap, SecondaryMap,
    Sig, Symbol, Value,
};
pub use function::{BlockData, Body, Catch, Constant, ValueData, ValueDef};
pub use hierarchy::{Answer, Hierarchy};
pub use inst::{Arity, Effect, InstData, Op, OpInfo, Origin, Payload, ResultType, SwitchTable, SymbolKind, Target};
pub use module::{
    ClassData, ClassOrigin, DEFAULT_VERSION, FieldData, FieldRefData, Flags, FuncData, MethodRefData, Module, SigData,
};
pub use natives::{Native, NativeInfo, natives_of};
pub use types::{Ordering, Type};
pub use verify::{Invalid, Verified, verify};
