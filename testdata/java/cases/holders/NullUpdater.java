// While the updater is null every call is a NullPointerException, after its arguments and before the holder is checked.
package holders;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class NullUpdater {
    static class Base {
        static {
            Out.line("before");
            use();
        }

        static void use() {
            Derived.use(new Derived());
            Derived.use(null);
        }
    }

    static class Derived extends Base {
        private volatile int i;
        private volatile String r;
        private static final AtomicIntegerFieldUpdater<Derived> I =
                AtomicIntegerFieldUpdater.newUpdater(Derived.class, "i"); //> removed
        private static final AtomicReferenceFieldUpdater<Derived, String> R =
                AtomicReferenceFieldUpdater.newUpdater(Derived.class, String.class, "r"); //> removed

        static void use(Derived it) {
            Out.line(it == null ? "null" : "an object");
            Out.show("get", () -> I.get(it)); //> replaced: checks that the updater is assigned
            Out.show("set", () -> { I.set(it, Out.say("new", 5)); return "done"; }); //> replaced: checks that the updater is assigned
            Out.show("compareAndSet", () -> I.compareAndSet(it, Out.say("old", 5), Out.say("new", 6))); //> replaced: checks that the updater is assigned
            Out.show("getAndIncrement", () -> I.getAndIncrement(it)); //> replaced: checks that the updater is assigned
            Out.show("addAndGet", () -> I.addAndGet(it, Out.say("by", 3))); //> replaced: checks that the updater is assigned
            Out.show("updateAndGet", () -> I.updateAndGet(it, v -> Out.say("called", v))); //> replaced: checks that the updater is assigned
            Out.show("get", () -> R.get(it)); //> replaced: checks that the updater is assigned
            Out.show("set", () -> { R.set(it, Out.say("new", "n")); return "done"; }); //> replaced: checks that the updater is assigned
            Out.show("lazySet", () -> { R.lazySet(it, Out.say("new", "o")); return "done"; }); //> replaced: checks that the updater is assigned
            Out.show("compareAndSet", () -> R.compareAndSet(it, Out.say("old", "o"), Out.say("new", "p"))); //> replaced: checks that the updater is assigned
            Out.show("getAndSet", () -> R.getAndSet(it, Out.say("new", "q"))); //> replaced: checks that the updater is assigned
            Out.show("getAndUpdate", () -> R.getAndUpdate(it, v -> Out.say("called", v))); //> replaced: checks that the updater is assigned
            Out.show("accumulateAndGet", () -> R.accumulateAndGet(it, "s", (v, by) -> Out.say("called", by))); //> replaced: checks that the updater is assigned
        }
    }

    public static void main(String[] args) {
        Out.line("start");
        new Derived();
        Out.line("after");
        Base.use();
    }
}
