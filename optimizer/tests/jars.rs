//! The command on jars, folders and class files: what appears where, and that it runs as before.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder of the test, with the classes of `testdata/jvm/Counter.java` and of a user of it.
struct Folder(TempDir);

/// A class in a package, whose updater another class of the package uses.
const QUEUE: &str = "package demo;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
public class Queue {
    volatile int size;
    static final AtomicIntegerFieldUpdater<Queue> SIZE = AtomicIntegerFieldUpdater.newUpdater(Queue.class, \"size\");
    public int grow() { return SIZE.incrementAndGet(this); }
}
";
const MAIN: &str = "package demo;
public class Main {
    public static void main(String[] args) {
        Queue queue = new Queue();
        queue.grow();
        System.out.println(Queue.SIZE.getAndSet(queue, 5) + queue.grow());
        try { Queue.SIZE.get(null); } catch (ClassCastException e) { System.out.println(\"no holder\"); }
    }
}
";

impl Folder {
    /// With `classes`, compiled for Java 8.
    fn new() -> Folder {
        let folder = Folder(TempDir::new().expect("a temporary folder"));
        for (name, text) in [("Queue.java", QUEUE), ("Main.java", MAIN)] {
            fs::write(folder.path(name), text).expect("a source can be written");
        }
        folder.tool(
            "javac",
            &["-nowarn", "-Xlint:-options", "--release", "8", "-d", "classes", "Queue.java", "Main.java"],
        );
        folder
    }

    /// With `app.jar` besides.
    fn with_jar() -> Folder {
        let folder = Folder::new();
        folder.jar("app.jar", &["-C", "classes", "demo"]);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn tool(&self, name: &str, args: &[&str]) -> String {
        let output = Command::new(name).args(args).current_dir(self.0.path()).output();
        let output = output.unwrap_or_else(|error| panic!("{name}: {error}; install openjdk-17-jdk-headless"));
        assert!(output.status.success(), "{name} {args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Makes a jar, without compression where `args` say so.
    fn jar(&self, name: &str, args: &[&str]) {
        self.tool("jar", &[&["--create", "--file", name], args].concat());
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_r8lite")).args(args).current_dir(self.0.path()).output().expect("it runs")
    }

    /// Runs, and gives standard output and standard error.
    fn good(&self, args: &[&str]) -> (String, String) {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    }

    #[track_caller]
    fn bad(&self, args: &[&str], status: i32, message: &str) {
        let output = self.run(args);
        let messages = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(status), ""), "{args:?}: {messages}");
        assert!(messages.contains(message), "{args:?}: `{message}` is not in: {messages}");
    }

    /// What the program prints, with every class verified.
    fn java(&self, classpath: &str) -> String {
        self.tool("java", &["-Xverify:all", "-cp", classpath, "demo.Main"])
    }

    /// The names in a jar, the hash of the added class left out.
    fn listing(&self, jar: &str) -> Vec<String> {
        self.tool("jar", &["--list", "--file", jar]).lines().map(without_hash).collect()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("the file is there")
    }

    /// The paths of the files in a folder, in order.
    fn files(&self, name: &str) -> Vec<String> {
        fn walk(folder: &Path, prefix: &str, out: &mut Vec<String>) {
            for entry in fs::read_dir(folder).expect("the folder is there") {
                let entry = entry.expect("an entry");
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                match entry.path().is_dir() {
                    true => walk(&entry.path(), &format!("{name}/"), out),
                    false => out.push(without_hash(&name)),
                }
            }
        }
        let mut out = Vec::new();
        walk(&self.path(name), "", &mut out);
        out.sort();
        out
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("it is UTF-8")
}

fn without_hash(name: &str) -> String {
    match name.split_once("R8lite$") {
        Some((before, after)) => format!("{before}R8lite$*{}", &after[after.find('.').unwrap_or(after.len())..]),
        None => name.to_owned(),
    }
}

const PRINTED: &str = "7\nno holder\n";

#[test]
fn a_jar_is_optimised_and_runs_as_before() {
    let folder = Folder::with_jar();
    assert_eq!(folder.java("app.jar"), PRINTED);
    let (out, err) = folder.good(&["optimize", "app.jar", "-o", "out.jar"]);
    assert_eq!((out.as_str(), err.as_str()), ("", ""));
    assert_eq!(folder.java("out.jar"), PRINTED);
    let before = folder.listing("app.jar");
    let added = vec!["demo/R8lite$*.class".to_owned()];
    assert_eq!(folder.listing("out.jar"), [before, added].concat());
    // The same each time; and twice is the same as once.
    folder.good(&["optimize", "app.jar", "-o", "again.jar"]);
    assert_eq!(folder.bytes("again.jar"), folder.bytes("out.jar"));
    folder.good(&["optimize", "out.jar", "-o", "twice.jar"]);
    assert_eq!(folder.bytes("twice.jar"), folder.bytes("out.jar"));
}

#[test]
fn the_report_says_what_became_of_each_call() {
    let folder = Folder::with_jar();
    let (report, _) = folder.good(&["explain", "app.jar"]);
    let report: Vec<String> = report
        .lines()
        .map(|line| match line.starts_with("note: the class demo.R8lite$") {
            true => "note: the class demo.R8lite$* comes in addition, and holds sun.misc.Unsafe".to_owned(),
            false => line.to_owned(),
        })
        .collect();
    let wanted = "\
demo.Queue
  Queue.java:5 updater SIZE (Integer on demo.Queue.size): instrumented: it can be used by classes outside the input; \
pass --closed-packages if there are none, or make it private
  Queue.java:6 grow: incrementAndGet of demo.Queue.SIZE: replaced: getandadd.volatile

demo.Main
  Main.java:6 main: getAndSet of demo.Queue.SIZE: replaced: getandset.volatile
  Main.java:7 main: get of demo.Queue.SIZE: replaced: getfield; checks the holder

note: the class demo.R8lite$* comes in addition, and holds sun.misc.Unsafe
note: sun.misc.Unsafe is in the module jdk.unsupported, for which jars on a module path that are no modules need \
--add-modules jdk.unsupported; Java 24 and later warn when it is used, and \
--sun-misc-unsafe-memory-access=deny forbids it
updaters: 1 found, 1 instrumented, 0 removed
calls: 3 in all, 3 replaced, 0 kept";
    assert_eq!(report.join("\n"), wanted);
    folder.good(&["explain", "app.jar", "--closed-packages", "--report", "report.json"]);
    let json: serde_json::Value = serde_json::from_slice(&folder.bytes("report.json")).expect("it is JSON");
    assert_eq!(json["summary"]["updaters"]["removed"], 1);
    let call = &json["calls"][2];
    assert_eq!((&call["class"], &call["descriptor"]), (&"demo.Queue".into(), &"()I".into()));
    assert!(call["offset"].is_u64() && call["line"] == 6, "{call}");
    assert_eq!(folder.files("classes"), ["demo/Main.class", "demo/Queue.class"], "nothing was written");
}

#[test]
fn an_output_may_be_its_input() {
    let folder = Folder::with_jar();
    folder.good(&["optimize", "app.jar", "-o", "out.jar"]);
    folder.good(&["optimize", "app.jar", "-o", "app.jar"]);
    assert_eq!(folder.bytes("app.jar"), folder.bytes("out.jar"));
    folder.good(&["optimize", "classes", "-o", "classes", "--closed-packages"]);
    assert_eq!(folder.files("classes"), ["demo/Main.class", "demo/Queue.class", "demo/R8lite$*.class"]);
    assert_eq!(folder.java("classes"), PRINTED);
    // Nothing is left to do, and nothing is written.
    let before = fs::metadata(folder.path("classes/demo/Main.class")).and_then(|file| file.modified()).ok();
    folder.good(&["optimize", "classes", "-o", "classes"]);
    let after = fs::metadata(folder.path("classes/demo/Main.class")).and_then(|file| file.modified()).ok();
    assert_eq!(before, after);
}

#[test]
fn folders_and_class_files_become_such() {
    let folder = Folder::new();
    fs::write(folder.path("classes/notes.txt"), "notes").expect("a file can be written");
    folder.good(&["optimize", "classes", "-o", "out"]);
    assert_eq!(folder.files("out"), ["demo/Main.class", "demo/Queue.class", "demo/R8lite$*.class", "notes.txt"]);
    assert_eq!(folder.java("out"), PRINTED);
    // A class by itself: what it needs lies beside it.
    fs::create_dir_all(folder.path("alone/demo")).expect("a folder can be made");
    folder.good(&["optimize", "classes/demo/Queue.class", "-o", "alone/demo/Queue.class"]);
    assert_eq!(folder.files("alone"), ["demo/Queue.class", "demo/R8lite$*.class"]);
    assert_eq!(folder.java(if cfg!(windows) { "alone;classes" } else { "alone:classes" }), PRINTED);
}

#[test]
fn several_inputs_are_one_program_and_a_folder() {
    let folder = Folder::new();
    folder.jar("queue.jar", &["-C", "classes", "demo/Queue.class"]);
    folder.jar("main.jar", &["-C", "classes", "demo/Main.class"]);
    let (report, _) = folder.good(&["explain", "queue.jar", "main.jar"]);
    assert!(report.ends_with("calls: 3 in all, 3 replaced, 0 kept\n"), "{report}");
    folder.good(&["optimize", "main.jar", "queue.jar", "-o", "out"]);
    assert_eq!(folder.files("out"), ["main.jar", "queue.jar"]);
    let classpath = if cfg!(windows) { "out/main.jar;out/queue.jar" } else { "out/main.jar:out/queue.jar" };
    assert_eq!(folder.java(classpath), PRINTED);
    folder.bad(&["optimize", "main.jar", "classes/../main.jar", "-o", "out"], 2, "is named twice");
}

#[test]
fn jars_in_jars_stay_stored() {
    let folder = Folder::with_jar();
    fs::create_dir_all(folder.path("boot/BOOT-INF/lib")).expect("a folder can be made");
    fs::rename(folder.path("app.jar"), folder.path("boot/BOOT-INF/lib/app.jar")).expect("a file can be moved");
    folder.jar("boot.jar", &["--no-compress", "-C", "boot", "BOOT-INF"]);
    folder.good(&["optimize", "boot.jar", "-o", "out.jar"]);
    assert_eq!(folder.listing("out.jar"), folder.listing("boot.jar"));
    folder.tool("jar", &["--extract", "--file", "out.jar"]);
    assert_eq!(folder.java("BOOT-INF/lib/app.jar"), PRINTED);
    let stored = folder.bytes("BOOT-INF/lib/app.jar");
    assert!(folder.bytes("out.jar").windows(stored.len()).any(|window| window == stored), "it is stored as it is");
}

#[test]
fn a_varhandle_has_its_rule() {
    let folder = Folder::with_jar();
    folder.bad(
        &["optimize", "app.jar", "-o", "out.jar", "--backend", "varhandle", "--min-java", "8"],
        2,
        "from Java 9",
    );
    folder.good(&["optimize", "app.jar", "-o", "out.jar", "--backend", "varhandle", "--min-java", "9"]);
    assert_eq!(folder.java("out.jar"), PRINTED);
    folder.tool("jar", &["--extract", "--file", "out.jar"]);
    let rule = "-keepclassmembers class demo.Queue {\n    volatile int size;\n}\n";
    assert_eq!(text(&folder.bytes("META-INF/proguard/r8lite.pro")), rule);
}

#[test]
fn class_files_run_under_the_interpreter_as_on_a_jvm() {
    let folder = Folder::with_jar();
    for args in [
        &["run", "app.jar"][..],
        &["run", "classes", "--no-optimize"],
        &["run", "app.jar", "--entry", "demo.Main.main"],
    ] {
        assert_eq!(folder.good(args).0, PRINTED, "{args:?}");
    }
}

#[test]
fn what_cannot_be_read_is_left_as_it_is_or_fails() {
    let folder = Folder::new();
    let queue = folder.bytes("classes/demo/Queue.class");
    fs::write(folder.path("classes/demo/Cut.class"), &queue[..queue.len() - 10]).expect("a file can be written");
    folder.jar("app.jar", &["-C", "classes", "demo"]);
    let (_, warnings) = folder.good(&["optimize", "app.jar", "-o", "out.jar"]);
    assert!(
        warnings.starts_with("warning: left as it is: app.jar!demo/Cut.class: class demo/Queue, byte "),
        "{warnings}"
    );
    folder.bad(&["optimize", "app.jar", "-o", "strict.jar", "--strict"], 1, "--strict wants every class to be read");
    assert!(!folder.path("strict.jar").exists());
    folder.bad(&["verify", "app.jar"], 1, "app.jar!demo/Cut.class: class demo/Queue, byte ");
}

#[test]
fn what_is_asked_for_has_to_make_sense() {
    let folder = Folder::with_jar();
    folder.bad(&["optimize", "app.jar"], 2, "name --output");
    let (plan, _) = folder.good(&["optimize", "app.jar", "--emit", "plan"]);
    assert!(plan.contains("SIZE"), "{plan}");
    folder.bad(
        &["optimize", "app.jar", "-o", "out.jar", "--keep", "demo.Queue.SIZE", "--fail-under", "50"],
        1,
        "0.0 %",
    );
    let (_, warning) = folder.good(&["optimize", "app.jar", "-o", "out.jar", "--print-after", "all"]);
    assert!(warning.contains("have no effect on class files"), "{warning}");
    // A name that leads out of the jar.
    let bytes = folder.bytes("app.jar");
    let evil: Vec<u8> = text_replaced(&bytes, b"demo/Main.class", b"../d/Main.class");
    fs::write(folder.path("evil.jar"), evil).expect("a file can be written");
    folder.bad(&["optimize", "evil.jar", "-o", "out.jar"], 1, "a name must not lead out of the jar");
}

/// A jar with another `Queue` for Java 11.
fn multi_release(newer: &str) -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("newer")).expect("a folder can be made");
    fs::write(folder.path("newer/Queue.java"), newer).expect("a source can be written");
    folder.tool("javac", &["--release", "11", "-d", "newer/classes", "newer/Queue.java"]);
    folder.jar("app.jar", &["-C", "classes", "demo", "--release", "11", "-C", "newer/classes", "demo"]);
    folder
}

/// What the program prints on Java 8, and on a newer one.
fn of_each_version(folder: &Folder, jar: &str) -> [String; 2] {
    ["8", "11"].map(|version| {
        let version = format!("-Djdk.util.jar.version={version}");
        folder.tool("java", &[&version, "-Xverify:all", "-cp", jar, "demo.Main"])
    })
}

#[test]
fn each_version_of_a_class_is_optimised() {
    let newer = QUEUE.replace("incrementAndGet(this)", "addAndGet(this, 20)");
    let folder = multi_release(&newer);
    let before = of_each_version(&folder, "app.jar");
    assert_eq!(before, [PRINTED.to_owned(), "45\nno holder\n".to_owned()]);
    for options in [&[][..], &["--backend", "varhandle", "--min-java", "9"], &["--closed-packages"]] {
        folder.good(&[&["optimize", "app.jar", "-o", "out.jar"], options].concat());
        assert_eq!(of_each_version(&folder, "out.jar"), before, "{options:?}");
        folder.good(&[&["optimize", "out.jar", "-o", "twice.jar"], options].concat());
        assert_eq!(folder.bytes("twice.jar"), folder.bytes("out.jar"), "{options:?}");
    }
    let (report, _) = folder.good(&["explain", "app.jar"]);
    assert!(report.contains("grow: addAndGet of demo.Queue.SIZE: replaced"), "{report}");
    assert!(report.contains("note: for Java 11 and later these have versions of their own: demo.Queue"), "{report}");
    assert!(
        report.ends_with("updaters: 2 found, 2 instrumented, 0 removed\ncalls: 4 in all, 4 replaced, 0 kept\n"),
        "{report}"
    );
}

#[test]
fn a_version_without_updaters_is_left_alone() {
    let old = "volatile int size;
    static final AtomicIntegerFieldUpdater<Queue> SIZE = AtomicIntegerFieldUpdater.newUpdater(Queue.class, \"size\");";
    // What others use of the class is there in both.
    let newer = QUEUE.replace("incrementAndGet(this)", "addAndGet(this, 20)").replace(old, &format!("{old} int more;"));
    let newer = newer.replace("public int grow() {", "public int grow() { more = 1;");
    let newer = newer.replace("SIZE.addAndGet(this, 20)", "++size");
    let folder = multi_release(&newer);
    let before = of_each_version(&folder, "app.jar");
    folder.good(&["optimize", "app.jar", "-o", "out.jar"]);
    assert_eq!(of_each_version(&folder, "out.jar"), before);
}

#[test]
fn what_versions_do_not_agree_on_stays() {
    // In the newer one, the updater may be another one each time.
    let folder = multi_release(&QUEUE.replace("static final", "static"));
    let before = of_each_version(&folder, "app.jar");
    folder.good(&["optimize", "app.jar", "-o", "out.jar"]);
    assert_eq!(of_each_version(&folder, "out.jar"), before);
    let (report, _) = folder.good(&["explain", "app.jar"]);
    assert!(
        report.contains("main: getAndSet of demo.Queue.SIZE: kept: its class is used with several versions"),
        "{report}"
    );
    assert!(report.contains("Queue.java:6 grow: incrementAndGet of demo.Queue.SIZE: replaced"), "{report}");
    assert!(report.ends_with("calls: 4 in all, 1 replaced, 3 kept\n"), "{report}");
}

/// A jar of Android's: classes, a library, and rules beside them.
#[test]
fn an_aar_has_its_rules_beside_its_classes() {
    let folder = Folder::with_jar();
    fs::create_dir_all(folder.path("aar/libs")).expect("a folder can be made");
    fs::rename(folder.path("app.jar"), folder.path("aar/classes.jar")).expect("a file can be moved");
    for (name, content) in [
        ("AndroidManifest.xml", "<manifest package=\"demo\"/>"),
        ("R.txt", "int string name 0x1"),
        ("proguard.txt", "-keep class demo.Main"),
    ] {
        fs::write(folder.path("aar").join(name), content).expect("a file can be written");
    }
    folder.jar("aar/libs/other.jar", &["-C", "aar", "R.txt"]);
    folder.jar("lib.aar", &["--no-manifest", "-C", "aar", "."]);
    folder.good(&["optimize", "lib.aar", "-o", "out.aar", "--backend", "varhandle", "--min-api", "33"]);
    assert_eq!(folder.listing("out.aar"), folder.listing("lib.aar"));
    folder.tool("jar", &["--extract", "--file", "out.aar"]);
    let rules = text(&folder.bytes("proguard.txt"));
    assert_eq!(rules, "-keep class demo.Main\n-keepclassmembers class demo.Queue {\n    volatile int size;\n}\n");
    assert_eq!(folder.java("classes.jar"), PRINTED);
    assert_eq!(text(&folder.bytes("R.txt")), "int string name 0x1");
    assert!(!folder.listing("classes.jar").iter().any(|name| name.contains("proguard")), "the rules are beside it");
    // Without rules there were none.
    folder.jar("bare.aar", &["--no-manifest", "-C", "aar", "classes.jar", "-C", "aar", "AndroidManifest.xml"]);
    folder.good(&["optimize", "bare.aar", "-o", "out.aar", "--backend", "varhandle", "--min-api", "33"]);
    assert_eq!(folder.listing("out.aar"), ["classes.jar", "AndroidManifest.xml", "proguard.txt"]);
}

/// What begins with a script and may be executed stays so.
#[cfg(unix)]
#[test]
fn an_executable_jar_stays_executable() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with_jar();
    let script = b"#!/bin/sh\nexec java -cp \"$0\" demo.Main\n".to_vec();
    fs::write(folder.path("app"), [script, folder.bytes("app.jar")].concat()).expect("a file can be written");
    fs::set_permissions(folder.path("app"), fs::Permissions::from_mode(0o755)).expect("a mode can be set");
    folder.good(&["optimize", "app", "-o", "out"]);
    let mode = |name: &str| fs::metadata(folder.path(name)).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode("out"), mode("app"));
    assert_eq!(folder.tool(&folder.path("out").display().to_string(), &[]), PRINTED);
    // So does what nobody else may read, also where nothing changes.
    fs::set_permissions(folder.path("out"), fs::Permissions::from_mode(0o700)).expect("a mode can be set");
    folder.good(&["optimize", "out", "-o", "twice"]);
    assert_eq!(mode("twice"), 0o700);
}

/// Work that is soon done shows no progress, on a terminal neither.
#[cfg(unix)]
#[test]
fn short_work_shows_nothing_on_a_terminal() {
    let folder = Folder::with_jar();
    let shown =
        folder.tool("script", &["-qec", &format!("{} explain app.jar", env!("CARGO_BIN_EXE_r8lite")), "/dev/null"]);
    assert!(shown.contains("calls: ") && !shown.contains("looking"), "{shown:?}");
}

/// Puts one text in the place of another of the same length, wherever it is.
fn text_replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}
