//! A plan as text: what the command prints for `--emit plan`.

use std::fmt::Write;

use crate::names::{field_name, func_name};
use crate::plan::{Access, Action, CallPlan, CopyPlan, Guard, Plan, Replacement, Site, UpdaterPlan};
use r8lite_ir::{Module, text};

impl Plan {
    /// The plan as text, with `module` being the very one it was decided for: a paragraph an updater, one a call, in the
    /// plan's order.
    pub fn text(&self, module: &Module) -> String {
        let mut out = String::new();
        for updater in &self.updaters {
            write_updater(&mut out, module, updater);
        }
        for call in &self.calls {
            write_call(&mut out, module, self, call);
        }
        for copy in &self.copies {
            write_copy(&mut out, module, copy);
        }
        for &original in &self.originals {
            line(
                &mut out,
                0,
                &format!("method {}: goes, since only copies of it are used", func_name(module, original)),
            );
        }
        for &accessor in &self.accessors {
            line(&mut out, 0, &format!("accessor {}: goes if nothing calls it", func_name(module, accessor)));
        }
        out
    }
}

fn line(out: &mut String, indent: usize, text: &str) {
    writeln!(out, "{:indent$}{text}", "").expect("writing to a string");
}

fn write_updater(out: &mut String, module: &Module, updater: &UpdaterPlan) {
    line(out, 0, &format!("updater {}: {:?}", field_name(module, updater.field), updater.kind));
    if let Some(recognised) = &updater.recognised {
        line(out, 2, &format!("target {}", field_name(module, recognised.target)));
        line(out, 2, &format!("created at {}", site(module, recognised.creation)));
    }
    if let Some(offset) = &updater.offset {
        line(out, 2, &format!("offset field {}", offset.name));
    }
    if updater.remove {
        line(out, 2, "remove");
    }
    if let Some(reason) = &updater.reason {
        line(out, 2, &format!("keep ({}): {}", reason.code, reason.text));
        if let Some(at) = reason.at {
            line(out, 4, &format!("at {}", site(module, at)));
        }
    }
}

fn write_call(out: &mut String, module: &Module, plan: &Plan, call: &CallPlan) {
    line(out, 0, &format!("call {}", site(module, call.site)));
    if let Some(id) = call.updater {
        let updater = &plan.updaters[id.0 as usize];
        line(out, 2, &format!("of {}", field_name(module, updater.field)));
    }
    match &call.action {
        Action::Keep(reason) => line(out, 2, &format!("keep ({}): {}", reason.code, reason.text)),
        Action::Replace(replacement) => line(out, 2, &describe(replacement)),
    }
}

fn write_copy(out: &mut String, module: &Module, copy: &CopyPlan) {
    let updaters: Vec<String> = copy.updaters.iter().map(|&(_, field)| field_name(module, field)).collect();
    let made = if copy.made(module).is_some() { "is there" } else { "copy" };
    let copied = func_name(module, copy.func);
    line(out, 0, &format!("{made} {copied} as {} for {}", copy.name, updaters.join(", ")));
    for &call in &copy.calls {
        line(out, 2, &format!("called by {}", site(module, call)));
    }
}

fn describe(replacement: &Replacement) -> String {
    let access = match replacement.access {
        Access::Field => "replace by an access of the field",
        Access::Offset => "replace by an access at the offset",
    };
    let guard = match replacement.guard {
        Guard::Proven => "",
        Guard::Trigger => ", initialise the class first",
        Guard::Offset => ", throw if the updater is null",
    };
    let holder = if replacement.check_holder { ", check the holder" } else { "" };
    let value = if replacement.check_value { ", check the new value" } else { "" };
    format!("{access}{guard}{holder}{value}")
}

/// `Class.method:line: instruction`.
fn site(module: &Module, site: Site) -> String {
    let name = func_name(module, site.func);
    let Some(body) = &module.funcs[site.func].body else { return name };
    let at = match body.insts[site.inst].origin.line {
        0 => String::new(),
        line => format!(":{line}"),
    };
    format!("{name}{at}: {}", text::print_inst(module, body, site.inst).trim())
}
