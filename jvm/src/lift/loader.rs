//! Loads classes: those that were handed over, and then, by name, those that they turn out to need.

use r8lite_classfile::{ClassFile, Constant, flags, read};
use r8lite_ir::{Class, ClassOrigin, Flags, Module, Type};
use rustc_hash::FxHashSet;

use super::exposed::{Exposed, mentions_updaters};
use super::headers::{self, Loaded};
use crate::{Found, Input, Refused, Sources, names, parallel};

/// What was loaded so far.
pub(crate) struct Loader<'a, 's> {
    pub(crate) module: Module,
    pub(crate) loaded: Vec<Loaded<'a>>,
    pub(crate) refused: Vec<Refused>,
    pub(crate) exposed: Exposed,
    /// What each input is called, by its number.
    pub(crate) inputs: Vec<&'a str>,
    find: &'s dyn Fn(&str) -> Option<Found<'a>>,
    /// The classes that were asked for by name.
    asked: FxHashSet<Class>,
}

impl<'a, 's> Loader<'a, 's> {
    /// Loads what was handed over. Also gives the class of each input of the program.
    pub(crate) fn new(module: Module, sources: &Sources<'a, 's>) -> (Loader<'a, 's>, Vec<Option<Class>>) {
        let mut loader = Loader {
            module,
            loaded: Vec::new(),
            refused: Vec::new(),
            exposed: Exposed::default(),
            inputs: Vec::new(),
            find: sources.find,
            asked: FxHashSet::default(),
        };
        let files = parallel::map(sources.program.to_vec(), |input| read(input.bytes));
        let program = sources.program.iter().zip(files);
        let classes = program.map(|(&input, file)| loader.load(input, file, ClassOrigin::Program)).collect();
        for &input in sources.classpath {
            loader.load(input, read(input.bytes), ClassOrigin::Classpath);
        }
        (loader, classes)
    }

    fn load(
        &mut self,
        input: Input<'a>,
        file: r8lite_classfile::Result<ClassFile<'a>>,
        origin: ClassOrigin,
    ) -> Option<Class> {
        let number = self.inputs.len();
        self.inputs.push(input.name);
        match load(&mut self.module, &input, file, number, origin) {
            Ok(loaded) => {
                let class = loaded.as_ref().map(|loaded| loaded.class);
                self.loaded.extend(loaded);
                class
            }
            Err(problem) => {
                if origin == ClassOrigin::Program {
                    self.exposed.unread_class(input.bytes);
                }
                self.refused.push(*problem);
                None
            }
        }
    }

    /// Loads classes and their supertypes, as far as they can be found and are not there yet.
    pub(crate) fn want(&mut self, classes: impl IntoIterator<Item = Class>) {
        let mut work: Vec<Class> = classes.into_iter().collect();
        while let Some(class) = work.pop() {
            if self.module.classes[class].origin != ClassOrigin::Missing || !self.asked.insert(class) {
                continue;
            }
            let name = self.module.class_name(class).replace('.', "/");
            let Some(Found { input, origin }) = (self.find)(&name) else { continue };
            if self.load(input, read(input.bytes), origin) == Some(class) {
                work.extend(supertypes(&self.module, class));
            }
        }
    }

    /// Loads the supertypes of all classes that are there.
    pub(crate) fn want_supertypes(&mut self) {
        let supers: Vec<Class> =
            self.loaded.iter().flat_map(|class| supertypes(&self.module, class.class).collect::<Vec<_>>()).collect();
        self.want(supers);
    }

    /// Loads what the classes of the program name that mention updaters: holders, values and whose members they use.
    pub(crate) fn want_neighbours(&mut self) {
        let mut named: Vec<Type> = Vec::new();
        for class in &self.loaded {
            if self.module.classes[class.class].origin != ClassOrigin::Program || !mentions_updaters(class.bytes) {
                continue;
            }
            for (index, constant) in class.file.pool.iter() {
                match constant {
                    Constant::Class { .. } => {
                        named.extend(names::class_constant(&mut self.module, &class.file, index));
                    }
                    Constant::NameAndType { descriptor, .. } => {
                        let Ok(descriptor) = class.file.pool.text(descriptor) else { continue };
                        if !descriptor.starts_with('(') {
                            named.extend(names::ty(&mut self.module, &descriptor));
                        } else if let Ok(sig) = names::sig(&mut self.module, &descriptor) {
                            let sig = self.module.sig(sig);
                            named.extend(sig.params.iter().copied().chain(sig.ret));
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut classes: Vec<Class> = named.into_iter().filter_map(|ty| class_of(&self.module, ty)).collect();
        classes.sort_unstable();
        classes.dedup();
        self.want(classes);
    }
}

fn supertypes(module: &Module, class: Class) -> impl Iterator<Item = Class> + '_ {
    let data = &module.classes[class];
    data.superclass.iter().chain(&data.interfaces).copied()
}

/// The class of a type, or of an array's elements.
fn class_of(module: &Module, mut ty: Type) -> Option<Class> {
    while let Type::Array(array) = ty {
        ty = module.array_element(array);
    }
    match ty {
        Type::Class(class) => Some(class),
        _ => None,
    }
}

/// Declares a class that was read; nothing for what is no class, like `module-info`.
fn load<'a>(
    module: &mut Module,
    input: &Input<'a>,
    file: r8lite_classfile::Result<ClassFile<'a>>,
    number: usize,
    origin: ClassOrigin,
) -> Result<Option<Loaded<'a>>, Box<Refused>> {
    let refused = |class: Option<String>, reason: String| {
        Box::new(Refused { input: input.name.to_owned(), class, method: None, offset: None, reason })
    };
    let file = file.map_err(|error| refused(None, error.to_string()))?;
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

/// The class library, whose classes are known in part.
pub(crate) fn library() -> Module {
    let mut module = r8lite_ir::text::parse(&[]).expect("the class library parses");
    for data in module.classes.values_mut() {
        // Every class stands on `Object`, of which the library has all.
        if data.superclass.is_some() {
            data.flags = data.flags.with(Flags::PARTIAL);
        }
    }
    module
}
