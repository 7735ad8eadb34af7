//! Every reason for which an updater or a call stays: a stable code, what was found, and what would change it.

use crate::plan::{Reason, Site};

fn reason(code: &'static str, text: impl Into<String>) -> Reason {
    Reason::new(code, text)
}

// Updaters that are not recognised.

pub(crate) fn not_static() -> Reason {
    reason("not-static", "the updater is an instance field; declare it static final")
}
pub(crate) fn not_final() -> Reason {
    reason("not-final", "the updater is not final, so another can be stored later; declare it static final")
}
pub(crate) fn never_written() -> Reason {
    reason("never-written", "the updater is never assigned, so it is always null; assign it in the class initialiser")
}
pub(crate) fn written_more_than_once() -> Reason {
    reason("written-twice", "the updater is assigned in several places; assign it once, directly by newUpdater")
}
pub(crate) fn written_elsewhere() -> Reason {
    reason("written-elsewhere", "the updater is assigned outside its class's initialiser; assign it there")
}
pub(crate) fn in_handler_range() -> Reason {
    reason(
        "in-handler-range",
        "the updater is made or assigned where an exception would be caught, so it may be absent; make it outside of try",
    )
}
pub(crate) fn not_created_here(found: &str) -> Reason {
    reason("not-newUpdater", format!("the updater is assigned {found}; assign the result of newUpdater itself"))
}
pub(crate) fn kind_mismatch() -> Reason {
    reason("kind-mismatch", "the updater field holds another kind of updater; declare it with the kind that is made")
}
pub(crate) fn argument_not_constant(what: &str) -> Reason {
    reason("not-constant", format!("the {what} given to newUpdater is not a constant; write it in the call"))
}
pub(crate) fn argument_null(what: &str) -> Reason {
    reason("null-argument", format!("the {what} given to newUpdater is null: newUpdater throws; name one"))
}
pub(crate) fn target_class_without_fields(class: &str) -> Reason {
    reason(
        "target-missing",
        format!("{class} has no fields: newUpdater throws; pass the class that declares the field"),
    )
}
pub(crate) fn target_class_unknown(class: &str) -> Reason {
    reason(
        "class-unknown",
        format!("{class} is not in the input, so its field cannot be looked up; add it to the input"),
    )
}
pub(crate) fn target_ambiguous(class: &str, name: &str) -> Reason {
    reason(
        "target-ambiguous",
        format!("{class} declares several fields \"{name}\" of different types; give each a name of its own"),
    )
}
pub(crate) fn exposed(what: &str) -> Reason {
    reason("exposed", format!("{what} may be used by a method handle, or by a method that could not be read"))
}
pub(crate) fn receiver_parameter_exposed(method: &str) -> Reason {
    reason(
        "exposed",
        format!(
            "the updater is a parameter of {method}, which a method handle may call, or a method that could not be read"
        ),
    )
}
pub(crate) fn target_missing(class: &str, name: &str) -> Reason {
    reason(
        "target-missing",
        format!("{class} declares no field \"{name}\": newUpdater throws; name a field it declares"),
    )
}
pub(crate) fn target_inherited(class: &str, name: &str, owner: &str) -> Reason {
    reason(
        "target-inherited",
        format!("{name} is declared in {owner}, and newUpdater does not look there from {class}; pass {owner}.class"),
    )
}
pub(crate) fn target_inaccessible(field: &str) -> Reason {
    reason(
        "target-inaccessible",
        format!("{field} cannot be accessed from where the updater is made: newUpdater throws; make it in that class"),
    )
}
pub(crate) fn target_protected(field: &str) -> Reason {
    reason(
        "target-protected",
        format!("{field} is protected and in another package, which needs checks of its own; make the updater there"),
    )
}
pub(crate) fn target_type(field: &str, found: &str, wanted: &str) -> Reason {
    reason("target-type", format!("{field} is of type {found}, not {wanted}: newUpdater throws; make the two agree"))
}
pub(crate) fn target_primitive(field: &str) -> Reason {
    reason("target-primitive", format!("{field} is no reference: newUpdater throws; use an integer or long updater"))
}
pub(crate) fn target_not_volatile(field: &str) -> Reason {
    reason("target-not-volatile", format!("{field} is not volatile: newUpdater throws; declare it volatile"))
}
pub(crate) fn target_static(field: &str) -> Reason {
    reason("target-static", format!("{field} is static: newUpdater throws; updaters work on instance fields"))
}
pub(crate) fn kept_by_pattern(pattern: &str) -> Reason {
    reason("kept-by-pattern", format!("it matches --keep '{pattern}'; narrow the pattern to have it optimised"))
}

// Recognised updaters that stay.

pub(crate) fn visible_outside(what: &str, flag: &str) -> Reason {
    reason(
        "visible-outside",
        format!("{what} can be used by classes outside the input; pass {flag} if there are none, or make it private"),
    )
}
pub(crate) fn counts_for_uid(what: &str, class: &str) -> Reason {
    reason(
        "serializable",
        format!("{what} counts for the serialVersionUID that is computed for {class}; declare one, or make it private"),
    )
}
pub(crate) fn sought_by_name(name: &str) -> Reason {
    reason(
        "sought-by-name",
        format!("the program looks up fields by name, and may look for `{name}`; rename it if that is another one"),
    )
}
pub(crate) fn calls_stay(count: usize, first: Site, method: &str) -> Reason {
    let found = match count {
        1 => format!("a call of it in {method} could not be replaced"),
        _ => format!("{count} calls of it could not be replaced, the first in {method}"),
    };
    Reason { at: Some(first), ..reason("calls-stay", format!("{found}; change what the reason given there says")) }
}
pub(crate) fn returned(at: Site, method: &str) -> Reason {
    let text = format!(
        "{method} returns it, and is no static method that does nothing else; read the static field where it is called"
    );
    Reason { at: Some(at), ..reason("used-otherwise", text) }
}
pub(crate) fn used_otherwise(at: Site, method: &str) -> Reason {
    let text =
        format!("it is used in {method} other than to call it; only call it there, or make another one for that use");
    Reason { at: Some(at), ..reason("used-otherwise", text) }
}

// Calls that stay.

pub(crate) fn updater_not_recognised(updater: &str, why: &Reason) -> Reason {
    Reason { code: why.code, text: format!("{updater}: {}", why.text), at: why.at }
}
pub(crate) fn receiver_disagrees() -> Reason {
    reason(
        "several-updaters",
        "different updaters reach this call; call each in a place of its own, or copy the method for each",
    )
}
pub(crate) fn receiver_null() -> Reason {
    reason("null-updater", "the updater may be the constant null here; assign one on every way to the call")
}
pub(crate) fn receiver_instance_field(field: &str) -> Reason {
    reason(
        "instance-field",
        format!("the updater is read from {field}, an instance field; keep it in a static final one"),
    )
}
pub(crate) fn receiver_parameter(method: &str, flag: &str) -> Reason {
    reason(
        "open-parameter",
        format!(
            "the updater is a parameter of {method}, which classes outside the input can call with another; pass {flag} \
             if there are none, or make it private"
        ),
    )
}
pub(crate) fn receiver_parameter_uncalled(method: &str) -> Reason {
    reason(
        "never-called",
        format!("the updater is a parameter of {method}, which nothing in the input calls; remove the method"),
    )
}
pub(crate) fn receiver_virtual(method: &str) -> Reason {
    reason(
        "virtual-accessor",
        format!(
            "the updater comes from {method}, an instance method, of which there may be several; read the static field \
             at the call, or return it from a static method"
        ),
    )
}
pub(crate) fn receiver_virtual_open(method: &str, flag: &str) -> Reason {
    reason(
        "virtual-accessor",
        format!(
            "the updater comes from {method}, which classes outside the input can override; pass {flag} if there are \
             none, or make it final, private or static"
        ),
    )
}
pub(crate) fn receiver_virtual_parameter(method: &str) -> Reason {
    reason(
        "virtual-parameter",
        format!(
            "the updater is a parameter of {method}, which may be called as another method that it overrides; make it \
             private or static"
        ),
    )
}
pub(crate) fn receiver_made_here() -> Reason {
    reason("made-here", "the updater was just made, by newUpdater; keep it in a static final field and read that")
}
pub(crate) fn receiver_unknown(found: &str) -> Reason {
    reason("unknown-source", format!("the updater comes from {found}; read the static field at the call"))
}
pub(crate) fn early_read() -> Reason {
    reason(
        "early-read",
        "the updater is read in its class's initialiser before it is assigned there; move the assignment up",
    )
}
pub(crate) fn offset_inaccessible(class: &str) -> Reason {
    reason(
        "offset-inaccessible",
        format!("an offset field in {class} could not be read from here; move the call there, or to its package"),
    )
}
pub(crate) fn class_inaccessible(class: &str) -> Reason {
    reason(
        "class-inaccessible",
        format!(
            "a check that has to stay would name {class}, which is accessible in its package only; make the class public, \
             or give the call a holder and a value whose types need no check"
        ),
    )
}
pub(crate) fn serializable(class: &str) -> Reason {
    reason(
        "serializable",
        format!(
            "an offset field that this call can read would change the serialVersionUID that is computed for {class}; \
             declare one"
        ),
    )
}
