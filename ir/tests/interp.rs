//! Small facts about what programs mean. Larger programs are files under `testdata/run/interp`.

use r8lite_ir::interp::{self, Config, End, RunResult};
use r8lite_ir::text::{self, Source};
use r8lite_ir::verify;

fn run_with(program: &str, config: &Config) -> RunResult {
    let module = text::parse(&[Source { name: "test.ir", text: program }])
        .unwrap_or_else(|error| panic!("{}", lines(&error.diagnostics)));
    let module = verify(module).unwrap_or_else(|invalid| panic!("{}", lines(&invalid.diagnostics)));
    let entry = interp::find_entry(&module, None).expect("there is a main");
    interp::run(&module, entry, config).expect("the entry can be started")
}

fn lines(diagnostics: &[r8lite_ir::Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

/// What a program prints and how it ends, in words.
fn outcome(result: &RunResult) -> String {
    let end = match &result.end {
        End::Returned(None) => "returned".to_owned(),
        End::Returned(Some(value)) => format!("returned {value}"),
        End::Uncaught { class, message: None, .. } => format!("uncaught {class}"),
        End::Uncaught { class, message: Some(message), .. } => format!("uncaught {class}: {message}"),
        End::Exit(status) => format!("exit {status}"),
        End::Deadlock(waits) => format!("deadlock\n{}", waits.join("\n")),
        End::StepLimit => "step limit".to_owned(),
        End::Fault(what) => format!("fault: {what}"),
        other => format!("{other:?}"),
    };
    format!("{}{}", result.stdout, end)
}

/// Checks what a program prints and how it ends.
#[track_caller]
fn check(program: &str, expected: &str) {
    assert_eq!(outcome(&run_with(program, &Config::default())), expected);
}

/// The same for the body of a `main` that gives a value of type `ty`.
#[track_caller]
fn check_main(ty: &str, body: &str, expected: &str) {
    check(&format!("class Test {{\n static method main(): {ty} {{\n{body}\n}}\n}}"), &format!("returned {expected}"));
}

#[test]
fn sums() {
    check_main("i32", "a = add 1, 2\n return a", "3");
}

#[test]
fn prints() {
    check(
        "class Test {
          static method main() {
            out = getstatic System.out
            invokevirtual PrintStream.println(out, 5) as (i32)
            invokevirtual PrintStream.println(out, 1.5) as (f64)
            invokevirtual PrintStream.println(out, \"hi\") as (String)
            return
          }
        }",
        "5\n1.5\nhi\nreturned",
    );
}
