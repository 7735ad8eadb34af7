//! Who may access what: JVMS 5.4.4, with the nest rules of class version 55.

use r8lite_ir::hierarchy::{nest_mates, same_package};
use r8lite_ir::{Answer, Class, ClassOrigin, Field, Flags, Hierarchy, Module, Type};

/// Whether code in `from` may name `class`.
pub fn class_accessible(module: &Module, from: Class, class: Class) -> bool {
    module.classes[class].flags.has(Flags::PUBLIC) || same_package(module, from, class)
}

/// The class that code in `from` may not name, of those that a type names; what is known by name only may be public.
pub fn inaccessible_class(module: &Module, from: Class, ty: Type) -> Option<Class> {
    match ty {
        Type::Array(array) => inaccessible_class(module, from, module.array_element(array)),
        Type::Class(class) => {
            let is_known = !matches!(module.classes[class].origin, ClassOrigin::Extern | ClassOrigin::Missing);
            (is_known && !class_accessible(module, from, class)).then_some(class)
        }
        Type::Bool | Type::I8 | Type::U16 | Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64 | Type::Null => {
            None
        }
    }
}

/// Whether code in `from` may access `field` by a field instruction, on any holder.
///
/// Protected fields of another package depend on the holder's class as well; for them the answer is no.
pub(crate) fn field_accessible(module: &Module, from: Class, field: Field) -> bool {
    let data = &module.fields[field];
    if !class_accessible(module, from, data.class) {
        return false;
    }
    member_accessible(module, from, data.class, data.flags)
}

/// Whether code in `from` may access a member of `owner` with these flags, protected ones of other packages left out.
pub fn member_accessible(module: &Module, from: Class, owner: Class, flags: Flags) -> bool {
    if flags.has(Flags::PUBLIC) {
        true
    } else if flags.has(Flags::PRIVATE) {
        nest_mates(module, from, owner)
    } else {
        same_package(module, from, owner)
    }
}

/// Whether a class is serializable and its serialVersionUID is computed from its members: then no member that counts
/// may come or go. That of enums and records is always 0.
pub fn has_computed_uid(module: &Module, hierarchy: &Hierarchy, class: Class) -> bool {
    let Some(serializable) = module.find_class("java.io.Serializable") else { return false };
    let declares_uid = |class: Class| {
        module.classes[class].fields.iter().any(|&field| {
            let data = &module.fields[field];
            module.name(data.name) == "serialVersionUID"
                && data.ty == Type::I64
                && data.flags.has(Flags::STATIC.with(Flags::FINAL))
        })
    };
    let is_special = |class: Class| ["java.lang.Enum", "java.lang.Record"].contains(&module.class_name(class));
    !module.classes[class].flags.has(Flags::INTERFACE)
        && !module.classes[class].superclass.is_some_and(is_special)
        && may_be_below(module, hierarchy, class, serializable)
        && !declares_uid(class)
}

/// Whether a class may be serializable; of classes that are known by name only, some are known not to be.
fn may_be_below(module: &Module, hierarchy: &Hierarchy, class: Class, serializable: Class) -> bool {
    match hierarchy.is_subclass(class, serializable) {
        Answer::Yes => true,
        Answer::No => false,
        Answer::Unknown => {
            let supertypes = hierarchy.superclass_chain(class).chain(hierarchy.superinterfaces(class));
            let mut open = supertypes.filter(|&class| hierarchy.is_extern(class));
            open.any(|class| NOT_SERIALIZABLE.binary_search(&module.class_name(class)).is_err())
        }
    }
}

/// Public types that programs extend and that have never been serializable, by name. They would break every serialised
/// subclass if they became so.
const NOT_SERIALIZABLE: &[&str] = &[
    "java.io.Closeable",
    "java.io.FilterInputStream",
    "java.io.FilterOutputStream",
    "java.io.Flushable",
    "java.io.InputStream",
    "java.io.OutputStream",
    "java.io.Reader",
    "java.io.Writer",
    "java.lang.AutoCloseable",
    "java.lang.ClassLoader",
    "java.lang.Iterable",
    "java.lang.Thread$UncaughtExceptionHandler",
    "java.lang.annotation.Annotation",
    "java.lang.ref.PhantomReference",
    "java.lang.ref.Reference",
    "java.lang.ref.SoftReference",
    "java.lang.ref.WeakReference",
    "java.nio.channels.Channel",
    "java.util.AbstractCollection",
    "java.util.AbstractList",
    "java.util.AbstractMap",
    "java.util.AbstractQueue",
    "java.util.AbstractSequentialList",
    "java.util.AbstractSet",
    "java.util.Collection",
    "java.util.Deque",
    "java.util.Enumeration",
    "java.util.EventListener",
    "java.util.Iterator",
    "java.util.List",
    "java.util.ListIterator",
    "java.util.Map",
    "java.util.Map$Entry",
    "java.util.NavigableMap",
    "java.util.NavigableSet",
    "java.util.Queue",
    "java.util.RandomAccess",
    "java.util.Set",
    "java.util.SortedMap",
    "java.util.SortedSet",
    "java.util.Spliterator",
    "java.util.TimerTask",
    "java.util.concurrent.AbstractExecutorService",
    "java.util.concurrent.BlockingDeque",
    "java.util.concurrent.BlockingQueue",
    "java.util.concurrent.Callable",
    "java.util.concurrent.CompletionStage",
    "java.util.concurrent.ConcurrentMap",
    "java.util.concurrent.Delayed",
    "java.util.concurrent.Executor",
    "java.util.concurrent.ExecutorService",
    "java.util.concurrent.Flow$Processor",
    "java.util.concurrent.Flow$Publisher",
    "java.util.concurrent.Flow$Subscriber",
    "java.util.concurrent.Flow$Subscription",
    "java.util.concurrent.Future",
    "java.util.concurrent.FutureTask",
    "java.util.concurrent.RunnableFuture",
    "java.util.concurrent.RunnableScheduledFuture",
    "java.util.concurrent.ScheduledExecutorService",
    "java.util.concurrent.ScheduledFuture",
    "java.util.concurrent.ThreadFactory",
    "java.util.concurrent.ThreadPoolExecutor",
    "java.util.concurrent.locks.Condition",
    "java.util.concurrent.locks.Lock",
    "java.util.concurrent.locks.ReadWriteLock",
    "java.util.function.BooleanSupplier",
    "kotlin.collections.AbstractMutableCollection",
    "kotlin.collections.AbstractMutableList",
    "kotlin.collections.AbstractMutableMap",
    "kotlin.collections.AbstractMutableSet",
    "kotlin.coroutines.Continuation",
    "kotlin.coroutines.ContinuationInterceptor",
    "kotlin.coroutines.CoroutineContext",
    "kotlin.coroutines.CoroutineContext$Element",
    "kotlin.coroutines.CoroutineContext$Key",
    "kotlin.coroutines.jvm.internal.CoroutineStackFrame",
    "org.reactivestreams.Processor",
    "org.reactivestreams.Publisher",
    "org.reactivestreams.Subscriber",
    "org.reactivestreams.Subscription",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ascend() {
        assert!(NOT_SERIALIZABLE.is_sorted());
    }
}
