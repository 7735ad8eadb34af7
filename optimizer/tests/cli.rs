//! The command from outside: exit statuses, streams and files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const GOOD: &str = "class Good {\n  static method one(): i32 {\n    return 1\n  }\n}\n";
const BAD: &str = "class Bad {\n  static method one(): i32 {\n    return oops\n  }\n}\n";

fn r8lite(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_r8lite"));
    command.args(args).env_remove("NO_COLOR");
    command
}

fn run(args: &[&str]) -> Output {
    r8lite(args).output().expect("the command runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are UTF-8")
}

/// Runs and compares exit status, standard output and a part of standard error.
fn check(args: &[&str], status: i32, out: &str, err: &str) {
    let output = run(args);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), out, "{args:?}");
    let messages = stderr(&output);
    assert!(messages.contains(err), "{args:?}: `{err}` is not in: {messages}");
}

/// A folder with files.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = Folder(TempDir::new().expect("a temporary folder"));
        for (name, content) in files {
            fs::write(folder.path(name), content).expect("a file can be written");
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn arg(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder can be listed");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file can be read")
}

#[test]
fn a_good_program_is_printed() {
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes())]);
    check(&["optimize", &folder.arg("good.ir")], 0, GOOD, "");
    check(&["verify", &folder.arg("good.ir")], 0, "", "");
}

#[test]
fn errors_of_the_input_are_status_1_and_have_a_place() {
    let folder = Folder::new(&[("bad.ir", BAD.as_bytes()), ("latin1.ir", b"; caf\xe9")]);
    let bad = folder.arg("bad.ir");
    for command in ["optimize", "explain", "verify", "run"] {
        check(&[command, &bad], 1, "", &format!("{bad}:3:12"));
    }
    check(&["verify", &folder.arg("latin1.ir")], 1, "", "byte 5 is not UTF-8");
}

#[test]
fn outputs_do_not_overwrite_each_other() {
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes())]);
    let (good, out) = (folder.arg("good.ir"), folder.arg("out"));
    check(&["optimize", &good, "-o", &out, "--report", &out], 2, "", "two outputs would be this one file");
}

#[test]
fn wrong_usage_is_status_2() {
    check(&["optimize"], 2, "", "INPUT");
    check(&["optimize", "--fly", "x.ir"], 2, "", "--fly");
    check(&["optimize", "no-such-file.ir"], 2, "", "cannot read `no-such-file.ir`");
    check(&["optimize", "x.ir", "x.ir"], 2, "", "named twice");
    check(&["optimize", "--fail-under", "101", "x.ir"], 2, "", "from 0 to 100");
}

#[test]
fn what_is_not_built_says_so() {
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes())]);
    let good = folder.arg("good.ir");
    check(&["compile", &good, "-o", "x.o"], 2, "", "`compile` is not built yet");
    check(&["run", &good, "--engine", "jit"], 2, "", "--engine jit is not built yet");
    check(&["optimize", &good, "--emit", "clif"], 2, "", "--emit clif is not built yet");
}

#[test]
fn class_files_are_known_by_their_content() {
    let class = fs::read("../testdata/class/Sample.class").expect("the class is there");
    let folder = Folder::new(&[
        ("good.ir", GOOD.as_bytes()),
        ("class.ir", &class),
        ("cut.class", &class[..100]),
        ("jar.ir", b"PK\x03\x04rest"),
    ]);
    let (good, class, cut) = (folder.arg("good.ir"), folder.arg("class.ir"), folder.arg("cut.class"));
    let nothing = "updaters: 0 found, 0 instrumented, 0 removed\ncalls: 0 in all, 0 replaced, 0 kept\n";
    check(&["explain", &class], 0, nothing, "");
    check(&["verify", &class], 0, "", "");
    assert!(stdout(&run(&["dis", &class])).contains("class Sample"), "it is printed as IR text");
    check(&["verify", &cut], 1, "", "cut.class");
    check(&["dis", &good], 2, "", "is IR text already");
    // It runs until it uses what the class library does not have.
    let ran = run(&["run", &class]);
    assert!(stdout(&ran).starts_with("6951\nother5, "), "{}", stdout(&ran));
    assert!(stderr(&ran).contains("java.lang.NoClassDefFoundError: java/util/ArrayList"), "{}", stderr(&ran));
    check(&["explain", &good, &class], 2, "", "either IR text or class files");
    check(&["explain", &folder.arg("jar.ir")], 1, "", "no jar");
    check(&["explain", &class, "--classpath", &good], 2, "", "neither a jar nor a folder");
}

#[test]
fn standard_input_is_a_dash() {
    let mut child = r8lite(&["optimize", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("a pipe").write_all(GOOD.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), GOOD));
}

#[test]
fn a_closed_pipe_is_success() {
    let mut text = String::new();
    for n in 0..20_000 {
        text += &format!("class C{n} {{\n  static field n: i32\n}}\n");
    }
    let folder = Folder::new(&[("many.ir", text.as_bytes())]);
    let mut child = r8lite(&["optimize", &folder.arg("many.ir")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn an_output_file_appears_whole_or_not_at_all() {
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes()), ("bad.ir", BAD.as_bytes()), ("out.ir", b"old")]);
    let out = folder.arg("out.ir");
    check(&["optimize", &folder.arg("bad.ir"), "-o", &out], 1, "", "");
    assert_eq!(read(&folder.path("out.ir")), "old");
    // The second file cannot be written, so the first is not either.
    let report = folder.arg("no-such-folder/report.json");
    check(&["optimize", &folder.arg("good.ir"), "-o", &out, "--report", &report], 2, "", "no-such-folder");
    assert_eq!(read(&folder.path("out.ir")), "old");
    check(&["optimize", &folder.arg("good.ir"), "-o", &out], 0, "", "");
    assert_eq!(read(&folder.path("out.ir")), GOOD);
    assert_eq!(folder.names(), ["bad.ir", "good.ir", "out.ir"]);
}

#[cfg(unix)]
#[test]
fn an_output_file_is_as_readable_as_any() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).expect("the file is there").permissions().mode() & 0o777;
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes()), ("private.ir", b"")]);
    check(&["optimize", &folder.arg("good.ir"), "-o", &folder.arg("new.ir")], 0, "", "");
    assert_eq!(mode(&folder.path("new.ir")), mode(&folder.path("good.ir")));
    fs::set_permissions(folder.path("private.ir"), fs::Permissions::from_mode(0o600)).expect("a mode can be set");
    check(&["optimize", &folder.arg("good.ir"), "-o", &folder.arg("private.ir")], 0, "", "");
    assert_eq!(mode(&folder.path("private.ir")), 0o600);
}

#[test]
fn several_inputs_are_one_program_and_a_folder() {
    let user =
        "class User {\n  static method two(): i32 {\n    one = invokestatic Good.one()\n    return one\n  }\n}\n";
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes()), ("user.ir", user.as_bytes())]);
    let (good, user_path) = (folder.arg("good.ir"), folder.arg("user.ir"));
    check(&["optimize", &user_path, &good, "-o", &folder.arg("out")], 0, "", "");
    assert_eq!(read(&folder.path("out/good.ir")), GOOD);
    assert_eq!(read(&folder.path("out/user.ir")), user);
    check(&["optimize", &good, &user_path], 0, &format!("{GOOD}\n{user}"), "");
}

#[test]
fn reports_have_the_fixed_form() {
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes())]);
    check(
        &["explain", &folder.arg("good.ir"), "--report", &folder.arg("r.json")],
        0,
        &stdout(&run(&["explain", &folder.arg("good.ir")])),
        "",
    );
    let json: serde_json::Value = serde_json::from_str(&read(&folder.path("r.json"))).expect("it is JSON");
    assert_eq!(json["schema"], 1);
    for key in ["found", "instrumented", "removed"] {
        assert!(json["summary"]["updaters"][key].is_u64(), "{key}");
    }
    for key in ["total", "replaced", "specialised", "kept"] {
        assert!(json["summary"]["calls"][key].is_u64(), "{key}");
    }
    assert!(json["updaters"].is_array() && json["calls"].is_array());
}

#[test]
fn errors_can_be_json_one_object_a_line() {
    let folder = Folder::new(&[("bad.ir", BAD.as_bytes())]);
    for args in [&["verify", &folder.arg("bad.ir")], &["verify", "no-such-file.ir"]] {
        let output = run(&[args.as_slice(), &["--error-format", "json"]].concat());
        for line in stderr(&output).lines() {
            let object: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
            assert_eq!(object["severity"], "error");
            assert!(object["message"].is_string());
        }
        assert!(!stderr(&output).is_empty());
    }
}

#[test]
fn unknown_passes_list_the_valid_ones() {
    let listed = stdout(&run(&["passes"]));
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes())]);
    for flag in ["--passes", "--print-before", "--print-after"] {
        let output = run(&["optimize", &folder.arg("good.ir"), flag, "fly"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("there is no pass `fly`; the passes are: "), "{}", stderr(&output));
        for name in listed.lines().filter_map(|line| line.split_whitespace().next()) {
            assert!(stderr(&output).contains(name), "{flag} does not list {name}");
        }
    }
}

#[test]
fn colours_are_a_choice() {
    let folder = Folder::new(&[("bad.ir", BAD.as_bytes())]);
    let bad = folder.arg("bad.ir");
    assert!(!stderr(&run(&["verify", &bad])).contains('\x1b'));
    assert!(stderr(&run(&["verify", &bad, "--color", "always"])).contains('\x1b'));
}

#[test]
fn passes_can_be_watched() {
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes())]);
    let dump = folder.arg("dump");
    let args = [
        "optimize",
        &folder.arg("good.ir"),
        "--time-passes",
        "--verify-each",
        "--bisect-limit",
        "0",
        "--dump-dir",
        &dump,
    ];
    check(&args, 0, GOOD, "total");
    assert_eq!(read(&folder.path("dump/000-input.ir")), GOOD);
}

#[test]
fn what_comes_before_the_plan_is_seen_and_counted_too() {
    let sum = "class Sum {\n  static method three(): i32 {\n    a = add 1, 2\n    return a\n  }\n}\n";
    let folder = Folder::new(&[("sum.ir", sum.as_bytes())]);
    let (input, dump) = (folder.arg("sum.ir"), folder.arg("dump"));
    let folded = sum.replace("    a = add 1, 2\n    return a\n", "    return 3\n");
    check(&["optimize", &input, "--dump-dir", &dump], 0, &folded, "");
    assert_eq!(read(&folder.path("dump/000-input.ir")), sum);
    assert_eq!(read(&folder.path("dump/002-after-fold.ir")), folded);
    check(&["optimize", &input, "--print-before", "fold"], 0, &folded, "add 1, 2");
    // One count for all passes, and no dump of the first run is left.
    check(&["optimize", &input, "--dump-dir", &dump, "--bisect-limit", "0"], 0, sum, "bisect: skipped pass 2 fold");
    let dumps = fs::read_dir(folder.path("dump")).expect("the dumps are there").count();
    assert_eq!(dumps, 1, "only the input is dumped");
}

#[test]
fn standard_output_is_for_one_thing() {
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes())]);
    let good = folder.arg("good.ir");
    check(&["optimize", &good, "--report", "-"], 2, "", "name --output");
    let out = folder.arg("out.ir");
    let report = run(&["optimize", &good, "--report", "-", "-o", &out]);
    assert!(stdout(&report).starts_with("{"), "the report alone is on standard output");
    assert_eq!(read(&folder.path("out.ir")), GOOD);
    let report = run(&["explain", &good, "--report", "-"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&report)).expect("nothing but JSON");
    assert_eq!(json["schema"], 1);
}

#[test]
fn slips_are_named() {
    let folder = Folder::new(&[("good.ir", GOOD.as_bytes())]);
    let good = folder.arg("good.ir");
    check(&["optimize", &good, "--keep", "Godo.one"], 0, GOOD, "no field matches `--keep Godo.one`");
    let other = format!("{}/./good.ir", folder.0.path().display());
    check(&["verify", &good, &other], 2, "", "is named twice");
    check(&["run", &good, "--entry", "Good.two"], 2, "", "Good.one");
    check(&["optimise", "--error-format=json"], 2, "", "\"severity\":\"error\"");
    for passes in ["instrument,retire,replace", "instrument,dead-fields,replace,retire"] {
        check(&["optimize", &good, "--passes", passes], 2, "", "has to come before");
    }
    // The other way round would find less, but is not wrong.
    check(&["optimize", &good, "--passes", "dce,checks"], 0, GOOD, "");
}

#[test]
fn a_program_that_runs_has_our_streams_and_status() {
    let program = |body: &str| format!("class Main {{\n  static method main(args: String[]) {{\n{body}\n  }}\n}}\n");
    let hello = program(
        "    out = getstatic System.out
    first = arrayload args, 0
    invokevirtual PrintStream.println(out, first) as (String)
    return",
    );
    let exit = program("    invokestatic System.exit(7)\n    return");
    let uncaught = program("    throw null");
    let folder = Folder::new(&[
        ("hello.ir", hello.as_bytes()),
        ("exit.ir", exit.as_bytes()),
        ("uncaught.ir", uncaught.as_bytes()),
        ("good.ir", GOOD.as_bytes()),
    ]);
    check(&["run", &folder.arg("hello.ir"), "--", "hello"], 0, "hello\n", "");
    check(&["run", &folder.arg("hello.ir"), "--no-optimize", "--entry", "Main.main", "--", "hi"], 0, "hi\n", "");
    check(&["run", &folder.arg("exit.ir")], 7, "", "");
    check(&["run", &folder.arg("uncaught.ir")], 1, "", "java.lang.NullPointerException");
    check(&["run", &folder.arg("exit.ir"), "--explore"], 0, "exit 7\ncomplete, 1 outcome\n", "");
    check(&["run", &folder.arg("exit.ir"), "--memory", "weak"], 2, "", "--explore");
    check(&["run", &folder.arg("good.ir")], 2, "", "no class has a static method `main()`");
    check(&["run", &folder.arg("good.ir"), "--entry", "Good.two"], 2, "", "no method `Good.two`");
}
