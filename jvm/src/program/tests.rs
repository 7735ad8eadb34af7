//! What becomes of jars, as listings: `=` for what is as it was, `~` for what is different, `+` and `-` for what came and
//! went. The changes are made up: each chosen class gets a field, and names a class that is added.

use std::fmt::Write;

use r8lite_classfile::jar::{self, Jar, JarEdits, Limits};
use r8lite_classfile::{ClassFile, Constant, add_field, flags, new_attribute, read, write};
use r8lite_ir::ClassOrigin;
use r8lite_passes::plan::{self, PlanOptions};

use super::{Content, Given, Program, Written, WrittenProgram};
use crate::{AddedClass, Applied, Backend};

/// An updater's field, so that the class is of interest.
const UPDATER: &str = "Ljava/util/concurrent/atomic/AtomicIntegerFieldUpdater;";

/// A class with a field of this type.
fn class(name: &str, field: &str) -> Vec<u8> {
    let mut class = ClassFile::new(52, flags::PUBLIC | flags::SUPER, name, "java/lang/Object").unwrap();
    add_field(&mut class, flags::PRIVATE | flags::STATIC, "field", field).unwrap();
    write(&class).unwrap()
}

/// A jar; entries whose name ends in `.jar` are stored.
fn make(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut edits = JarEdits::default();
    entries.iter().for_each(|(name, content)| edits.add(name, content.to_vec(), name.ends_with(".jar")));
    jar::write(&Jar::empty(), &edits).unwrap()
}

fn open<'a>(inputs: &'a [(&'a str, Content<'a>)]) -> Program<'a> {
    let given: Vec<Given<'a>> = inputs.iter().map(|&(name, content)| Given { name, content }).collect();
    Program::open(&given, &Limits::default()).unwrap()
}

/// Changes every class that is chosen. Also says what was left alone.
fn change(program: &Program<'_>) -> (WrittenProgram, String) {
    let nothing = Program::open(&[], &Limits::default()).unwrap();
    let lifted = program.lift(&nothing);
    let (bytes, parts) = (class("a/Holder", "I"), Default::default());
    let holder = AddedClass { name: "a/Holder".to_owned(), bytes, jar: 0, parts };
    let changed = |input: &crate::Input<'_>| {
        let mut class = read(input.bytes).ok()?;
        add_field(&mut class, flags::PRIVATE, "added", "La/Holder;").unwrap();
        Some(write(&class).unwrap())
    };
    let views = lifted.views.iter().map(|view| Applied {
        classes: view.inputs.iter().map(changed).collect(),
        added: vec![holder.clone()],
        plan: plan::decide(&view.lifted.module, &PlanOptions::default()),
        copied: 0,
    });
    let applied: Vec<Applied> = views.collect();
    let refused = lifted.refused.iter().map(|refused| format!("! {refused}\n")).collect();
    (program.write(&lifted, &applied, Backend::Unsafe).unwrap(), refused)
}

/// What an input became.
fn listing(before: &[u8], written: &Written) -> String {
    let mut out = String::new();
    match written {
        Written::Unchanged => out += "unchanged\n",
        Written::File { bytes, beside } => {
            list(&mut out, before, bytes, 0);
            beside.iter().for_each(|(name, _)| writeln!(out, "+ beside: {name}").unwrap());
        }
        Written::Folder(files) => files.iter().for_each(|(path, _)| writeln!(out, "~ {path}").unwrap()),
    }
    out
}

fn list(out: &mut String, before: &[u8], after: &[u8], depth: usize) {
    let [old, new] = [before, after].map(|bytes| Jar::read(bytes, &Limits::default()).unwrap());
    let indent = "  ".repeat(depth);
    for entry in old.entries().iter().filter(|entry| new.find(&entry.name).is_none()) {
        writeln!(out, "{indent}- {}", entry.name).unwrap();
    }
    for (number, entry) in new.entries().iter().enumerate() {
        let content = new.content(number).unwrap();
        let Some(known) = old.find(&entry.name) else {
            writeln!(out, "{indent}+ {}", entry.name).unwrap();
            continue;
        };
        let before = old.content(known).unwrap();
        let sign = if before == content { '=' } else { '~' };
        let stored = if entry.stored { " (stored)" } else { "" };
        writeln!(out, "{indent}{sign} {}{stored}", entry.name).unwrap();
        if sign == '~' && entry.name.ends_with(".jar") {
            list(out, &before, &content, depth + 1);
        }
    }
}

#[track_caller]
fn check(bytes: &[u8], wanted: &str) {
    let (written, refused) = change(&open(&[("app.jar", Content::File(bytes))]));
    assert_eq!(listing(bytes, &written.inputs[0]) + &refused, wanted);
}

const MANIFEST: (&str, &[u8]) = ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n");

#[test]
fn only_what_mentions_updaters_changes() {
    let (used, other) = (class("a/Used", UPDATER), class("a/Other", "I"));
    check(
        &make(&[MANIFEST, ("a/Used.class", &used), ("a/text", b"text"), ("a/Other.class", &other)]),
        "= META-INF/MANIFEST.MF\n~ a/Used.class\n= a/text\n= a/Other.class\n+ a/Holder.class\n",
    );
    check(&make(&[MANIFEST, ("a/Other.class", &other)]), "unchanged\n");
}

#[test]
fn jars_in_jars_stay_stored_and_get_what_their_classes_need() {
    let used = class("a/Used", UPDATER);
    let other = class("b/Other", UPDATER);
    let lib = make(&[("a/Used.class", &used)]);
    let idle = make(&[("c/Idle.class", &class("c/Idle", "I"))]);
    let entries: [(&str, &[u8]); 4] = [
        MANIFEST,
        ("BOOT-INF/classes/b/Other.class", &other),
        ("BOOT-INF/lib/lib.jar", &lib),
        ("BOOT-INF/lib/idle.jar", &idle),
    ];
    check(
        &make(&entries),
        "= META-INF/MANIFEST.MF
~ BOOT-INF/classes/b/Other.class
~ BOOT-INF/lib/lib.jar (stored)
  ~ a/Used.class
  + a/Holder.class
= BOOT-INF/lib/idle.jar (stored)
+ BOOT-INF/classes/a/Holder.class
",
    );
    // What is called a jar and is none stays.
    check(
        &make(&[("x.jar", b"text")]),
        "unchanged\n! app.jar!x.jar: no jar: invalid Zip archive: Could not find EOCD\n",
    );
}

#[test]
fn signatures_go_with_what_they_sign() {
    let used = class("a/Used", UPDATER);
    let manifest = b"Manifest-Version: 1.0\n\nName: a/Used.class\nSHA-256-Digest: abc\n\n";
    let signed: [(&str, &[u8]); 4] = [
        ("META-INF/MANIFEST.MF", manifest),
        ("META-INF/K.SF", b"x"),
        ("META-INF/K.RSA", b"x"),
        ("a/Used.class", &used),
    ];
    let bytes = make(&signed);
    check(&bytes, "- META-INF/K.SF\n- META-INF/K.RSA\n~ META-INF/MANIFEST.MF\n~ a/Used.class\n+ a/Holder.class\n");
    let (written, _) = change(&open(&[("app.jar", Content::File(&bytes))]));
    assert_eq!(written.unsigned, ["app.jar"]);
    // Where nothing changes, they stay.
    check(&make(&signed[..3]), "unchanged\n");
}

#[test]
fn each_version_of_a_class_changes() {
    let manifest = b"Manifest-Version: 1.0\nMulti-Release: true\n";
    let (used, newer) = (class("a/Used", UPDATER), class("a/Newer", UPDATER));
    let mut differs = read(&used).unwrap();
    differs.major_version = 55;
    let differs = write(&differs).unwrap();
    let entries: [(&str, &[u8]); 4] = [
        ("META-INF/MANIFEST.MF", manifest),
        ("a/Used.class", &used),
        ("META-INF/versions/11/a/Used.class", &differs),
        ("META-INF/versions/11/a/Newer.class", &newer),
    ];
    let versions = entries[..3].to_vec();
    check(
        &make(&entries),
        "= META-INF/MANIFEST.MF
~ a/Used.class
~ META-INF/versions/11/a/Used.class
~ META-INF/versions/11/a/Newer.class
+ a/Holder.class
",
    );
    // They count in multi-release jars only.
    let entries = [&[MANIFEST], &entries[1..]].concat();
    check(
        &make(&entries),
        "= META-INF/MANIFEST.MF
~ a/Used.class
= META-INF/versions/11/a/Used.class
= META-INF/versions/11/a/Newer.class
+ a/Holder.class
",
    );
    // Versions that are the same are one class.
    let entries: [(&str, &[u8]); 3] =
        [("META-INF/MANIFEST.MF", manifest), ("a/Used.class", &used), ("META-INF/versions/11/a/Used.class", &used)];
    check(
        &make(&entries),
        "= META-INF/MANIFEST.MF\n~ a/Used.class\n~ META-INF/versions/11/a/Used.class\n+ a/Holder.class\n",
    );
    // What another jar has besides may come before any of them.
    let (versions, other) = (make(&versions), make(&[("a/Used.class", &class("a/Used", "I"))]));
    let (written, refused) =
        change(&open(&[("app.jar", Content::File(&versions)), ("other.jar", Content::File(&other))]));
    assert_eq!(written.inputs, [Written::Unchanged, Written::Unchanged]);
    assert!(refused.ends_with("under META-INF/versions, or in several jars\n"), "{refused}");
}

#[test]
fn a_module_that_is_given_the_class_requires_what_it_uses() {
    let mut module = ClassFile::new(53, flags::MODULE, "module-info", "java/lang/Object").unwrap();
    let name = module.pool.add_utf8("demo").unwrap();
    let name = module.pool.add(&Constant::Module { name }).unwrap();
    let [high, low] = name.0.to_be_bytes();
    let content = [&[high, low], &[0; 14][..]].concat();
    let attribute = new_attribute(&mut module.pool, "Module", content).unwrap();
    module.attributes.push(attribute);
    let module = write(&module).unwrap();
    let path = "META-INF/versions/9/module-info.class";
    let bytes = make(&[(path, &module), ("a/Used.class", &class("a/Used", UPDATER))]);
    check(&bytes, &format!("~ {path}\n~ a/Used.class\n+ a/Holder.class\n"));
    check(&make(&[(path, &module), ("a/Used.class", &class("a/Used", "I"))]), "unchanged\n");
}

#[test]
fn several_inputs_are_one_program() {
    let (one, two) = (class("a/Used", UPDATER), class("a/Used", "I"));
    let (first, same) = (make(&[("a/Used.class", &one)]), make(&[("x", b"x"), ("a/Used.class", &one)]));
    let folder = [("a/Used.class".to_owned(), one.clone())];
    let inputs = [
        ("first.jar", Content::File(&first)),
        ("same.jar", Content::File(&same)),
        ("folder", Content::Folder(&folder)),
        ("Used.class", Content::File(&one)),
    ];
    let (written, refused) = change(&open(&inputs));
    assert_eq!(refused, "");
    assert_eq!(listing(&first, &written.inputs[0]), "~ a/Used.class\n+ a/Holder.class\n");
    assert_eq!(listing(&same, &written.inputs[1]), "= x\n~ a/Used.class\n+ a/Holder.class\n");
    assert_eq!(listing(&[], &written.inputs[2]), "~ a/Holder.class\n~ a/Used.class\n");
    let Written::File { beside, .. } = &written.inputs[3] else { panic!("{:?}", written.inputs[3]) };
    assert_eq!(beside[0].0, "Holder.class");
    // Two that differ: nobody knows which one runs.
    let other = make(&[("a/Used.class", &two)]);
    let (written, refused) =
        change(&open(&[("first.jar", Content::File(&first)), ("other.jar", Content::File(&other))]));
    assert_eq!(written.inputs, [Written::Unchanged, Written::Unchanged]);
    assert_eq!(refused, "! first.jar: a.Used: there is another class of this name in other.jar\n");
}

#[test]
fn writing_is_the_same_each_time() {
    let bytes =
        make(&[MANIFEST, ("a/Used.class", &class("a/Used", UPDATER)), ("b/Used.class", &class("b/Used", UPDATER))]);
    let inputs = [("app.jar", Content::File(&bytes))];
    assert_eq!(change(&open(&inputs)), change(&open(&inputs)));
}

#[test]
fn what_the_chosen_classes_need_is_found_by_name() {
    let mut sub = ClassFile::new(52, flags::PUBLIC | flags::SUPER, "a/Sub", "a/Base").unwrap();
    add_field(&mut sub, flags::PRIVATE | flags::STATIC, "field", UPDATER).unwrap();
    let sub = write(&sub).unwrap();
    let base = write(&ClassFile::new(52, flags::PUBLIC | flags::SUPER, "a/Base", "b/Root").unwrap()).unwrap();
    let bytes = make(&[("a/Sub.class", &sub), ("a/Base.class", &base), ("a/Idle.class", &class("a/Idle", "I"))]);
    let library = make(&[("b/Root.class", &class("b/Root", "I"))]);
    let (program, classpath) = ([("app.jar", Content::File(&bytes))], [("lib.jar", Content::File(&library))]);
    let (program, classpath) = (open(&program), open(&classpath));
    let lifted = program.lift(&classpath);
    let module = &lifted.views[0].lifted.module;
    let origin = |name: &str| module.find_class(name).map(|class| module.classes[class].origin);
    assert_eq!(origin("a.Sub"), Some(ClassOrigin::Program));
    assert_eq!(origin("a.Base"), Some(ClassOrigin::Program));
    assert_eq!(origin("b.Root"), Some(ClassOrigin::Classpath));
    assert_eq!(origin("a.Idle"), None);
}

#[test]
fn bombs_and_names_that_lead_out_are_refused() {
    let limits = Limits { total_size: 1000, ..Limits::default() };
    let open = |bytes: &[u8]| {
        let given = [Given { name: "app.jar", content: Content::File(bytes) }];
        Program::open(&given, &limits)
            .map(|program| program.refused.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let large = make(&[("zeros", &[0; 2000])]);
    assert_eq!(
        open(&large).unwrap_err().to_string(),
        "app.jar: entry zeros: 2000 bytes unpacked, more than the 1000 allowed"
    );
    // Inside of another, it is left as it is.
    let outer = make(&[("large.jar", &large)]);
    assert!(open(&outer).unwrap()[0].starts_with("app.jar!large.jar: entry zeros: 2000 bytes unpacked"));
    let mut innermost = make(&[("x", b"x")]);
    for _ in 0..5 {
        innermost = make(&[("x.jar", &innermost)]);
    }
    let given = [Given { name: "app.jar", content: Content::File(&innermost) }];
    let program = Program::open(&given, &Limits::default()).unwrap();
    assert!(program.refused[0].reason.contains("lies deeper"), "{:?}", program.refused);
    assert!(Program::open(&[Given { name: "x", content: Content::File(b"text") }], &limits).is_err());
}
