//! The command line, as typed. What it means is decided in `drive` and the files beside it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

const AFTER_HELP: &str = "\
Exit status: 0 done; 1 the input has problems, or --fail-under was not met; 2 wrong usage or input and output failed; \
101 a bug of r8lite.";

const OPTIMIZE_EXAMPLES: &str = "\
Examples:
  Optimise a jar:
    $ r8lite optimize testdata/examples/connection.jar -o target/connection.jar
  Optimise a program in IR text and print it:
    $ r8lite optimize testdata/examples/example.ir
  The same, and say what was done:
    $ r8lite optimize testdata/examples/example.ir --explain
  Only the decisions:
    $ r8lite optimize testdata/examples/example.ir --emit plan
  See what the passes do, one by one:
    $ r8lite optimize testdata/examples/example.ir --print-after all";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  What would be replaced, and why the rest would not:
    $ r8lite explain testdata/examples/connection.jar";

const RUN_EXAMPLES: &str = "\
Examples:
  Run the main method under the reference interpreter:
    $ r8lite run testdata/examples/example.ir --seed 1
  Run every interleaving of its threads, and print how it can turn out:
    $ r8lite run testdata/litmus/store-buffering-acquire-release.ir --explore --memory weak";

/// Optimises the JVM's field updaters, in class files and jars or in IR text.
#[derive(Parser, Debug)]
#[command(name = "r8lite", version, after_help = AFTER_HELP, max_term_width = 110)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Messages")]
pub(crate) struct Global {
    /// How errors are written to standard error; JSON is one object a line
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub(crate) error_format: ErrorFormat,
    /// When messages are coloured; NO_COLOR is respected
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ErrorFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Replace field updater calls by compare-and-swap at an offset, and clean up
    Optimize(Box<Optimize>),
    /// Say what would be replaced, what not, and why; change nothing
    Explain(Explain),
    /// Compile to an object file (not built yet)
    Compile(Compile),
    /// Run a program
    Run(Box<Run>),
    /// Check a program
    Verify(Verify),
    /// Print class files as IR text
    Dis(Dis),
    /// List the passes
    Passes,
}

#[derive(Args, Debug)]
pub(crate) struct Inputs {
    /// IR text (- for standard input), or class files, jars and folders of them; several are one program
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "What may be changed")]
pub(crate) struct Scope {
    /// Leave fields alone that match Class.field; * stands for any text; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) keep: Vec<String>,
    /// Nothing outside the input uses its classes
    #[arg(long)]
    pub(crate) whole_program: bool,
    /// Nothing outside the input is in its packages
    #[arg(long)]
    pub(crate) closed_packages: bool,
}

#[derive(Args, Debug)]
#[command(after_long_help = OPTIMIZE_EXAMPLES)]
pub(crate) struct Optimize {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Where the result goes: a file, or a folder if there are several inputs; standard output if left out
    #[arg(short, long, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,
    /// What to write; may be repeated
    #[arg(long, value_name = "KIND", value_delimiter = ',', default_value = "ir")]
    pub(crate) emit: Vec<Emit>,
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) class_files: ClassFiles,
    #[command(flatten)]
    pub(crate) reports: Reports,
    #[command(flatten)]
    pub(crate) passes: PassFlags,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Class files and jars (no effect on IR text)")]
pub(crate) struct ClassFiles {
    /// How a replaced call is expressed
    #[arg(long, value_name = "BACKEND")]
    pub(crate) backend: Option<Backend>,
    /// The lowest Android API level that the result has to run on
    #[arg(long, value_name = "N", conflicts_with = "min_java")]
    pub(crate) min_api: Option<u32>,
    /// The lowest Java version that the result has to run on
    #[arg(long, value_name = "N")]
    pub(crate) min_java: Option<u32>,
    /// Jars and folders with classes that the input refers to, separated as in Java's class paths
    #[arg(long, value_name = "JARS")]
    pub(crate) classpath: Option<String>,
    /// Fail where a class cannot be read, instead of leaving it as it is
    #[arg(long)]
    pub(crate) strict: bool,
}

impl ClassFiles {
    /// Whether any of these was given.
    pub(crate) fn any(&self) -> bool {
        let Self { backend, min_api, min_java, classpath, strict } = self;
        backend.is_some() || min_api.is_some() || min_java.is_some() || classpath.is_some() || *strict
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Backend {
    Unsafe,
    Varhandle,
    Auto,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Reports")]
pub(crate) struct Reports {
    /// Say on standard error what became of every updater and call, and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Write the same as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    /// Exit with 1 if less than this share of calls was replaced
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) fail_under: Option<f64>,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("a number from 0 to 100 is wanted".to_string()),
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Passes")]
pub(crate) struct PassFlags {
    /// Run these passes only, in this order
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) passes: Option<Vec<String>>,
    /// Print the module to standard error before a pass, or before all
    #[arg(long, value_name = "PASS|all", value_delimiter = ',')]
    pub(crate) print_before: Vec<String>,
    /// Print the module to standard error after a pass, or after all
    #[arg(long, value_name = "PASS|all", value_delimiter = ',')]
    pub(crate) print_after: Vec<String>,
    /// Write the module to numbered files: the input, then after each pass that changed it
    #[arg(long, value_name = "DIR")]
    pub(crate) dump_dir: Option<PathBuf>,
    /// Say on standard error how long each step took
    #[arg(long)]
    pub(crate) time_passes: bool,
    /// Verify the module after each pass that changed it
    #[arg(long)]
    pub(crate) verify_each: bool,
    /// Skip all but the first N runs of passes that can be skipped
    #[arg(long, value_name = "N")]
    pub(crate) bisect_limit: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Emit {
    /// The optimised program
    Ir,
    /// What was decided, before anything changed
    Plan,
    /// What became of every updater and call
    Report,
    /// Cranelift's IR (not built yet)
    Clif,
    /// Assembler text (not built yet)
    Asm,
    /// An object file (not built yet)
    Obj,
}

#[derive(Args, Debug)]
#[command(after_long_help = EXPLAIN_EXAMPLES)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) class_files: ClassFiles,
    /// Write the same as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Compile {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Where the object file goes
    #[arg(short, long, value_name = "OUT.o")]
    pub(crate) output: Option<PathBuf>,
    /// What to compile for
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// How atomic operations are done
    #[arg(long, value_name = "KIND")]
    pub(crate) atomics: Option<String>,
    /// Features that the processor is sure to have
    #[arg(long, value_name = "LIST")]
    pub(crate) cpu_features: Option<String>,
    /// What to write
    #[arg(long, value_name = "KIND")]
    pub(crate) emit: Vec<Emit>,
    /// Write debug information
    #[arg(short = 'g')]
    pub(crate) debug: bool,
    /// Leave field updaters alone
    #[arg(long)]
    pub(crate) no_optimize: bool,
}

#[derive(Args, Debug)]
#[command(after_long_help = RUN_EXAMPLES)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The method to run; the program's only main method if left out
    #[arg(long, value_name = "Class.method")]
    pub(crate) entry: Option<String>,
    /// What runs it
    #[arg(long, value_name = "ENGINE", default_value = "interp")]
    pub(crate) engine: Engine,
    /// Leave field updaters alone
    #[arg(long)]
    pub(crate) no_optimize: bool,
    /// Where the scheduler of threads starts; the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Run every interleaving of the program's threads, and print the set of outcomes
    #[arg(long)]
    pub(crate) explore: bool,
    /// What reads may see while exploring
    #[arg(long, value_name = "MODEL", requires = "explore", default_value = "sc")]
    pub(crate) memory: Memory,
    /// How many states of the program are explored at most
    #[arg(long, value_name = "N", requires = "explore", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_states: Option<u64>,
    /// What the program is given
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Engine {
    /// Machine code (not built yet)
    Jit,
    /// The reference interpreter
    Interp,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Memory {
    /// Sequentially consistent
    Sc,
    /// Store buffers and stale reads, as each access's ordering allows
    Weak,
}

#[derive(Args, Debug)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

#[derive(Args, Debug)]
pub(crate) struct Dis {
    /// Class files, jars, or folders of them; several are one program
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
