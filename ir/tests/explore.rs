//! Explore mode on whole programs: litmus tests, monitors, waiting loops, and what a wrong optimisation would show.

use std::fmt::Write;

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;
use r8lite_ir::interp::explore::{Exploration, ExploreConfig, MemoryModel, explore};
use r8lite_ir::interp::find_entry;
use r8lite_ir::{Verified, text, verify};

fn module(text: &str) -> Verified {
    let module = text::parse(&[text::Source { name: "test.ir", text }])
        .unwrap_or_else(|error| panic!("{text}\n{:#?}", error.diagnostics));
    verify(module).unwrap_or_else(|invalid| panic!("{text}\n{:#?}", invalid.diagnostics))
}

fn explored(text: &str, memory: MemoryModel) -> Exploration {
    let module = module(text);
    let entry = find_entry(&module, None).expect("there is one main");
    let config = ExploreConfig { memory, ..ExploreConfig::default() };
    explore(&module, entry, &config).expect("main can be run")
}

fn sc(text: &str) -> String {
    explored(text, MemoryModel::Sc).to_string()
}

fn weak(text: &str) -> String {
    explored(text, MemoryModel::Weak).to_string()
}

/// A program in which each thread runs the given lines. They use the fields `x`, `y` and `z` of `s`, at the offsets `x`,
/// `y` and `z`, and leave `a` and `b`, which main prints for all threads that do, and then the fields.
fn litmus(threads: &[&str]) -> String {
    let mut text = String::from(
        "class Shared {\n  volatile field x: i32\n  volatile field y: i32\n  volatile field z: i32\n\n  \
         method <init>() {\n    invokespecial Object.<init>(this)\n    return\n  }\n}\n",
    );
    for (index, lines) in threads.iter().enumerate() {
        let results: Vec<&str> = ["a", "b"].into_iter().filter(|name| lines.contains(&format!("{name} ="))).collect();
        write!(
            text,
            "\nclass T{index} extends Thread {{\n  private final field s: Shared\n  field a: i32\n  field b: i32\n\n  \
             method <init>(s: Shared) {{\n    invokespecial Thread.<init>(this)\n    putfield T{index}.s, this, s\n    \
             return\n  }}\n\n  public method run() {{\n    s = getfield T{index}.s, this\n    \
             x = field_offset Shared.x\n    y = field_offset Shared.y\n    z = field_offset Shared.z\n"
        )
        .expect("a string takes all");
        for line in lines.lines() {
            writeln!(text, "    {}", line.trim()).expect("a string takes all");
        }
        for name in results {
            writeln!(text, "    putfield T{index}.{name}, this, {name}").expect("a string takes all");
        }
        text.push_str("    return\n  }\n}\n");
    }
    text.push_str("\nclass Main {\n  static method main() {\n    s = new Shared\n    invokespecial Shared.<init>(s)\n");
    text.push_str("    out = getstatic System.out\n");
    for index in 0..threads.len() {
        writeln!(text, "    t{index} = new T{index}\n    invokespecial T{index}.<init>(t{index}, s)").expect("fits");
    }
    for step in ["start", "join"] {
        for index in 0..threads.len() {
            writeln!(text, "    invokevirtual T{index}.{step}(t{index}) as ()").expect("fits");
        }
    }
    for (index, lines) in threads.iter().enumerate() {
        for name in ["a", "b"].into_iter().filter(|name| lines.contains(&format!("{name} ="))) {
            writeln!(
                text,
                "    {name}{index} = getfield T{index}.{name}, t{index}\n    \
                 invokevirtual PrintStream.print(out, {name}{index}) as (i32)"
            )
            .expect("fits");
        }
    }
    for name in ["x", "y", "z"] {
        writeln!(
            text,
            "    invokevirtual PrintStream.print(out, \" \") as (String)\n    {name} = getfield Shared.{name}, s\n    \
             invokevirtual PrintStream.print(out, {name}) as (i32)"
        )
        .expect("fits");
    }
    text.push_str("    return\n  }\n}\n");
    text
}

/// Both threads' results, then the fields.
fn two(first: &str, second: &str) -> String {
    litmus(&[first, second])
}

#[test]
fn the_memory_model_decides_what_store_buffering_shows() {
    let program = |write: &str, read: &str| {
        two(
            &format!("store.{write} s, x, 1\na = load.{read} i32, s, y"),
            &format!("store.{write} s, y, 1\na = load.{read} i32, s, x"),
        )
    };
    let strong = "01 1 1 0\n10 1 1 0\n11 1 1 0\ncomplete, 3 outcomes\n";
    let all = "00 1 1 0\n01 1 1 0\n10 1 1 0\n11 1 1 0\ncomplete, 4 outcomes\n";
    assert_eq!(sc(&program("release", "volatile")), strong);
    assert_eq!(weak(&program("volatile", "volatile")), strong);
    assert_eq!(weak(&program("plain", "plain")), all);
    // A pass that made a volatile store a release one would be found out, by weak memory only.
    assert_eq!(weak(&program("release", "volatile")), all);
}

#[test]
fn a_compare_and_swap_split_in_two_is_found_out() {
    let whole = "a = cas.volatile s, x, 0, 1";
    let split = "\
        old = load.volatile i32, s, x\n\
        a = eq old, 0\n\
        branch a, swap, done(a)\n\
      swap:\n\
        store.volatile s, x, 1\n\
        jump done(a)\n\
      done(r: i32):";
    let once = "01 1 0 0\n10 1 0 0\ncomplete, 2 outcomes\n";
    assert_eq!(sc(&two(whole, whole)), once);
    assert_eq!(weak(&two(whole, whole)), once);
    let split =
        split.replace("a = eq", "q = eq").replace("branch a", "branch q").replace("(a)", "(q)") + "\na = add r, 0";
    assert_eq!(sc(&two(&split, &split)), "01 1 0 0\n10 1 0 0\n11 1 0 0\ncomplete, 3 outcomes\n");
}

#[test]
fn a_loop_that_waits_ends() {
    let wait = |read: &str| {
        format!(
            "jump again\nagain:\nready = load.{read} i32, s, y\nbranch ready, done, again\ndone:\na = load.plain i32, s, x"
        )
    };
    let publish = "store.plain s, x, 1\nstore.release s, y, 1";
    assert_eq!(sc(&two(publish, &wait("opaque"))), "1 1 1 0\ncomplete, 1 outcome\n");
    assert_eq!(weak(&two(publish, &wait("acquire"))), "1 1 1 0\ncomplete, 1 outcome\n");
    assert_eq!(weak(&two(publish, &wait("opaque"))), "0 1 1 0\n1 1 1 0\ncomplete, 2 outcomes\n");
}

#[test]
fn monitors_exclude_and_order() {
    let add = "monitorenter s\nold = load.plain i32, s, x\nnew = add old, 1\nstore.plain s, x, new\nmonitorexit s";
    assert_eq!(sc(&litmus(&[add, add, add])), " 3 0 0\ncomplete, 1 outcome\n");
    assert_eq!(weak(&two(add, add)), " 2 0 0\ncomplete, 1 outcome\n");
    let racy = add.replace("monitorenter s\n", "").replace("\nmonitorexit s", "");
    assert_eq!(sc(&two(&racy, &racy)), " 1 0 0\n 2 0 0\ncomplete, 2 outcomes\n");
}

#[test]
fn locks_taken_in_opposite_order_can_block() {
    let text = "\
class Locker extends Thread {
  private final field first: Object
  private final field second: Object

  method <init>(first: Object, second: Object) {
    invokespecial Thread.<init>(this)
    putfield Locker.first, this, first
    putfield Locker.second, this, second
    return
  }

  public method run() {
    first = getfield Locker.first, this
    second = getfield Locker.second, this
    monitorenter first
    monitorenter second
    monitorexit second
    monitorexit first
    return
  }
}

class Main {
  static method main(): i32 {
    a = new Object
    invokespecial Object.<init>(a)
    b = new Object
    invokespecial Object.<init>(b)
    one = new Locker
    invokespecial Locker.<init>(one, a, b)
    two = new Locker
    invokespecial Locker.<init>(two, b, a)
    invokevirtual Locker.start(one)
    invokevirtual Locker.start(two)
    invokevirtual Locker.join(one) as ()
    invokevirtual Locker.join(two) as ()
    return 7
  }
}
";
    assert_eq!(sc(text), "returned 7\ndeadlock\ncomplete, 2 outcomes\n");
    assert_eq!(sc(&text.replace("(two, b, a)", "(two, a, b)")), "returned 7\ncomplete, 1 outcome\n");
}

/// A thread makes a box with a value in it and hands it over with the given write; another reads both.
fn publication(flags: &str, read: &str, write: &str) -> String {
    format!(
        "\
class Box {{
  {flags}field value: i32

  method <init>(value: i32) {{
    invokespecial Object.<init>(this)
    putfield Box.value, this, value
    return
  }}
}}

class Main extends Thread {{
  static {read}field shared: Box

  method <init>() {{
    invokespecial Thread.<init>(this)
    return
  }}

  public method run() {{
    box = new Box
    invokespecial Box.<init>(box, 7)
    {write}
    return
  }}

  static method main(): i32 {{
    thread = new Main
    invokespecial Main.<init>(thread)
    invokevirtual Main.start(thread)
    box = getstatic Main.shared
    none = eq box, null
    branch none, nothing, something
  nothing:
    return -1
  something:
    value = getfield Box.value, box
    return value
  }}
}}
"
    )
}

#[test]
fn an_object_is_whole_if_published_safely() {
    let put = "putstatic Main.shared, box";
    let whole = "returned -1\nreturned 7\ncomplete, 2 outcomes\n";
    assert_eq!(sc(&publication("", "", put)), whole);
    assert_eq!(weak(&publication("", "volatile ", put)), whole);
    assert_eq!(weak(&publication("final ", "", put)), whole);
    let torn = "returned -1\nreturned 0\nreturned 7\ncomplete, 3 outcomes\n";
    assert_eq!(weak(&publication("", "", put)), torn);
    // A monitor on one side only orders nothing.
    let locked = "monitorenter this\n    putstatic Main.shared, box\n    monitorexit this";
    assert_eq!(weak(&publication("", "", locked)), torn);
}

#[test]
fn time_passes_at_will() {
    let text = "\
class Main extends Thread {
  static volatile field done: i32

  method <init>() {
    invokespecial Thread.<init>(this)
    return
  }

  public method run() {
    putstatic Main.done, 1
    return
  }

  static method main(): i32 {
    thread = new Main
    invokespecial Main.<init>(thread)
    invokevirtual Main.start(thread)
    invokestatic Thread.sleep(1000L)
    done = getstatic Main.done
    return done
  }
}
";
    assert_eq!(sc(text), "returned 0\nreturned 1\ncomplete, 2 outcomes\n");
}

#[test]
fn output_and_exceptions_are_part_of_an_outcome() {
    let text = "\
class Main extends Thread {
  method <init>() {
    invokespecial Thread.<init>(this)
    return
  }

  public method run() {
    out = getstatic System.out
    invokevirtual PrintStream.println(out, \"other\") as (String)
    return
  }

  static method main() {
    thread = new Main
    invokespecial Main.<init>(thread)
    invokevirtual Main.start(thread)
    out = getstatic System.out
    invokevirtual PrintStream.println(out, \"main\") as (String)
    zero = div 1, 0
    return
  }
}
";
    assert_eq!(
        sc(text),
        "main | other; error output: Exception in thread \"main\" java.lang.ArithmeticException: / by zero; \
         uncaught java.lang.ArithmeticException: / by zero\n\
         other | main; error output: Exception in thread \"main\" java.lang.ArithmeticException: / by zero; \
         uncaught java.lang.ArithmeticException: / by zero\n\
         complete, 2 outcomes\n"
    );
}

#[test]
fn a_search_that_hits_a_bound_says_so() {
    let count = "jump again(0)\nagain(i: i32):\ni2 = add i, 1\nstore.opaque s, x, i2\njump again(i2)";
    // The method has to end, as the text goes on with a return.
    let count = count.replace("jump again(i2)", "branch i2, again(i2), done\ndone:");
    let module = module(&litmus(&[&count]));
    let entry = find_entry(&module, None).expect("there is one main");
    let config = ExploreConfig { max_states: 100, ..ExploreConfig::default() };
    let found = explore(&module, entry, &config).expect("main can be run");
    assert_eq!(found.to_string(), "incomplete, 0 outcomes\n");
    let config = ExploreConfig { max_local_steps: 100, ..ExploreConfig::default() };
    let found = explore(&module, entry, &config).expect("main can be run");
    assert_eq!((found.complete, found.outcomes.len()), (false, 0));
}

/// Between an exception's way out of a monitor and what its thread does next, another thread can enter the monitor.
#[test]
fn an_exception_that_leaves_a_monitor_lets_others_in() {
    let text = "class Test extends Thread {
      static field x: i32
      static field seen: i32

      method <init>() {
        invokespecial Thread.<init>(this)
        return
      }

      static synchronized method bump() {
        putstatic Test.x, 1
        return
      }

      static synchronized method fail() {
        x = getstatic Test.x
        putstatic Test.seen, x
        q = div 1, 0
        return
      }

      public method run() {
        invokestatic Test.bump()
        return
      }

      static method main(): i32 {
        t = new Test
        invokespecial Test.<init>(t)
        invokevirtual Thread.start(t)
        jump try
      try:
        catch ArithmeticException: after
        invokestatic Test.fail()
        return -1
      after(e: ArithmeticException):
        x = getstatic Test.x
        seen = getstatic Test.seen
        tens = mul seen, 10
        both = add tens, x
        return both
      }
    }";
    let all = "returned 0\nreturned 1\nreturned 11\ncomplete, 3 outcomes\n";
    assert_eq!(sc(text), all);
    // The same if it is an access that throws.
    let store = "strings = newarray String[], 1
        objects = checkcast Object[], strings
        o = new Object
        arraystore objects, 0, o";
    assert_eq!(sc(&text.replace("q = div 1, 0", store).replace("Arithmetic", "ArrayStore")), all);
}

/// A random access of `x` or `y`, its result in `a` or `b`, or in neither.
fn access(u: &mut Unstructured<'_>, result: Option<&str>) -> Result<String> {
    let ordering = *u.choose(&["plain", "opaque", "acquire", "release", "acq_rel", "volatile"])?;
    let place = *u.choose(&["x", "y"])?;
    let value = u.int_in_range(1..=2)?;
    Ok(match result {
        None if ordering == "acquire" || ordering == "acq_rel" => format!("store.release s, {place}, {value}"),
        None => format!("store.{ordering} s, {place}, {value}"),
        Some(name) => match u.int_in_range(0..=2)? {
            0 if ordering == "release" || ordering == "acq_rel" => format!("{name} = load.acquire i32, s, {place}"),
            0 => format!("{name} = load.{ordering} i32, s, {place}"),
            1 => format!("{name} = getandadd.{ordering} s, {place}, {value}"),
            _ => format!("{name} = cas.{ordering} s, {place}, 0, {value}"),
        },
    })
}

#[test]
fn switching_less_often_finds_the_same_outcomes() {
    arbtest(|u| {
        let mut threads = Vec::new();
        for _ in 0..2 {
            let mut lines = [access(u, Some("a"))?, access(u, None)?, access(u, Some("b"))?];
            lines.swap(1, if u.arbitrary()? { 0 } else { 1 });
            threads.push(lines.join("\n"));
        }
        let text = litmus(&[&threads[0], &threads[1]]);
        let module = module(&text);
        let entry = find_entry(&module, None).expect("there is one main");
        let mut previous: Option<Exploration> = None;
        for memory in [MemoryModel::Sc, MemoryModel::Weak] {
            let config = ExploreConfig { memory, ..ExploreConfig::default() };
            let fast = explore(&module, entry, &config).expect("main can be run");
            let slow = explore(&module, entry, &ExploreConfig { reduce: false, ..config }).expect("main can be run");
            assert_eq!(fast.to_string(), slow.to_string(), "{text}");
            assert!(slow.states > fast.states, "{} and {}", slow.states, fast.states);
            // Weak memory shows all that strong memory shows.
            if let Some(strong) = previous.replace(fast.clone()) {
                assert!(fast.outcomes.is_superset(&strong.outcomes), "{text}\n{strong}\n{fast}");
            }
        }
        Ok(())
    })
    .budget_ms(2_000);
}
