//! Jars: what is kept, what is refused.
#![cfg(feature = "jar")]

use r8lite_classfile::checks::jar_rewrite;
use r8lite_classfile::jar::{self, Jar, JarEdits, JarError, Limits};

/// A jar with these entries; those whose name ends in `.jar` are stored.
fn make(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut edits = JarEdits::default();
    for (name, content) in entries {
        edits.add(name, content.to_vec(), name.ends_with(".jar"));
    }
    jar::write(&Jar::empty(), &edits).unwrap()
}

fn open(bytes: &[u8]) -> Result<Jar<'_>, JarError> {
    Jar::read(bytes, &Limits::default())
}

/// All that is in a jar: names, whether they are stored, and contents.
fn list(bytes: &[u8]) -> Vec<(String, bool, Vec<u8>)> {
    let jar = open(bytes).unwrap();
    let entries = jar.entries().iter().enumerate();
    entries.map(|(index, entry)| (entry.name.clone(), entry.stored, jar.content(index).unwrap())).collect()
}

/// Puts one text in the place of another of the same length, wherever it is.
fn patch(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
    }
    bytes
}

#[test]
fn entries_keep_their_order_and_their_form() {
    let inner = make(&[("x", b"inner")]);
    let bytes = make(&[("b/", b""), ("b/c.txt", &[b'c'; 1000]), ("lib/a.jar", &inner), ("a.txt", b"a")]);
    let mut edits = JarEdits::default();
    edits.replace(1, vec![b'd'; 2000]);
    edits.replace(2, make(&[("y", b"other")]));
    edits.remove(3);
    edits.add("new.txt", b"new".to_vec(), false);
    let after = jar::write(&open(&bytes).unwrap(), &edits).unwrap();
    let expected = [
        ("b/".to_string(), false, vec![]),
        ("b/c.txt".to_string(), false, vec![b'd'; 2000]),
        ("lib/a.jar".to_string(), true, make(&[("y", b"other")])),
        ("new.txt".to_string(), false, b"new".to_vec()),
    ];
    let mut found = list(&after);
    // A folder has nothing to compress; which form it has does not matter.
    found[0].1 = false;
    assert_eq!(found, expected);
    assert_eq!(after, jar::write(&open(&bytes).unwrap(), &edits).unwrap(), "the same each time");
}

#[test]
fn without_edits_the_jar_is_as_it_was() {
    let bytes = make(&[("a", b"1"), ("b", b"2")]);
    assert_eq!(jar::write(&open(&bytes).unwrap(), &JarEdits::default()).unwrap(), bytes);
}

#[test]
fn what_is_not_edited_is_copied_as_it_is_compressed() {
    let content: Vec<u8> = (0..10_000u32).flat_map(|number| (number % 97).to_le_bytes()).collect();
    let mut bytes = make(&[("kept", &content), ("gone", b"")]);
    // Another time: 2001-02-03 04:05:06, in the entry and in the list of entries.
    let (time, date) = (4u16 << 11 | 5 << 5 | 3, 21u16 << 9 | 2 << 5 | 3);
    let stamp = [time.to_le_bytes(), date.to_le_bytes()].concat();
    let mut stamped = 0;
    for at in 0..bytes.len() - 4 {
        let offset = match &bytes[at..at + 4] {
            b"PK\x03\x04" => 10,
            b"PK\x01\x02" => 12,
            _ => continue,
        };
        bytes[at + offset..at + offset + 4].copy_from_slice(&stamp);
        stamped += 1;
    }
    assert_eq!(stamped, 4);
    let mut edits = JarEdits::default();
    edits.remove(1);
    let after = jar::write(&open(&bytes).unwrap(), &edits).unwrap();
    // Header, name and data of the first entry.
    let length = bytes.windows(4).skip(4).position(|window| window == b"PK\x03\x04").unwrap() + 4;
    assert_eq!(after[..length], bytes[..length]);
    let mut edits = JarEdits::default();
    edits.replace(0, b"other".to_vec());
    let after = jar::write(&open(&bytes).unwrap(), &edits).unwrap();
    assert_eq!(after[10..14], stamp, "a replaced entry keeps its time");
}

#[test]
fn a_replaced_entry_keeps_its_exact_time_and_its_comment() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::FullFileOptions::default().with_file_comment("remark");
    writer.start_file("a", options.with_extended_timestamp(Some(1_000_000_001), None, None).unwrap()).unwrap();
    writer.set_comment("of the whole").unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let mut edits = JarEdits::default();
    edits.replace(0, b"other".to_vec());
    let after = jar::write(&open(&bytes).unwrap(), &edits).unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(after)).unwrap();
    assert_eq!(archive.comment(), b"of the whole");
    let file = archive.by_index(0).unwrap();
    assert_eq!(file.comment(), "remark");
    let times = file.extra_data_fields().filter_map(|field| match field {
        zip::ExtraField::ExtendedTimestamp(time) => time.mod_time(),
        _ => None,
    });
    assert_eq!(times.collect::<Vec<_>>(), [1_000_000_001]);
}

#[test]
fn what_comes_before_the_first_entry_stays() {
    let script = b"#!/bin/sh\nexec java -jar \"$0\"\n";
    let counted_from_the_jar = [&script[..], &make(&[("a", b"1"), ("b", b"2")])].concat();
    // And as tools leave it that count offsets from the script on: those of the entries, and that of their list.
    let mut counted_from_the_script = counted_from_the_jar.clone();
    for at in 0..counted_from_the_script.len() - 4 {
        let offset = match &counted_from_the_script[at..at + 4] {
            b"PK\x01\x02" => at + 42,
            b"PK\x05\x06" => at + 16,
            _ => continue,
        };
        counted_from_the_script[offset] += script.len() as u8;
    }
    for bytes in [counted_from_the_jar, counted_from_the_script] {
        let mut edits = JarEdits::default();
        edits.replace(0, b"3".to_vec());
        let after = jar::write(&open(&bytes).unwrap(), &edits).unwrap();
        assert!(after.starts_with(script));
        assert_eq!(list(&after).into_iter().map(|(_, _, content)| content).collect::<Vec<_>>(), [b"3", b"2"]);
    }
}

#[test]
fn names_that_lead_out_are_refused() {
    let bytes = make(&[("aa/bb/cc", b"1")]);
    for name in ["../bb/cc", "/a/bb/cc", "aa/../cc", "aa/bb/..", "C:/bb/cc", "aa\\..\\cc"] {
        let error = open(&patch(&bytes, "aa/bb/cc", name)).unwrap_err();
        assert_eq!(error, JarError::Name(name.to_string()), "{name}");
        let mut edits = JarEdits::default();
        edits.add(name, Vec::new(), false);
        assert_eq!(jar::write(&Jar::empty(), &edits).unwrap_err(), JarError::Name(name.to_string()));
    }
    assert!(open(&patch(&bytes, "aa/bb/cc", "..a/b../")).is_ok());
}

#[test]
fn two_entries_of_one_name_are_refused() {
    let bytes = make(&[("one", b"1"), ("two", b"2")]);
    let error = open(&patch(&bytes, "two", "one")).unwrap_err();
    assert_eq!(error.to_string(), "entry one: there are two of this name");
    let mut edits = JarEdits::default();
    edits.add("two", Vec::new(), false);
    assert!(jar::write(&open(&bytes).unwrap(), &edits).is_err());
    edits.remove(1);
    assert!(jar::write(&open(&bytes).unwrap(), &edits).is_ok(), "its place is free");
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    let bytes = make(&[("a", &[0; 100_000]), ("b", &[0; 100_000])]);
    let limits = |entries, entry_size, total_size| Limits { entries, entry_size, total_size };
    let read = |limits| Jar::read(&bytes, &limits).map(drop).map_err(|error| error.to_string());
    assert_eq!(read(limits(2, 100_000, 200_000)), Ok(()));
    assert_eq!(read(limits(1, 100_000, 200_000)), Err("2 entries, more than the 1 allowed".to_string()));
    let too_large = "entry a: 100000 bytes unpacked, more than the 99999 allowed";
    assert_eq!(read(limits(2, 99_999, 200_000)), Err(too_large.to_string()));
    let too_large = "entry b: 200000 bytes unpacked, more than the 199999 allowed";
    assert_eq!(read(limits(2, 100_000, 199_999)), Err(too_large.to_string()));
}

#[test]
fn entries_that_share_their_bytes_are_refused() {
    let content: Vec<u8> = (0..1000u32).flat_map(u32::to_le_bytes).collect();
    let mut bytes = make(&[("a.jar", &content), ("b.jar", b"")]);
    let rows: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"PK\x01\x02")).collect();
    // Checksum and sizes, and where the entry is.
    for field in [16..28, 42..46] {
        let shared = bytes[rows[0] + field.start..rows[0] + field.end].to_vec();
        bytes[rows[1] + field.start..rows[1] + field.end].copy_from_slice(&shared);
    }
    assert_eq!(open(&bytes).unwrap_err(), JarError::Overlap);
}

#[test]
fn an_entry_that_claims_less_than_it_unpacks_to_is_refused() {
    let mut bytes = make(&[("a", &[0; 100_000])]);
    // The claim is in the list of entries.
    let at = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    bytes[at + 24..at + 28].copy_from_slice(&10u32.to_le_bytes());
    let jar = open(&bytes).unwrap();
    assert!(matches!(jar.content(0), Err(JarError::Entry { .. })));
}

#[test]
fn edits_of_entries_that_are_not_there_are_refused() {
    let bytes = make(&[("a", b"1")]);
    for edit in [|edits: &mut JarEdits| edits.replace(1, Vec::new()), |edits: &mut JarEdits| edits.remove(7)] {
        let mut edits = JarEdits::default();
        edit(&mut edits);
        assert!(jar::write(&open(&bytes).unwrap(), &edits).is_err());
    }
}

#[test]
fn a_broken_jar_never_panics() {
    let bytes = make(&[("a", b"some text, some text"), ("b.jar", b"stored")]);
    for length in 0..bytes.len() {
        jar_rewrite(&bytes[..length]);
    }
    for at in 0..bytes.len() {
        for other in [0, 1, 0x7f, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = other;
            jar_rewrite(&changed);
        }
    }
}

#[test]
fn a_jar_in_a_jar_is_read_whether_or_not_it_is_compressed() {
    let inner = make(&[("x", b"inner")]);
    let mut edits = JarEdits::default();
    edits.add("stored.jar", inner.clone(), true);
    edits.add("packed.jar", inner, false);
    edits.add("no.jar", b"text".to_vec(), true);
    let bytes = jar::write(&Jar::empty(), &edits).unwrap();
    let outer = open(&bytes).unwrap();
    for entry in [0, 1] {
        let inner = outer.nested(entry, &Limits::default()).unwrap();
        assert_eq!((inner.entries().len(), inner.content(0).unwrap()), (1, b"inner".to_vec()));
        // One in that one.
        let mut edits = JarEdits::default();
        edits.add("outer.jar", bytes.clone(), true);
        let outermost = jar::write(&Jar::empty(), &edits).unwrap();
        let between = open(&outermost).unwrap().nested(0, &Limits::default()).unwrap();
        assert_eq!(between.nested(entry, &Limits::default()).unwrap().entries(), inner.entries());
    }
    assert!(matches!(outer.nested(2, &Limits::default()), Err(JarError::Zip(_))));
    assert_eq!(outer.entries()[0].crc, outer.entries()[1].crc);
}
