// A null updater comes before a wrong new value, before a wrong holder, and before a null function.
package initialisation;

import check.Out;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

@SuppressWarnings({"unchecked", "rawtypes"})
class NullUpdaterAndWrongValue {
    static class Base {
        static {
            Out.line("before");
            Derived.all();
        }
    }

    static class Derived extends Base {
        volatile Number number = 1;
        private static final AtomicReferenceFieldUpdater NUMBER =
                AtomicReferenceFieldUpdater.newUpdater(Derived.class, Number.class, "number"); //> removed

        static void all() {
            for (Object holder : new Object[] {new Derived(), null, "text"}) {
                for (Object value : new Object[] {2, "text", null}) {
                    Out.line(name(holder) + " " + name(value));
                    use(holder, value);
                }
                Out.show("no function", () -> update(holder, null));
                Out.show("no functions", () -> accumulate(holder, "text", null));
            }
        }

        static String name(Object it) {
            return it == null ? "null" : it.getClass().getSimpleName();
        }

        static void use(Object holder, Object value) {
            Out.show("set", () -> set(holder, value));
            Out.show("lazySet", () -> lazySet(holder, value));
            Out.show("compareAndSet", () -> compareAndSet(holder, value));
            Out.show("getAndSet", () -> getAndSet(holder, value));
            Out.show("update", () -> update(holder, seen -> value));
            Out.show("accumulate", () -> accumulate(holder, value, (seen, by) -> by));
            Out.show("get", () -> NUMBER.get(holder)); //> replaced: checks that the updater is assigned, checks the holder
        }

        static String set(Object holder, Object value) {
            NUMBER.set(holder, value); //> replaced: checks that the updater is assigned, checks the holder, checks the new value
            return "done";
        }

        static String lazySet(Object holder, Object value) {
            NUMBER.lazySet(holder, value); //> replaced: checks that the updater is assigned, checks the holder, checks the new value
            return "done";
        }

        static boolean compareAndSet(Object holder, Object value) {
            return NUMBER.compareAndSet(holder, "other", value); //> replaced: checks that the updater is assigned, checks the holder, checks the new value
        }

        static Object getAndSet(Object holder, Object value) {
            return NUMBER.getAndSet(holder, value); //> replaced: checks that the updater is assigned, checks the holder, checks the new value
        }

        static Object update(Object holder, UnaryOperator function) {
            return NUMBER.updateAndGet(holder, function); //> replaced: checks that the updater is assigned, checks the holder
        }

        static Object accumulate(Object holder, Object by, BinaryOperator function) {
            return NUMBER.getAndAccumulate(holder, by, function); //> replaced: checks that the updater is assigned, checks the holder
        }
    }

    public static void main(String[] args) {
        new Derived();
        Out.line("after");
        Derived.all();
    }
}
