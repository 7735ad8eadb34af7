//! From class files to a module.
//!
//! ```text
//! read all classes ─▶ declare them (headers) ─▶ choose methods (relevant) ─▶ for each: decode (code) ─▶ blocks and
//! live variables (graph) ─▶ types where blocks meet, then instructions (body, step) ─▶ expose what was not read ─▶ verify
//! ```
//!
//! Nothing here trusts its input: sizes are bounded, what does not fit together is refused, and the rest goes on.

mod body;
mod code;
mod exposed;
mod frame;
mod graph;
mod headers;
mod relevant;
mod step;

use r8lite_classfile::{ClassFile, flags, read};
use r8lite_ir::{Class, ClassOrigin, Flags, Func, Module, SecondaryMap, Verified, text, verify};

use self::exposed::Exposed;
use self::headers::Loaded;
use crate::{Input, Lifted, Methods, Options, Place, Refused};

/// What is wrong with the code of a method, and at which byte of it.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) offset: Option<u32>,
    pub(crate) reason: String,
}

impl Problem {
    pub(crate) fn new(offset: Option<u32>, reason: impl Into<String>) -> Problem {
        Problem { offset, reason: reason.into() }
    }
}

/// Lifts a program of class files, with the classes that it runs with.
///
/// Classes that are in neither are known by name only; the class library of the IR stands for the JDK's classes of the
/// same names, and is `partial`. Whatever cannot be lifted, or is not in order then, is left out and reported.
///
/// # Panics
/// Never, unless the class library is broken.
pub fn lift(program: &[Input<'_>], classpath: &[Input<'_>], options: &Options) -> Lifted {
    let mut module = text::parse(&[]).expect("the class library parses");
    for data in module.classes.values_mut() {
        // Every class stands on `Object`, of which the library has all.
        if data.superclass.is_some() {
            data.flags = data.flags.with(Flags::PARTIAL);
        }
    }
    let mut refused = Vec::new();
    let mut exposed = Exposed::default();
    let mut loaded = Vec::new();
    let mut classes = vec![None; program.len()];
    for (number, input) in program.iter().chain(classpath).enumerate() {
        let origin = if number < program.len() { ClassOrigin::Program } else { ClassOrigin::Classpath };
        match load(&mut module, input, number, origin) {
            Ok(Some(class)) => {
                if let Some(place) = classes.get_mut(number) {
                    *place = Some(class.class);
                }
                loaded.push(class);
            }
            Ok(None) => {}
            Err(problem) => {
                if origin == ClassOrigin::Program {
                    exposed.unread_class(input.bytes);
                }
                refused.push(*problem);
            }
        }
    }
    headers::check_nests(&mut module, &loaded);
    let mut places = SecondaryMap::new();
    for class in &loaded {
        for (method, &func) in class.funcs.iter().enumerate() {
            places[func] = Some(Place { input: class.input as u32, method: method as u32 });
        }
    }
    let mut chosen = relevant::choose(&mut module, &loaded);
    if options.methods == Methods::All {
        chosen.extend(all_of_program(&module, &loaded));
        chosen.sort_unstable();
        chosen.dedup();
    }
    for (number, method) in chosen {
        let class = &loaded[number];
        if let Err(problem) = lift_method(&mut module, class, method) {
            let input = program.iter().chain(classpath).nth(class.input).expect("it came from there");
            refused.push(Refused {
                input: input.name.to_owned(),
                class: Some(module.class_name(class.class).to_owned()),
                method: Some(member_label(&class.file, method)),
                offset: problem.offset,
                reason: problem.reason,
            });
            exposed.unread_method(&mut module, class);
        }
    }
    for class in &loaded {
        exposed.handles(&mut module, class);
    }
    // What was only named so far is not there.
    for data in module.classes.values_mut().filter(|data| data.origin == ClassOrigin::Missing) {
        data.origin = ClassOrigin::Extern;
    }
    exposed.mark(&mut module);
    let module = without_culprits(module, &loaded, |class, body_of, offset, reason| {
        let input = program.iter().chain(classpath).nth(class.input).expect("it came from there");
        let method = body_of.map(|method| member_label(&class.file, method));
        let name = class.file.name().ok().map(|name| name.replace('/', "."));
        if method.is_none() && class.input < program.len() {
            classes[class.input] = None;
        }
        refused.push(Refused { input: input.name.to_owned(), class: name, method, offset, reason });
    });
    Lifted { module, refused, classes, places }
}

/// How often a module is verified. What is taken out makes nothing else wrong that was not, so few rounds are met.
const MAX_ROUNDS: usize = 8;

/// Takes out what the verifier finds fault with, as the JVM's would, or where the IR is stricter than that: a body, or
/// else the whole class.
fn without_culprits(
    mut module: Module,
    loaded: &[Loaded<'_>],
    mut refuse: impl FnMut(&Loaded<'_>, Option<usize>, Option<u32>, String),
) -> Verified {
    for _ in 0..MAX_ROUNDS {
        let invalid = match verify(module) {
            Ok(verified) => return verified,
            Err(invalid) => *invalid,
        };
        module = invalid.module;
        let mut exposed = Exposed::default();
        for culprit in invalid.culprits {
            let Some(class) = loaded.iter().find(|class| class.class == culprit.class) else { continue };
            match culprit.body_of {
                Some(func) => {
                    module.funcs[func].body = None;
                    module.funcs[func].flags = module.funcs[func].flags.with(Flags::UNREAD);
                    exposed.unread_method(&mut module, class);
                    let method = class.funcs.iter().position(|&other| other == func);
                    refuse(class, method, culprit.pos, culprit.message);
                }
                None => {
                    if module.classes[class.class].origin == ClassOrigin::Program {
                        exposed.unread_class(class.bytes);
                    }
                    forget(&mut module, class.class);
                    refuse(class, None, None, culprit.message);
                }
            }
        }
        exposed.mark(&mut module);
    }
    // This is not met; if it were, nothing that was read could be relied on.
    loaded.iter().for_each(|class| forget(&mut module, class.class));
    verify(module).expect("a module without classes is in order")
}

/// Makes a class known by name only.
fn forget(module: &mut Module, class: Class) {
    let data = &mut module.classes[class];
    data.origin = ClassOrigin::Extern;
    data.flags = Flags::NONE;
    (data.superclass, data.nest_host) = (None, None);
    data.interfaces.clear();
    data.fields.clear();
    data.methods.clear();
}

/// Reads and declares a class; nothing for what is no class, like `module-info`.
fn load<'a>(
    module: &mut Module,
    input: &Input<'a>,
    number: usize,
    origin: ClassOrigin,
) -> Result<Option<Loaded<'a>>, Box<Refused>> {
    let refused = |class: Option<String>, reason: String| {
        Box::new(Refused { input: input.name.to_owned(), class, method: None, offset: None, reason })
    };
    let file = read(input.bytes).map_err(|error| refused(None, error.to_string()))?;
    if file.access_flags & flags::MODULE != 0 {
        return Ok(None);
    }
    let name = file.name().ok().map(|name| name.replace('/', "."));
    let is_known = |name: &String| {
        module.find_class(name).is_some_and(|class| module.classes[class].origin != ClassOrigin::Missing)
    };
    if origin == ClassOrigin::Classpath && name.as_ref().is_some_and(is_known) {
        // The first one counts, as on every class path.
        return Ok(None);
    }
    headers::declare(module, input.bytes, file, number, origin).map(Some).map_err(|reason| refused(name, reason))
}

/// Every method of the program that has code: the number of its class, and its own.
fn all_of_program(module: &Module, loaded: &[Loaded<'_>]) -> Vec<(usize, usize)> {
    let mut chosen = Vec::new();
    for (number, class) in loaded.iter().enumerate() {
        if module.classes[class.class].origin != ClassOrigin::Program {
            continue;
        }
        let has_code = |&(_, &func): &(usize, &Func)| module.funcs[func].flags.has(Flags::UNREAD);
        chosen.extend(class.funcs.iter().enumerate().filter(has_code).map(|(method, _)| (number, method)));
    }
    chosen
}

fn lift_method(module: &mut Module, class: &Loaded<'_>, method: usize) -> Result<(), Problem> {
    let func = class.funcs[method];
    let code = class.file.code(method).map_err(|error| Problem::new(None, error.to_string()))?;
    let Some(code) = code else { return Ok(()) };
    let body = body::lift(module, &class.file, func, &code)?;
    let data = &mut module.funcs[func];
    data.flags = data.flags.without(Flags::UNREAD);
    data.body = Some(body);
    Ok(())
}

fn member_label(file: &ClassFile<'_>, method: usize) -> String {
    let member = &file.methods[method];
    format!("{}{}", file.pool.text_lossy(member.name), file.pool.text_lossy(member.descriptor))
}
