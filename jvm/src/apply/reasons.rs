//! Why edits are impossible, in words that tell the author what to change.

use r8lite_passes::plan::Reason;

use super::stack::Odd;

pub(crate) fn odd_code(why: &Odd) -> Reason {
    Reason::new("odd-code", format!("its method is left as it is: {}", why.0))
}

pub(crate) fn not_edited(error: &r8lite_classfile::Error) -> Reason {
    Reason::new("not-edited", format!("the code could not be changed: {error}; make it smaller or simpler"))
}

pub(crate) fn not_written(error: &r8lite_classfile::Error) -> Reason {
    Reason::new("not-edited", format!("its class could not be changed: {error}; make it smaller"))
}

pub(crate) fn old_class(class: &str, version: u16, wanted: u16) -> Reason {
    Reason::new(
        "old-class",
        format!(
            "{class} is of class file version {version}, and {wanted} is the first that has what it takes; compile it for that"
        ),
    )
}

pub(crate) fn old_interface(class: &str) -> Reason {
    Reason::new(
        "old-interface",
        format!("the call needs a private static method in {class}, an interface; compile it for Java 8 or later"),
    )
}

pub(crate) fn early_read() -> Reason {
    Reason::new(
        "early-read",
        "the updater is read in its class's initialiser before it is assigned there; move the assignment up",
    )
}

pub(crate) fn class_inaccessible(class: &str) -> Reason {
    Reason::new(
        "class-inaccessible",
        format!("a cast to {class} is needed, which may not be named here; make it public"),
    )
}

pub(crate) fn no_trigger(class: &str) -> Reason {
    Reason::new(
        "no-trigger",
        format!(
            "a read of it initialises {class}, which can be seen, and no other field there could be read instead; give it \
             one"
        ),
    )
}

pub(crate) fn unexpected() -> Reason {
    Reason::new("odd-code", "the instruction is not the one that was analysed")
}

pub(crate) fn gave_up() -> Reason {
    Reason::new(
        "not-edited",
        "too many edits of the program turned out to be impossible; optimise its parts by themselves",
    )
}
