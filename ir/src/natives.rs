//! The natives: every method that the class library leaves to the engine, and what each one means.
//!
//! The interpreter implements them, and so does the run time of compiled code; both go by this list, so that neither
//! can have one that the other lacks. A test keeps the list and the `native` methods of `ir/lib` the same. What an
//! engine does besides (class objects, literals, the exceptions that instructions throw) is said at the top of
//! `ir/lib/lang.ir`.

use crate::entity::{Func, SecondaryMap, Sig};
use crate::module::{ClassOrigin, Flags, Module};
use crate::types::Type;

macro_rules! natives {
    ($($(#[$doc:meta])* $name:ident = $class:literal $method:literal $signature:literal;)*) => {
        /// A native method of the class library.
        ///
        /// Arguments are checked by the engine only where an exception is named here; the library's own code sees to
        /// the rest. `this` is never null.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Native {
            $($(#[$doc])* $name,)*
        }

        impl Native {
            /// Every native, in the order of the table.
            pub const ALL: &'static [Native] = &[$(Native::$name),*];

            /// The method that this is.
            pub fn info(self) -> &'static NativeInfo {
                const TABLE: &[NativeInfo] =
                    &[$(NativeInfo { class: $class, method: $method, signature: $signature }),*];
                &TABLE[self as usize]
            }
        }
    };
}

/// A row of the table of natives.
#[derive(Clone, Copy, Debug)]
pub struct NativeInfo {
    /// The full name of the class.
    pub class: &'static str,
    /// The name of the method.
    pub method: &'static str,
    /// The signature as the text has it, library classes by their last part: `(Object, i32): String`.
    pub signature: &'static str,
}

natives! {
    /// The class of an object; of an array, the array class.
    GetClass = "java.lang.Object" "getClass" "(): Class";
    /// A shallow copy of an array or of an object whose class implements `Cloneable`, without running a constructor;
    /// else `CloneNotSupportedException` with the class's name as message.
    Clone = "java.lang.Object" "clone" "(): Object";
    /// Gives up the object's monitor and waits for a notification, an interrupt, or so many milliseconds (0: without a
    /// limit). `IllegalArgumentException` ("timeout value is negative"), `IllegalMonitorStateException` ("current
    /// thread is not owner") without the monitor, `InterruptedException` (which clears the flag).
    Wait = "java.lang.Object" "wait" "(i64)";
    /// Wakes one waiting thread; `IllegalMonitorStateException` as `wait`.
    Notify = "java.lang.Object" "notify" "()";
    /// Wakes all waiting threads; `IllegalMonitorStateException` as `wait`.
    NotifyAll = "java.lang.Object" "notifyAll" "()";

    /// The class's name as Java gives it: `java.lang.Object`, `int`, `[I`, `[Ljava.lang.String;`.
    ClassName = "java.lang.Class" "getName" "(): String";
    /// Whether a reference is not null and an instance of the type; false for primitive types.
    IsInstance = "java.lang.Class" "isInstance" "(Object): bool";
    /// Whether the argument is this type or a subtype; for primitive types only itself. Null is
    /// `NullPointerException`.
    IsAssignableFrom = "java.lang.Class" "isAssignableFrom" "(Class): bool";
    /// The superclass; null for `Object`, interfaces and primitive types; `Object` for arrays.
    Superclass = "java.lang.Class" "getSuperclass" "(): Class";
    /// The flags of the declaration; `public final abstract` for primitive types; for arrays, those of the innermost
    /// element's access with `final abstract`.
    Modifiers = "java.lang.Class" "getModifiers" "(): i32";
    /// The nest host; the class itself if it has none, is of a version before 55, or is no declared class.
    NestHost = "java.lang.Class" "getNestHost" "(): Class";
    /// Looks for a field that this very class declares. If there is one, fills in `Field.type`, `Field.modifiers` and,
    /// for an instance field, `Field.offset`, and answers true.
    FindField = "java.lang.Class" "findField" "(String, Field): bool";
    /// The class of the method that called the caller of this method.
    CallerClass = "jdk.internal.reflect.Reflection" "getCallerClass" "(): Class";

    /// The one string of this content that literals are, too.
    Intern = "java.lang.String" "intern" "(): String";

    /// A number that belongs to the object alone, as far as possible, and never changes; 0 for null.
    IdentityHashCode = "java.lang.System" "identityHashCode" "(Object): i32";
    /// Copies elements, as if through a third array where the two overlap. `NullPointerException`;
    /// `ArrayStoreException` if either is no array, if the element types differ and one is primitive, or at the first
    /// element that does not fit (those before it are copied); `ArrayIndexOutOfBoundsException` before any copy.
    ArrayCopy = "java.lang.System" "arraycopy" "(Object, i32, Object, i32, i32)";
    /// A clock in nanoseconds that never goes back.
    NanoTime = "java.lang.System" "nanoTime" "(): i64";
    /// The milliseconds since 1970.
    CurrentTimeMillis = "java.lang.System" "currentTimeMillis" "(): i64";
    /// Ends the program with this status.
    Exit = "java.lang.System" "exit" "(i32)";
    /// Writes a string, never null, in UTF-8 to the output (1) or the error console (2), in one piece. Lone surrogates
    /// become `?`.
    Write = "java.io.PrintStream" "write" "(i32, String)";

    /// The shortest decimal that reads back as this `f32`, laid out as `Float.toString` does since JDK 19.
    FloatToString = "java.lang.Float" "toString" "(f32): String";
    /// The bits.
    FloatToBits = "java.lang.Float" "floatToRawIntBits" "(f32): i32";
    /// The value of the bits.
    FloatFromBits = "java.lang.Float" "intBitsToFloat" "(i32): f32";
    /// The shortest decimal that reads back as this `f64`, laid out as `Double.toString` does since JDK 19.
    DoubleToString = "java.lang.Double" "toString" "(f64): String";
    /// The bits.
    DoubleToBits = "java.lang.Double" "doubleToRawLongBits" "(f64): i64";
    /// The value of the bits.
    DoubleFromBits = "java.lang.Double" "longBitsToDouble" "(i64): f64";
    /// The correctly rounded square root.
    Sqrt = "java.lang.Math" "sqrt" "(f64): f64";

    /// One number for each frame of the calling thread, innermost first, without `fillInStackTrace`, the constructors
    /// that run on this object and `Thread.runToEnd`; null if the engine keeps no traces.
    CaptureStack = "java.lang.Throwable" "captureStack" "(): i64[]";
    /// A frame in words: `com.acme.Queue.push(Queue.java:12)`, `(Queue.java)` without a line, `(Unknown Source)`
    /// without a file.
    DescribeFrame = "java.lang.Throwable" "describeFrame" "(i64): String";

    /// The thread that runs.
    CurrentThread = "java.lang.Thread" "currentThread" "(): Thread";
    /// Starts a thread that runs `Thread.runToEnd` on this object. Called once for each object.
    StartThread = "java.lang.Thread" "start0" "()";
    /// Whether the thread was started and has not ended.
    IsAlive = "java.lang.Thread" "isAlive" "(): bool";
    /// Waits until the thread has ended, or so many nanoseconds (0: without a limit); returns at once if it was never
    /// started. `InterruptedException`, which clears the flag.
    JoinThread = "java.lang.Thread" "join0" "(i64)";
    /// Sets the interrupt flag and wakes the thread from wait, join, sleep and park.
    Interrupt = "java.lang.Thread" "interrupt0" "()";
    /// The interrupt flag; cleared if the argument is true.
    TestInterrupt = "java.lang.Thread" "testInterrupt" "(bool): bool";
    /// Lets others run.
    YieldThread = "java.lang.Thread" "yield" "()";
    /// Waits so many nanoseconds; `InterruptedException`, which clears the flag.
    Sleep = "java.lang.Thread" "sleep0" "(i64)";
    /// Takes the running thread's permit; waits for it, an interrupt, or so many nanoseconds (0: without a limit).
    Park = "java.util.concurrent.locks.LockSupport" "park0" "(i64)";
    /// Gives a thread, never null, its permit.
    Unpark = "java.util.concurrent.locks.LockSupport" "unpark0" "(Thread)";
}

/// The native that each native method of the class library is.
///
/// Native methods of the program have no entry: calling one throws `UnsatisfiedLinkError`.
pub fn natives_of(module: &Module) -> SecondaryMap<Func, Option<Native>> {
    let mut natives = SecondaryMap::with_len(module.funcs.len(), None);
    for (func, data) in module.funcs.iter() {
        let class = &module.classes[data.class];
        if class.origin != ClassOrigin::Library || !data.flags.has(Flags::NATIVE) {
            continue;
        }
        let signature = signature_text(module, data.sig);
        natives[func] = Native::ALL.iter().copied().find(|native| {
            let info = native.info();
            info.class == module.name(class.name)
                && info.method == module.name(data.name)
                && info.signature == signature
        });
    }
    natives
}

fn signature_text(module: &Module, sig: Sig) -> String {
    let sig = module.sig(sig);
    let params: Vec<String> = sig.params.iter().map(|&ty| type_text(module, ty)).collect();
    let ret = sig.ret.map(|ty| format!(": {}", type_text(module, ty))).unwrap_or_default();
    format!("({}){ret}", params.join(", "))
}

fn type_text(module: &Module, ty: Type) -> String {
    match ty {
        Type::Class(class) => module.class_name(class).rsplit('.').next().unwrap_or_default().to_owned(),
        Type::Array(array) => format!("{}[]", type_text(module, module.array_element(array))),
        primitive => primitive.primitive_name().unwrap_or("null").to_owned(),
    }
}
