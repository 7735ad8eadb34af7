//! The whole command on real jars, and on a large one without updaters against a plain copy of it.
//!
//! `cargo xtask bench` fetches the jars (`cargo xtask corpora` has them too) and prints, for each, the median, least and
//! most time of several runs and the peak of memory. The runs of all jars take turns, so that what else the machine does
//! meets all of them.

use std::env;
use std::fs::{self, File};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use zip::{ZipArchive, ZipWriter};

/// How often each is run.
const RUNS: usize = 7;

/// How many times as long as a plain copy a jar without updaters may take.
const MAX_RATIO: f64 = 1.3;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/corpora")
}

/// All classes of an application's jars in which nothing mentions an updater, in one jar, as they are compressed.
fn without_updaters(application: &Path) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut seen = std::collections::HashSet::new();
    let mut outer = ZipArchive::new(File::open(application).expect("the jar is there")).expect("it is a jar");
    for index in 0..outer.len() {
        let mut bytes = Vec::new();
        let mut entry = outer.by_index(index).expect("the entry is in order");
        if !entry.name().expect("it has a name").ends_with(".jar") {
            continue;
        }
        entry.read_to_end(&mut bytes).expect("it is in order");
        drop(entry);
        let mut jar = ZipArchive::new(Cursor::new(bytes)).expect("it is a jar");
        let mentions = (0..jar.len()).any(|index| {
            let mut content = Vec::new();
            jar.by_index(index).expect("in order").read_to_end(&mut content).expect("in order");
            content.windows(12).any(|window| window == b"FieldUpdater")
        });
        for index in (0..jar.len()).filter(|_| !mentions) {
            let entry = jar.by_index_raw(index).expect("the entry is in order");
            let name = entry.name().expect("it has a name").into_owned();
            if !name.starts_with("META-INF/") && !name.ends_with('/') && seen.insert(name) {
                writer.raw_copy_file(entry).expect("it can be copied");
            }
        }
    }
    writer.finish().expect("it can be written").into_inner()
}

/// Copies a jar entry by entry, as they are compressed.
fn copy(from: &Path, to: &Path) {
    let bytes = fs::read(from).expect("the jar can be read");
    let mut jar = ZipArchive::new(Cursor::new(&bytes)).expect("it is a jar");
    let mut writer = ZipWriter::new(Cursor::new(Vec::with_capacity(bytes.len())));
    for index in 0..jar.len() {
        writer.raw_copy_file(jar.by_index_raw(index).expect("the entry is in order")).expect("it can be copied");
    }
    fs::write(to, writer.finish().expect("it can be written").into_inner()).expect("it can be written");
}

/// Runs the command; how long it took, and how many MiB it had at most.
fn optimize(from: &Path, to: &Path) -> (f64, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_r8lite"));
    command.arg("optimize").arg(from).arg("-o").arg(to).arg("--time-passes");
    let start = Instant::now();
    let output = command.output().expect("the command runs");
    let time = start.elapsed().as_secs_f64();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    let peak = messages.lines().find_map(|line| line.trim().strip_suffix("MiB  peak")?.trim().parse().ok());
    (time, peak.unwrap_or(0))
}

fn main() {
    // `cargo test` builds this; only `cargo bench` has the jars and the time.
    if !env::args().any(|arg| arg == "--bench") {
        return;
    }
    let corpora = corpora();
    let application = corpora.join("atoti-server-0.9.16/_atoti_server/__resources__/server.jar");
    let coroutines = corpora.join("kotlin-compiler-2.4.20/package/lib/kotlinx-coroutines-core-jvm.jar");
    assert!(application.exists() && coroutines.exists(), "cargo xtask bench fetches the jars that this reads");
    let folder = corpora.join("made/bench");
    fs::create_dir_all(&folder).expect("a folder can be made");
    let mut bytes = Vec::new();
    let mut outer = ZipArchive::new(File::open(&application).expect("it is there")).expect("it is a jar");
    let name = "BOOT-INF/lib/reactor-core-3.7.19.jar";
    outer.by_name(name).expect("it is in there").read_to_end(&mut bytes).expect("it is in order");
    let reactor = folder.join("reactor-core.jar");
    fs::write(&reactor, bytes).expect("it can be written");
    let large = folder.join("without-updaters.jar");
    fs::write(&large, without_updaters(&application)).expect("it can be written");

    let jars = [
        ("kotlinx-coroutines 1.8.0", &coroutines),
        ("reactor-core 3.7.19", &reactor),
        ("all of atoti-server", &application),
        ("without updaters", &large),
    ];
    let output = folder.join("output.jar");
    let mut rows: Vec<Vec<(f64, u64)>> = vec![Vec::new(); jars.len() + 1];
    for _ in 0..RUNS {
        for (row, (_, jar)) in rows.iter_mut().zip(&jars) {
            row.push(optimize(jar, &output));
        }
        let start = Instant::now();
        copy(&large, &output);
        rows[jars.len()].push((start.elapsed().as_secs_f64(), 0));
    }
    let mut out = std::io::stdout().lock();
    let names = jars.iter().map(|(name, _)| *name).chain(["  a plain copy of it"]);
    let sizes = jars.iter().map(|(_, jar)| *jar).chain([&large]).map(|jar| fs::metadata(jar).map_or(0, |it| it.len()));
    let mut medians = Vec::new();
    for ((name, size), row) in names.zip(sizes).zip(&rows) {
        let mut times: Vec<f64> = row.iter().map(|(time, _)| *time).collect();
        times.sort_by(f64::total_cmp);
        let (median, least, most) = (times[RUNS / 2], times[0], times[RUNS - 1]);
        let peak = row.iter().map(|(_, peak)| *peak).max().unwrap_or(0);
        medians.push(median);
        writeln!(
            out,
            "{name:26}{:>6.1} MB {median:>7.3} s ({least:.3} to {most:.3})   peak {peak} MiB",
            size as f64 / 1e6
        )
        .expect("standard output is there");
    }
    let ratio = medians[jars.len() - 1] / medians[jars.len()];
    writeln!(out, "without updaters, against the plain copy: {ratio:.2} times; at most {MAX_RATIO} wanted")
        .expect("standard output is there");
}
