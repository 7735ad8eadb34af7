//! From class files to a module.
//!
//! ```text
//! read classes and declare them (loader, headers) ─▶ choose methods (relevant) ─▶ for each: decode (code) ─▶ blocks and
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
mod loader;
mod relevant;
mod step;

use r8lite_classfile::ClassFile;
use r8lite_ir::{Class, ClassOrigin, Flags, Func, Module, SecondaryMap, Verified, verify};

use self::exposed::Exposed;
pub(crate) use self::exposed::{UPDATERS, is_updater_descriptor};
use self::headers::Loaded;
use self::loader::Loader;
pub(crate) use self::relevant::LOOKUPS;
use crate::{Input, Lifted, Methods, Options, Place, Refused, Sources};

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
    lift_from(&Sources { program, classpath, opaque: &[], find: &|_| None }, options)
}

/// Lifts a program of which only some classes are at hand, and others are found when they are needed.
///
/// # Panics
/// As [`lift`].
pub fn lift_from(sources: &Sources<'_, '_>, options: &Options) -> Lifted {
    let (mut loader, mut classes) = Loader::new(loader::library(), sources);
    loader.want_supertypes();
    if options.methods == Methods::Relevant {
        loader.want_neighbours();
    }
    headers::check_nests(&mut loader.module, &loader.loaded);
    let mut chosen = relevant::choose(&mut loader);
    // What was loaded last may be in nests too.
    headers::check_nests(&mut loader.module, &loader.loaded);
    let Loader { mut module, loaded, mut refused, mut exposed, inputs, .. } = loader;
    let mut places = SecondaryMap::new();
    for class in &loaded {
        for (method, &func) in class.funcs.iter().enumerate() {
            places[func] = Some(Place { input: class.input as u32, method: method as u32 });
        }
    }
    if options.methods == Methods::All {
        chosen.extend(all_of_program(&module, &loaded));
        chosen.sort_unstable();
        chosen.dedup();
    }
    for (number, method) in chosen {
        let class = &loaded[number];
        if let Err(problem) = lift_method(&mut module, class, method) {
            refused.push(Refused {
                input: inputs[class.input].to_owned(),
                class: Some(module.class_name(class.class).to_owned()),
                method: Some(member_label(&class.file, method)),
                offset: problem.offset,
                reason: problem.reason,
            });
            exposed.named_in(&mut module, &class.file);
        }
    }
    for class in &loaded {
        exposed.handles(&mut module, class);
    }
    for input in sources.opaque {
        exposed.opaque(&mut module, input.bytes);
    }
    // What was only named so far is not there.
    for data in module.classes.values_mut().filter(|data| data.origin == ClassOrigin::Missing) {
        data.origin = ClassOrigin::Extern;
    }
    exposed.mark(&mut module);
    let module = without_culprits(module, &loaded, |class, body_of, offset, reason| {
        let method = body_of.map(|method| member_label(&class.file, method));
        let name = class.file.name().ok().map(|name| name.replace('/', "."));
        if method.is_none() && class.input < classes.len() {
            classes[class.input] = None;
        }
        refused.push(Refused { input: inputs[class.input].to_owned(), class: name, method, offset, reason });
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
                    exposed.named_in(&mut module, &class.file);
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
    data.body = Some(Box::new(body));
    Ok(())
}

fn member_label(file: &ClassFile<'_>, method: usize) -> String {
    let member = &file.methods[method];
    format!("{}{}", file.pool.text_lossy(member.name), file.pool.text_lossy(member.descriptor))
}
