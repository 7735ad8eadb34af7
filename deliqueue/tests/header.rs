//! The C header has what `src/ffi.rs` has. `cargo xtask header` makes it anew.

use std::fs;
use std::path::Path;

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("it is in the crate")
}

#[test]
fn every_function_is_in_the_header_with_as_many_parameters() {
    let (header, source) = (read("include/deliqueue.h"), read("src/ffi.rs"));
    let mut functions = 0;
    for part in source.split("extern \"C\" fn deliqueue_").skip(1) {
        let (name, rest) = part.split_once('(').expect("a function has parameters");
        let parameters = rest.split_once(')').expect("they end").0.matches(':').count();
        let declaration = header.split_once(&format!("deliqueue_{name}(")).map(|(_, rest)| rest.split_once(')'));
        let there = match declaration {
            Some(Some((list, _))) if list.trim() == "void" || list.trim().is_empty() => 0,
            Some(Some((list, _))) => 1 + list.matches(',').count(),
            _ => panic!("deliqueue_{name} is not in the header"),
        };
        assert_eq!(there, parameters, "parameters of deliqueue_{name}");
        functions += 1;
    }
    assert_eq!(functions, header.matches(" deliqueue_").count() + header.matches("*deliqueue_").count());
}
