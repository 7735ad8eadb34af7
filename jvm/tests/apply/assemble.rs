//! Class files from text, for shapes that no compiler makes. See any file of `testdata/assembled`.
//!
//! ```text
//! class public Node 52                      flags, name, version
//! field private static final U LX;          flags, name, descriptor
//! method static m (I)V                      flags, name, descriptor; its code follows
//!   top:
//!   frame [int] []                          the types of locals and stack at this place
//!   iload_0
//!   ifeq end
//!   getstatic Node.U LX;
//!   ldc class Node
//! ```
//!
//! Updater classes, `Object` and `String` go without their packages.

use r8lite_classfile::{
    ClassFile, CodeEdits, ConstantPool, Frame, Insn, Label, Opcode, Shape, VerificationType, add_field, add_method,
    descriptor, flags, write,
};

/// A class that was assembled.
pub(crate) struct Assembled {
    /// Its internal name.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// The classes of a text. What is wrong with it panics, with its line.
pub(crate) fn assemble(text: &str) -> Vec<Assembled> {
    let mut done = Vec::new();
    let mut class: Option<(String, ClassFile<'static>)> = None;
    let mut method: Option<Method> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.split(';').next().filter(|_| line.trim_start().starts_with(';')).unwrap_or(line).trim();
        if line.is_empty() {
            continue;
        }
        let line = with_packages(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let place = || format!("line {}: {line}", number + 1);
        match words[0] {
            "class" | "field" | "method" => {
                if let (Some((_, class)), Some(method)) = (&mut class, method.take()) {
                    method.finish(class);
                }
                match words[0] {
                    "class" => {
                        done.extend(class.take().map(finish));
                        class = Some(begin(&words[1..]));
                    }
                    "field" => {
                        let (_, class) = class.as_mut().unwrap_or_else(|| panic!("{}", place()));
                        let [flags @ .., name, ty] = &words[1..] else { panic!("{}", place()) };
                        add_field(class, access(flags), name, ty).unwrap();
                    }
                    _ => method = Some(Method::new(&words[1..])),
                }
            }
            _ => {
                let (_, class) = class.as_mut().unwrap_or_else(|| panic!("{}", place()));
                let method = method.as_mut().unwrap_or_else(|| panic!("{}", place()));
                method.line(&mut class.pool, &line, &words).unwrap_or_else(|| panic!("{}", place()));
            }
        }
    }
    if let (Some((_, class)), Some(method)) = (&mut class, method.take()) {
        method.finish(class);
    }
    done.extend(class.map(finish));
    done
}

fn with_packages(line: &str) -> String {
    let mut line = line.to_owned();
    for kind in ["Reference", "Integer", "Long"] {
        let name = format!("Atomic{kind}FieldUpdater");
        line = line.replace(&name, &format!("java/util/concurrent/atomic/{name}"));
    }
    for name in ["Object", "String", "Class", "Runnable"] {
        line = line.replace(&format!("L{name};"), &format!("Ljava/lang/{name};"));
    }
    line
}

fn begin(words: &[&str]) -> (String, ClassFile<'static>) {
    let [flags @ .., name, version] = words else { panic!("a class has a name and a version") };
    let access = access(flags);
    let extra = if access & flags::INTERFACE == 0 { flags::SUPER } else { 0 };
    let class = ClassFile::new(version.parse().unwrap(), access | extra, name, "java/lang/Object");
    ((*name).to_owned(), class.unwrap())
}

fn finish((name, class): (String, ClassFile<'static>)) -> Assembled {
    Assembled { name, bytes: write(&class).unwrap() }
}

fn access(words: &[&str]) -> u16 {
    let flag = |word: &&str| match *word {
        "public" => flags::PUBLIC,
        "private" => flags::PRIVATE,
        "static" => flags::STATIC,
        "final" => flags::FINAL,
        "volatile" => flags::VOLATILE,
        "interface" => flags::INTERFACE | flags::ABSTRACT,
        "synthetic" => flags::SYNTHETIC,
        other => panic!("no flag is called {other}"),
    };
    words.iter().map(flag).fold(0, |all, one| all | one)
}

struct Method {
    access: u16,
    name: String,
    descriptor: String,
    code: Vec<Insn>,
    edits: CodeEdits,
    labels: Vec<(String, Label)>,
    /// The label of the place that was last reached.
    here: Option<Label>,
}

impl Method {
    fn new(words: &[&str]) -> Method {
        let [flags @ .., name, descriptor] = words else { panic!("a method has a name and a descriptor") };
        Method {
            access: access(flags),
            name: (*name).to_owned(),
            descriptor: (*descriptor).to_owned(),
            code: Vec::new(),
            edits: CodeEdits::new(),
            labels: Vec::new(),
            here: None,
        }
    }

    fn label(&mut self, name: &str) -> Label {
        if let Some((_, label)) = self.labels.iter().find(|(known, _)| known == name) {
            return *label;
        }
        let label = self.edits.new_label();
        self.labels.push((name.to_owned(), label));
        label
    }

    fn line(&mut self, pool: &mut ConstantPool<'static>, line: &str, words: &[&str]) -> Option<()> {
        if let Some(name) = words[0].strip_suffix(':') {
            let label = self.label(name);
            self.code.push(Insn::Label(label));
            self.here = Some(label);
            return Some(());
        }
        if words[0] == "frame" {
            let mut lists = line.split(['[', ']']).skip(1).step_by(2).map(|list| types(pool, list));
            let frame = Frame { locals: lists.next()?, stack: lists.next()? };
            self.edits.frame(self.here?, frame);
            return Some(());
        }
        if words[0] == "times" {
            // As many times as it says, for methods that are large.
            let insn = self.insn(pool, line, &words[2..])?;
            let count: usize = words[1].parse().ok()?;
            self.code.extend(std::iter::repeat_n(insn, count));
            return Some(());
        }
        let insn = self.insn(pool, line, words)?;
        self.code.push(insn);
        Some(())
    }

    fn insn(&mut self, pool: &mut ConstantPool<'static>, line: &str, words: &[&str]) -> Option<Insn> {
        let opcode = (0..=201).filter_map(Opcode::from_byte).find(|opcode| opcode.mnemonic() == words[0])?;
        let member = || {
            let (class, name) = words.get(1)?.rsplit_once('.')?;
            Some((class.to_owned(), name.to_owned(), (*words.get(2)?).to_owned()))
        };
        Some(match opcode.shape() {
            Shape::None => Insn::Plain(opcode),
            Shape::Byte | Shape::Short => Insn::Push(opcode, words.get(1)?.parse().ok()?),
            Shape::Local => Insn::Local(opcode, words.get(1)?.parse().ok()?),
            Shape::Branch => Insn::Branch(opcode, self.label(words.get(1)?)),
            Shape::Ldc | Shape::Constant if words[0].starts_with("ldc") => {
                let constant = match *words.get(1)? {
                    "class" => pool.add_class(words.get(2)?),
                    _ => pool.add_string(line.split('"').nth(1)?),
                };
                Insn::Constant(opcode, constant.ok()?)
            }
            Shape::Constant => Insn::Constant(opcode, pool.add_class(&class_name(words.get(1)?)).ok()?),
            Shape::Field => {
                let (class, name, ty) = member()?;
                Insn::Constant(opcode, pool.add_field(&class, &name, &ty).ok()?)
            }
            Shape::Method => {
                let (class, name, ty) = member()?;
                Insn::Constant(opcode, pool.add_method(&class_name(&class), &name, &ty).ok()?)
            }
            _ => return None,
        })
    }

    fn finish(mut self, class: &mut ClassFile<'static>) {
        self.edits.at_entry(self.code);
        add_method(class, self.access, &self.name, &self.descriptor, Some(&self.edits)).unwrap();
    }
}

fn class_name(word: &str) -> String {
    match word {
        "Object" | "String" | "Runnable" => format!("java/lang/{word}"),
        other => other.to_owned(),
    }
}

fn types(pool: &mut ConstantPool<'static>, list: &str) -> Vec<VerificationType> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let ty = |name: &str| match name {
        "int" => VerificationType::Integer,
        "long" => VerificationType::Long,
        "null" => VerificationType::Null,
        "top" => VerificationType::Top,
        class => {
            let class = descriptor::class_constant(class).unwrap_or(class);
            VerificationType::Object(pool.add_class(&class_name(class)).unwrap())
        }
    };
    names.map(ty).collect()
}
