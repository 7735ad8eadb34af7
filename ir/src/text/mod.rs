//! The text form: [`parse`] and [`print`](print_module), each the other's inverse on text in the canonical layout.
//!
//! `ir/LANGUAGE.md` describes it. What parser and printer must agree on stands apart from both: `lexer` says what a
//! plain name is, `names` which flags there are and what library classes are called, `members` what a reference leaves
//! out.

#[doc(hidden)]
pub mod fuzzing;
mod hint;
mod lexer;
mod local_names;
mod members;
mod names;
mod parser;
mod printer;

use std::sync::OnceLock;

use crate::diag::Diagnostic;
use crate::entity::{File, Func, Inst, PrimaryMap};
use crate::function::Body;
use crate::module::{ClassOrigin, Module};
use crate::types::Type;

/// A text and the name it goes by in diagnostics.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name, usually a path.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// All that is wrong with some texts, up to a cap.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ParseError {
    /// What is wrong, in the order of the texts. Never empty.
    pub diagnostics: Vec<Diagnostic>,
    /// The names of the texts that the diagnostics speak of.
    pub files: PrimaryMap<File, String>,
}

/// Parses texts as one program, on top of the class library.
///
/// ```
/// use r8lite_ir::text::{Source, parse, print_module};
///
/// let text = "class Twice {\n  static method of(n: i32): i32 {\n    twice = add n, n\n    return twice\n  }\n}\n";
/// let module = parse(&[Source { name: "twice.ir", text }]).expect("the text is right");
/// assert_eq!(print_module(&module), text);
///
/// let error = parse(&[Source { name: "typo.ir", text: "clas A {\n}\n" }]).unwrap_err();
/// assert_eq!(
///     error.diagnostics[0].to_string(),
///     "error[E0110]: found `clas`, wanted `class` or `interface`; help: did you mean `class`?"
/// );
/// ```
///
/// # Errors
/// Everything that is wrong with the texts, up to a cap.
pub fn parse(sources: &[Source<'_>]) -> Result<Module, ParseError> {
    let library = match library() {
        Ok(library) => library,
        Err(error) => return Err(error.clone()),
    };
    let mut module = parser::parse(library.declarations.clone(), sources, ClassOrigin::Program)?;
    for (func, body) in &library.bodies {
        module.funcs[*func].body = Some(body.clone());
    }
    Ok(module)
}

/// The class library, parsed.
struct Library {
    /// All of it but its bodies, which nobody needs who only resolves names.
    declarations: Module,
    bodies: Vec<(Func, Box<Body>)>,
}

/// The library is the same for every program, and copying it is ten times as fast as parsing it.
fn library() -> &'static Result<Library, ParseError> {
    static LIBRARY: OnceLock<Result<Library, ParseError>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let sources: Vec<Source<'_>> =
            crate::library::sources().iter().map(|&(name, text)| Source { name, text }).collect();
        let mut declarations = parser::parse(Module::new(), &sources, ClassOrigin::Library)?;
        let funcs: Vec<Func> = declarations.funcs.keys().collect();
        let bodies = funcs.into_iter().filter_map(|func| Some((func, declarations.funcs[func].body.take()?))).collect();
        Ok(Library { declarations, bodies })
    })
}

/// Prints the program's classes (not the library's) in the one canonical layout.
pub fn print_module(module: &Module) -> String {
    printer::module(module)
}

/// Prints one method as it stands in its class.
pub fn print_func(module: &Module, func: Func) -> String {
    printer::func(module, func)
}

/// Prints one instruction, for messages.
pub fn print_inst(module: &Module, body: &Body, inst: Inst) -> String {
    printer::inst(module, body, inst)
}

/// Prints a type, for messages.
pub fn print_type(module: &Module, ty: Type) -> String {
    printer::ty(module, ty)
}
