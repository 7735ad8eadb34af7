//! The class that comes to a program in addition: it holds Unsafe, and the helpers that name no class of the program.

use std::collections::BTreeSet;

use r8lite_classfile::{
    ClassFile, CodeEdits, Insn, Opcode, Result, add_field, add_method, class_initializer, descriptor, flags, write,
};
use r8lite_passes::plan::{Kind, Operation};

use super::asm::{Asm, MemberName};
use super::helper::{self, Helper, HolderCheck, Receiver};
use super::unsafes::{UNSAFE, substitute, value};

/// The class file version: that of Java 6, which runs wherever a program does.
const VERSION: u16 = 50;

/// What the class has to have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct UnsafeClass {
    /// Its internal name.
    pub(crate) name: String,
    /// Whether `getAndSet` and `getAndAdd` can be relied on.
    pub(crate) since_24: bool,
    /// Whether anything needs the class.
    pub(crate) is_used: bool,
    helpers: BTreeSet<(Kind, Operation)>,
    substitutes: BTreeSet<(MemberName, Kind, Operation)>,
}

impl UnsafeClass {
    pub(crate) fn new(name: String, since_24: bool) -> UnsafeClass {
        UnsafeClass { name, since_24, ..UnsafeClass::default() }
    }

    /// Has the class have what another one of its name has.
    pub(crate) fn join(&mut self, other: &UnsafeClass) {
        self.is_used |= other.is_used;
        self.helpers.extend(&other.helpers);
        self.substitutes.extend(other.substitutes.iter().cloned());
    }

    /// The field with Unsafe.
    pub(crate) fn unsafe_field(&mut self) -> MemberName {
        self.is_used = true;
        helper::unsafe_field(&self.name)
    }

    /// The helper that is given an offset and all arguments of a call, checks that the offset is not 0 and the holder
    /// not null, and then does the operation.
    pub(crate) fn helper(&mut self, kind: Kind, op: Operation) -> MemberName {
        self.is_used = true;
        self.helpers.insert((kind, op));
        self.substitute(kind, op);
        self.helper_name(kind, op)
    }

    fn helper_name(&self, kind: Kind, op: Operation) -> MemberName {
        MemberName::new(&self.name, format!("{}{}", op.name(), value(kind).0), shared_helper(kind, op).descriptor())
    }

    /// The method to call in the place of one of Unsafe that may be missing.
    pub(crate) fn substitute(&mut self, kind: Kind, op: Operation) -> Option<MemberName> {
        let method = substitute(&self.name, kind, op).filter(|_| !self.since_24)?;
        let op = if op == Operation::GetAndSet { op } else { Operation::GetAndAdd };
        self.substitutes.insert((method.clone(), kind, op));
        Some(method)
    }

    /// The class.
    pub(crate) fn write(&self) -> Result<Vec<u8>> {
        let access = flags::PUBLIC | flags::FINAL | flags::SUPER | flags::SYNTHETIC;
        let mut class = ClassFile::new(VERSION, access, &self.name, "java/lang/Object")?;
        let field = helper::unsafe_field(&self.name);
        let access = flags::PUBLIC | flags::STATIC | flags::FINAL | flags::SYNTHETIC;
        add_field(&mut class, access, &field.name, &field.descriptor)?;
        let clinit = class_initializer(&mut class)?;
        let mut edits = CodeEdits::new();
        let code = find_unsafe(&mut class, &field)?;
        edits.at_entry(code);
        r8lite_classfile::apply(&mut class, clinit, &edits)?;
        let access = flags::PUBLIC | flags::STATIC | flags::SYNTHETIC;
        for &(kind, op) in &self.helpers {
            let code = shared_helper(kind, op).code(&mut class, &self.name, self.since_24)?;
            let MemberName { name, descriptor, .. } = self.helper_name(kind, op);
            add_method(&mut class, access, &name, &descriptor, Some(&code))?;
        }
        for (method, kind, op) in &self.substitutes {
            let code = helper::substitute_code(&mut class, method, *kind, *op)?;
            add_method(&mut class, access, &method.name, &method.descriptor, Some(&code))?;
        }
        write(&class)
    }
}

fn shared_helper(kind: Kind, op: Operation) -> Helper {
    Helper {
        kind,
        op,
        receiver: Receiver::Offset,
        checks_offset: true,
        holder: HolderCheck::NotNull,
        value: None,
        field: None,
        offset: None,
        handle: None,
    }
}

/// `Field f = Unsafe.class.getDeclaredField("theUnsafe"); f.setAccessible(true); UNSAFE = (Unsafe) f.get(null);`
fn find_unsafe(class: &mut ClassFile<'_>, field: &MemberName) -> Result<Vec<Insn>> {
    let unsafe_class = class.pool.add_class(UNSAFE)?;
    let mut asm = Asm::new(&mut class.pool);
    asm.insn(Insn::Constant(Opcode::Ldc, unsafe_class));
    asm.string("theUnsafe")?;
    asm.invoke(Opcode::Invokevirtual, &get_declared_field())?;
    asm.op(Opcode::Dup);
    asm.op(Opcode::Iconst1);
    asm.invoke(Opcode::Invokevirtual, &MemberName::new("java/lang/reflect/Field", "setAccessible", "(Z)V"))?;
    asm.op(Opcode::AconstNull);
    let get = MemberName::new("java/lang/reflect/Field", "get", "(Ljava/lang/Object;)Ljava/lang/Object;");
    asm.invoke(Opcode::Invokevirtual, &get)?;
    asm.class(Opcode::Checkcast, UNSAFE)?;
    asm.field(Opcode::Putstatic, field)?;
    Ok(asm.code)
}

/// `Class.getDeclaredField`.
pub(crate) fn get_declared_field() -> MemberName {
    MemberName::new("java/lang/Class", "getDeclaredField", "(Ljava/lang/String;)Ljava/lang/reflect/Field;")
}

/// `x$offset = UNSAFE.objectFieldOffset(Holder.class.getDeclaredField("x"))`
pub(crate) fn store_offset(
    asm: &mut Asm<'_, '_>,
    unsafe_field: &MemberName,
    target: &MemberName,
    offset: &MemberName,
) -> Result<()> {
    asm.field(Opcode::Getstatic, unsafe_field)?;
    let holder = asm.pool.add_class(&target.class)?;
    asm.insn(Insn::Constant(Opcode::Ldc, holder));
    asm.string(&target.name)?;
    asm.invoke(Opcode::Invokevirtual, &get_declared_field())?;
    asm.invoke(Opcode::Invokevirtual, &MemberName::new(UNSAFE, "objectFieldOffset", "(Ljava/lang/reflect/Field;)J"))?;
    asm.field(Opcode::Putstatic, offset)
}

/// `x$VH = MethodHandles.lookup().findVarHandle(Holder.class, "x", X.class)`
pub(crate) fn store_handle(asm: &mut Asm<'_, '_>, target: &MemberName, handle: &MemberName) -> Result<()> {
    let lookup =
        MemberName::new("java/lang/invoke/MethodHandles", "lookup", "()Ljava/lang/invoke/MethodHandles$Lookup;");
    asm.invoke(Opcode::Invokestatic, &lookup)?;
    let holder = asm.pool.add_class(&target.class)?;
    asm.insn(Insn::Constant(Opcode::Ldc, holder));
    asm.string(&target.name)?;
    match (descriptor::class_constant(&target.descriptor), &*target.descriptor) {
        (Some(value), _) => {
            let value = asm.pool.add_class(value)?;
            asm.insn(Insn::Constant(Opcode::Ldc, value));
        }
        (None, primitive) => {
            let boxed = if primitive == "J" { "java/lang/Long" } else { "java/lang/Integer" };
            asm.field(Opcode::Getstatic, &MemberName::new(boxed, "TYPE", "Ljava/lang/Class;"))?;
        }
    }
    let find = MemberName::new(
        "java/lang/invoke/MethodHandles$Lookup",
        "findVarHandle",
        "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/invoke/VarHandle;",
    );
    asm.invoke(Opcode::Invokevirtual, &find)?;
    asm.field(Opcode::Putstatic, handle)
}

/// What a name of the added class ends in, by the content that it is for: FNV-1a, which never changes.
pub(crate) fn content_hash<'b>(contents: impl IntoIterator<Item = &'b [u8]>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in contents.into_iter().flatten() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}
