//! Small facts about what programs mean. Larger programs are files under `testdata/run/interp`.

use r8lite_ir::interp::{
    self, Action, ClassState, Config, End, Machine, Ref, RunResult, SequentiallyConsistent, State, Step,
};
use r8lite_ir::text::{self, Source};
use r8lite_ir::{Verified, verify};

fn run_with(program: &str, config: &Config) -> RunResult {
    let module = verified("test.ir", program);
    let entry = interp::find_entry(&module, None).expect("there is a main");
    interp::run(&module, entry, config).expect("the entry can be started")
}

fn verified(name: &str, text: &str) -> Verified {
    let module =
        text::parse(&[Source { name, text }]).unwrap_or_else(|error| panic!("{name}: {}", lines(&error.diagnostics)));
    verify(module).unwrap_or_else(|invalid| panic!("{name}: {}", lines(&invalid.diagnostics)))
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

/// Checks the value of one instruction `result = INSTRUCTION` of type `ty`.
#[track_caller]
fn check_value(ty: &str, instruction: &str, expected: &str) {
    check_main(ty, &format!("result = {instruction}\n return result"), expected);
}

#[test]
fn whole_numbers_wrap_around() {
    check_value("i32", "add 2147483647, 1", "-2147483648");
    check_value("i64", "sub -9223372036854775808L, 1L", "9223372036854775807");
    check_value("i32", "mul 65536, 65537", "65536");
    check_value("i32", "neg -2147483648", "-2147483648");
    check_value("i64", "neg 5L", "-5");
}

#[test]
fn division_rounds_to_zero() {
    check_value("i32", "div -7, 2", "-3");
    check_value("i32", "rem -7, 2", "-1");
    check_value("i64", "rem 7L, -2L", "1");
    check_value("i32", "div -2147483648, -1", "-2147483648");
    check_value("i32", "rem -2147483648, -1", "0");
    check_value("i64", "div -9223372036854775808L, -1L", "-9223372036854775808");
    check_value("f64", "div 1.0, 0.0", "Infinity");
    check_value("f64", "rem -5.5, 2.0", "-1.5");
    check_value("f32", "rem 5.5f, 0.0f", "NaN");
}

#[test]
fn a_zero_divisor_throws() {
    for body in ["a = div 1, 0\n return a", "a = rem 1, 0\n return a"] {
        check(
            &format!("class Test {{\n static method main(): i32 {{\n {body}\n}}\n}}"),
            "uncaught java.lang.ArithmeticException: / by zero",
        );
    }
    check(
        "class Test { \n static method main(): i64 {\n a = rem 1L, 0L\n return a\n }\n }",
        "uncaught java.lang.ArithmeticException: / by zero",
    );
}

#[test]
fn shifts_use_the_low_bits_of_the_count() {
    check_value("i32", "shl 1, 33", "2");
    check_value("i64", "shl 1L, 33", "8589934592");
    check_value("i64", "shl 1L, 65", "2");
    check_value("i32", "shr -8, 1", "-4");
    check_value("i32", "ushr -1, 28", "15");
    check_value("i64", "ushr -1L, 60", "15");
    check_value("i64", "shr -1L, 63", "-1");
    check_value("i32", "shr 256, -24", "1");
}

#[test]
fn bits() {
    check_value("i32", "and 12, 10", "8");
    check_value("i32", "or 12, 10", "14");
    check_value("i64", "xor 12L, -1L", "-13");
}

#[test]
fn comparisons() {
    check_value("i32", "lt -1, 1", "1");
    check_value("i32", "ge 1, 1", "1");
    check_value("i32", "gt 1L, 2L", "0");
    check_value("i32", "le nan64, nan64", "0");
    check_value("i32", "ne nan64, nan64", "1");
    check_value("i32", "eq 0.0, -0.0", "1");
    check_value("i32", "cmp 5L, 7L", "-1");
    check_value("i32", "cmpl nan64, 1.0", "-1");
    check_value("i32", "cmpg nan32, 1.0f", "1");
    check_value("i32", "cmpg 2.0f, 1.0f", "1");
    check_value("i32", "eq \"a\", \"a\"", "1");
    check_value("i32", "eq class i32, class i64", "0");
}

#[test]
fn conversions_are_java_casts() {
    check_value("i32", "convert i32, 1e10", "2147483647");
    check_value("i32", "convert i32, nan64", "0");
    check_value("i64", "convert i64, -inf32", "-9223372036854775808");
    check_value("i32", "convert i8, 200", "-56");
    check_value("i32", "convert u16, -1", "65535");
    check_value("i32", "convert i16, 40000", "-25536");
    check_value("i32", "convert bool, 6", "0");
    check_value("i32", "convert i8, 300.7", "44");
    check_value("i32", "convert i32, 4294967297L", "1");
    check_value("i64", "convert i64, -1", "-1");
    check_value("f32", "convert f32, 16777217", "1.6777216E7");
    check_value("f64", "convert f64, 0.5f", "0.5");
    check_value("f32", "convert f32, 9007199254740993L", "9.007199E15");
}

#[test]
fn select_takes_any_nonzero_for_true() {
    check_value("i32", "select 2, 10, 20", "10");
    check_value("String", "select 0, \"yes\", \"no\"", "\"no\"");
}

#[test]
fn block_arguments_are_read_before_any_is_written() {
    check_main(
        "i32",
        "jump loop(1, 2, 0)
       loop(a: i32, b: i32, n: i32):
         n2 = add n, 1
         more = lt n2, 4
         branch more, loop(b, a, n2), done
       done:
         tens = mul a, 10
         both = add tens, b
         return both",
        "21",
    );
}

#[test]
fn switches() {
    for (key, expected) in [(-5, "1"), (7, "2"), (8, "3")] {
        check_main(
            "i32",
            &format!(
                "k = add {key}, 0
                 switch k, -5: is(1), 7: is(2), default: is(3)
               is(n: i32):
                 return n"
            ),
            expected,
        );
    }
}

#[test]
fn storage_keeps_its_width() {
    check(
        "class Test {
          static field b: bool
          static field i8: i8 = -44
          field u16: u16
          method <init>() {
            invokespecial Object.<init>(this)
            return
          }
          static method narrow(b: i8): i16 {
            wide = eq b, 44
            i16 = add wide, 65536
            return i16
          }
          static method main(): i32 {
            putstatic Test.b, 2
            b = getstatic Test.b
            i8 = getstatic Test.i8
            test = new Test
            invokespecial Test.<init>(test)
            putfield Test.u16, test, -1
            u16 = getfield Test.u16, test
            bytes = newarray i8[], 1
            arraystore bytes, 0, 255
            element = arrayload bytes, 0
            i16 = invokestatic Test.narrow(300)
            out = getstatic System.out
            invokevirtual PrintStream.println(out, b) as (i32)
            invokevirtual PrintStream.println(out, i8) as (i32)
            invokevirtual PrintStream.println(out, u16) as (i32)
            invokevirtual PrintStream.println(out, element) as (i32)
            return i16
          }
        }",
        "0\n-44\n65535\n-1\nreturned 1",
    );
}

#[test]
fn arrays() {
    check_main("i32", "a = newarray i32[][], 2, 3\n b = arrayload a, 1\n n = arraylength b\n return n", "3");
    check_main("i32", "a = newarray i32[][], 2\n b = arrayload a, 1\n n = eq b, null\n return n", "1");
}

/// Checks that the body of a `main` ends in an exception.
#[track_caller]
fn check_throws(body: &str, exception: &str) {
    check(
        &format!("class Test {{\n static method main() {{\n{body}\n return\n }}\n}}"),
        &format!("uncaught java.lang.{exception}"),
    );
}

#[test]
fn instructions_throw() {
    check_throws(
        "a = newarray i32[], 2\n x = arrayload a, 2",
        "ArrayIndexOutOfBoundsException: Index 2 out of bounds for length 2",
    );
    check_throws(
        "a = newarray i32[], 2\n arraystore a, -1, 0",
        "ArrayIndexOutOfBoundsException: Index -1 out of bounds for length 2",
    );
    check_throws("a = newarray i32[], -1", "NegativeArraySizeException");
    check_throws("a = newarray i32[][], 0, -1", "NegativeArraySizeException");
    check_throws("a = newarray i64[], 2000000000", "OutOfMemoryError");
    check_throws("a = newarray String[], 1\n b = checkcast Object[], a\n arraystore b, 0, b", "ArrayStoreException");
    check_throws("o = checkcast Object, \"text\"\n i = checkcast Integer, o", "ClassCastException");
    check_throws("n = checkcast String, null\n l = invokevirtual String.length(n)", "NullPointerException");
    check_throws("n = checkcast i32[], null\n l = arraylength n", "NullPointerException");
    check_throws("nullcheck null", "NullPointerException");
    check_throws("c = lt 2, 1\n check IllegalStateException, c", "IllegalStateException");
    check_throws("monitorexit \"text\"", "IllegalMonitorStateException");
    check_throws("invokevirtual Object.notify(\"text\")", "IllegalMonitorStateException: current thread is not owner");
    check_throws("invokevirtual Object.wait(\"text\", -1L)", "IllegalArgumentException: timeout value is negative");
    check_throws("e = checkcast Error, null\n throw e\n next:", "NullPointerException");
}

#[test]
fn instances() {
    check_value("i32", "instanceof String, null", "0");
    check_value("i32", "instanceof CharSequence, \"text\"", "1");
    check_main("i32", "a = newarray String[], 0\n r = instanceof Object[], a\n return r", "1");
    check_main("i32", "a = newarray i32[], 0\n r = instanceof Cloneable, a\n return r", "1");
    check_main("i32", "a = newarray i32[], 0\n r = instanceof i64[], a\n return r", "0");
    check_main("String", "a = checkcast String, null\n return a", "null");
}

/// The programs of `testdata/run/interp`: their names, texts and modules.
fn files() -> Vec<(String, String, Verified)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/run/interp");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    paths.sort();
    let file = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let name = path.display().to_string();
        let module = verified(&name, &text);
        (name, text, module)
    };
    paths.into_iter().map(file).collect()
}

/// Every program of the folder prints what its comments say, under whatever schedule.
#[test]
fn files_print_what_they_say() {
    for (name, text, module) in files() {
        let prints: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("; prints: ")).collect();
        let program = interp::Prepared::new(&module);
        let entry = interp::find_entry(&module, None).expect("there is a main");
        for seed in 0..20 {
            let mut config = Config::default();
            config.seed = seed;
            let result = interp::run_prepared(&program, entry, &config).expect("the entry can be started");
            let again = interp::run_prepared(&program, entry, &config).expect("the entry can be started");
            assert_eq!(result, again, "{name}: seed {seed} gave two runs");
            let shown: Vec<&str> = result.stdout.lines().collect();
            assert_eq!(shown, prints, "{name}, seed {seed}: {:?}\n{}", result.end, result.stderr);
        }
    }
}

/// What threads hold or can no longer have: monitors, failed classes, their own ends. An exception changes these without
/// announcement.
fn holdings(machine: &Machine, module: &Verified) -> [usize; 3] {
    let owned = (1..=machine.heap.len() as u32).filter(|&object| machine.owner(Ref(object)).is_some());
    let failed = module.classes.keys().filter(|&class| machine.class_state(class) == ClassState::Erroneous);
    let ended = machine.threads.iter().filter(|thread| thread.state == State::Ended);
    [owned.count(), failed.count(), ended.count()]
}

/// A step that is announced as local is one, and a copy of a machine takes the same step.
#[test]
fn announced_actions_happen() {
    for (name, _, module) in files() {
        let program = interp::Prepared::new(&module);
        let entry = interp::find_entry(&module, None).expect("there is a main");
        let mut machine = Machine::new(&program, entry, &Config::default()).expect("the entry can be started");
        let mut turn = 0;
        while machine.halted.is_none() && !machine.is_over() {
            let enabled: Vec<_> = machine.enabled().collect();
            if enabled.is_empty() {
                assert!(machine.advance_clock(), "{name}: a deadlock");
                continue;
            }
            turn += 1;
            let thread = enabled[turn % enabled.len()];
            let action = machine.next_action(&program, thread);
            let mut copy = machine.clone();
            let step = machine.step(&program, &mut SequentiallyConsistent, thread);
            if action == Action::Local && step == Step::Shared {
                assert_ne!(holdings(&copy, &module), holdings(&machine, &module), "{name}: step {}", machine.steps);
            }
            copy.step(&program, &mut SequentiallyConsistent, thread);
            if !machine.has_ended(thread) {
                assert_eq!(copy.next_action(&program, thread), machine.next_action(&program, thread), "{name}");
            }
            assert_eq!((&copy.stdout, copy.steps), (&machine.stdout, machine.steps), "{name}");
        }
    }
}

#[test]
fn faults_end_the_program() {
    let holder = |body: &str| {
        format!(
            "class Box {{
               volatile field text: String
               volatile field number: i32
               field narrow: bool
               static method main() {{
                 box = new Box
                 text = field_offset Box.text
                 number = field_offset Box.number
                 narrow = field_offset Box.narrow
                 {body}
                 return
               }}
             }}"
        )
    };
    check(&holder("n = checkcast Box, null\n x = load.plain String, n, text"), "fault: access at offset 16 of null");
    check(&holder("x = load.plain i32, box, 0L"), "fault: Box has no field at offset 0");
    check(&holder("x = load.plain i32, box, text"), "fault: the field at offset 16 is of another kind");
    check(&holder("store.plain box, narrow, 1"), "fault: the field at offset 28 is of another kind");
    check(&holder("store.plain box, text, box"), "fault: a Box where a java.lang.String must be");
    check(&holder("x = cas.volatile box, text, null, box"), "fault: a Box where a java.lang.String must be");
    check(&holder("x = cas.volatile box, text, box, null"), "returned");
    check(
        &holder("store.plain box, text, \"s\"\n x = load.plain Box, box, text"),
        "fault: a java.lang.String where a Box must be",
    );
}

#[test]
fn arrays_at_offsets_keep_their_kind() {
    let list = |body: &str| {
        format!(
            "class List {{
               field tasks: Runnable[]
               static method main() {{
                 list = new List
                 tasks = field_offset List.tasks
                 {body}
                 return
               }}
             }}"
        )
    };
    check(&list("store.plain list, tasks, \"text\""), "fault: a java.lang.String where a java.lang.Runnable[] must be");
    check(
        &list("a = newarray i32[], 1\n store.plain list, tasks, a"),
        "fault: a i32[] where a java.lang.Runnable[] must be",
    );
    check(&list("a = newarray String[], 1\n store.plain list, tasks, a"), "returned");
}

#[test]
fn a_failed_entry_class_escapes_main() {
    check(
        "class Test {
          static method <clinit>() {
            x = div 1, 0
            return
          }
          static method main() {
            catch *: caught
            return
          caught(e: Throwable):
            return
          }
        }",
        "uncaught java.lang.ExceptionInInitializerError",
    );
}

#[test]
fn the_stack_overflows() {
    check(
        "class Test {
          static method deep(n: i32): i32 {
            m = add n, 1
            r = invokestatic Test.deep(m)
            return r
          }
          static method main(): String {
            jump try
          try:
            catch StackOverflowError: caught
            r = invokestatic Test.deep(0)
            return null
          caught(e: StackOverflowError):
            return \"caught\"
          }
        }",
        "returned \"caught\"",
    );
}

#[test]
fn the_heap_is_bounded() {
    let mut config = Config::default();
    config.max_slots = 10_000;
    let result = run_with(
        "class Test {
          static method main() {
            jump loop(null)
          loop(list: Object[]):
            next = newarray Object[], 10
            arraystore next, 0, list
            jump loop(next)
          }
        }",
        &config,
    );
    assert_eq!(outcome(&result), "uncaught java.lang.OutOfMemoryError");
}

#[test]
fn steps_are_bounded() {
    let mut config = Config::default();
    config.max_steps = 1000;
    let result = run_with("class Test {\n static method main() {\n jump loop\n loop:\n jump loop\n }\n }", &config);
    assert_eq!((outcome(&result).as_str(), result.steps), ("step limit", 1000));
}

#[test]
fn exit_ends_the_program() {
    check(
        "class Test { \n static method main() { \n invokestatic System.exit(3)\n nullcheck null\n return\n }\n }",
        "exit 3",
    );
}

#[test]
fn arguments_reach_main() {
    let mut config = Config::default();
    config.args = vec!["one".to_owned(), "zwei \u{1f600}".to_owned()];
    let result = run_with(
        "class Test {
          static method main(args: String[]): String {
            second = arrayload args, 1
            return second
          }
        }",
        &config,
    );
    assert_eq!(outcome(&result), "returned \"zwei \u{1f600}\"");
}

#[test]
fn deadlocks_are_told() {
    check(
        "class Test {
          source \"Test.java\"
          static method main() {
            monitorenter \"a\"
            invokevirtual Object.wait(\"a\") @7
            return
          }
        }",
        "deadlock\nmain waits for a notification of java.lang.String at java.lang.Object.wait(Unknown Source)",
    );
    check(
        "class Test extends Thread {
          source \"Test.java\"
          method <init>() {
            invokespecial Thread.<init>(this)
            return
          }
          public method run() {
            monitorenter \"a\" @4
            return
          }
          static method main() {
            monitorenter \"a\"
            t = new Test
            invokespecial Test.<init>(t)
            invokevirtual Thread.start(t)
            invokestatic LockSupport.park()
            return
          }
        }",
        "deadlock\n\
         main waits for a permit at java.util.concurrent.locks.LockSupport.park(Unknown Source)\n\
         Thread-0 waits for a monitor of java.lang.String, held by main at Test.run(Test.java:4)",
    );
}

#[test]
fn uncaught_exceptions_are_printed() {
    let result = run_with(
        "class Test extends Thread {
          source \"Test.java\"
          method <init>() {
            invokespecial Thread.<init>(this)
            return
          }
          public method run() {
            e = new IllegalStateException @5
            invokespecial IllegalStateException.<init>(e, \"in a thread\") as (String)
            throw e @6
          }
          static method fail(n: i32): i32 {
            q = div 1, n @21
            return q
          }
          static method main() {
            t = new Test @30
            invokespecial Test.<init>(t)
            invokevirtual Thread.start(t)
            invokevirtual Thread.join(t) @31
            x = invokestatic Test.fail(0) @32
            return
          }
        }",
        &Config::default(),
    );
    assert_eq!(outcome(&result), "uncaught java.lang.ArithmeticException: / by zero");
    let stderr = "Exception in thread \"Thread-0\" java.lang.IllegalStateException: in a thread\n\
                  \tat Test.run(Test.java:5)\n\
                  Exception in thread \"main\" java.lang.ArithmeticException: / by zero\n\
                  \tat Test.fail(Test.java:21)\n\
                  \tat Test.main(Test.java:32)\n";
    assert_eq!(result.stderr, stderr);
}

#[test]
fn unknown_classes_are_not_found() {
    check(
        "extern class gone.Away
         class Test {
          static method main() {
            invokestatic gone.Away.call() as ()
            return
          }
        }",
        "uncaught java.lang.NoClassDefFoundError: gone/Away",
    );
    check(
        "extern class Away
         class Below extends Away {
           static method call() {
             return
           }
         }
         class Test {
          static method main() {
            invokestatic Below.call()
            return
          }
        }",
        "uncaught java.lang.NoClassDefFoundError: Away",
    );
}

#[test]
fn class_objects_answer() {
    check_main("String", "n = invokevirtual Class.getName(class i32[])\n return n", "\"[I\"");
    check_main("String", "n = invokevirtual Class.getName(class String[][])\n return n", "\"[[Ljava.lang.String;\"");
    check_main("String", "n = invokevirtual Class.getName(class bool)\n return n", "\"boolean\"");
    check_main("i32", "n = invokevirtual Class.getModifiers(class i64)\n return n", "1041");
    check_main("i32", "n = invokevirtual Class.getModifiers(class String[])\n return n", "1041");
    check_main("i32", "n = invokevirtual Class.isAssignableFrom(class Object, class i32)\n return n", "0");
    check_main("i32", "n = invokevirtual Class.isAssignableFrom(class Object, class i32[])\n return n", "1");
    check_main(
        "String",
        "s = invokevirtual Class.getSuperclass(class Integer)\n n = invokevirtual Class.getName(s)\n return n",
        "\"java.lang.Number\"",
    );
    check_main("i32", "s = invokevirtual Class.getSuperclass(class Runnable)\n n = eq s, null\n return n", "1");
    check_main("i32", "c = invokevirtual Object.getClass(\"x\")\n n = eq c, class String\n return n", "1");
}

#[test]
fn arrays_are_copied() {
    let copy = |body: &str| {
        format!(
            "a = newarray i32[], 5
             arraystore a, 0, 1
             arraystore a, 1, 2
             arraystore a, 2, 3
             {body}
             x = arrayload a, 2
             y = arrayload a, 3
             tens = mul x, 10
             r = add tens, y
             return r"
        )
    };
    check_main("i32", &copy("invokestatic System.arraycopy(a, 0, a, 1, 3)"), "23");
    check_main("i32", &copy("invokestatic System.arraycopy(a, 1, a, 0, 3)"), "0");
    check_throws(
        "a = newarray i32[], 2\n invokestatic System.arraycopy(a, 1, a, 0, 2)",
        "ArrayIndexOutOfBoundsException",
    );
    check_throws(
        "a = newarray i32[], 2\n b = newarray i64[], 2\n invokestatic System.arraycopy(a, 1, b, 0, 0)",
        "ArrayStoreException",
    );
    check_throws("a = newarray i32[], 2\n invokestatic System.arraycopy(a, 0, null, 0, 0)", "NullPointerException");
}

#[test]
fn clones() {
    check_throws("o = new Test\n c = invokevirtual Object.clone(o)", "CloneNotSupportedException: Test");
}

#[test]
fn the_entry_is_found() {
    let module = verified(
        "test.ir",
        "class A {
           static method main() {
             return
           }
           method other() {
             return
           }
         }
         class B {
           static method main(args: String[]) {
             return
           }
         }",
    );
    let find = |name: Option<&'static str>| interp::find_entry(&module, name).map_err(|error| error.to_string());
    assert!(find(Some("A.main")).is_ok());
    assert!(find(Some("B.main")).is_ok());
    let error = |name| find(name).expect_err("it is no entry");
    assert_eq!(error(None), "several methods could be the entry: A.main, B.main; name one");
    assert_eq!(error(Some("A.gone")), "no method `A.gone`; name it as `Class.method`: A.main, B.main");
    assert_eq!(error(Some("main")), "no method `main`; name it as `Class.method`: A.main, B.main");
    assert_eq!(error(Some("A.other")), "`A.other` is no static method without parameters or with `String[]`");
}
