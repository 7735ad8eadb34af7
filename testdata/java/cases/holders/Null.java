// A null holder is a ClassCastException for every operation, after the arguments were evaluated.
package holders;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Null {
    volatile int i;
    volatile long l;
    volatile String r;
    private static final AtomicIntegerFieldUpdater<Null> I = AtomicIntegerFieldUpdater.newUpdater(Null.class, "i"); //> removed
    private static final AtomicLongFieldUpdater<Null> L = AtomicLongFieldUpdater.newUpdater(Null.class, "l"); //> removed
    private static final AtomicReferenceFieldUpdater<Null, String> R =
            AtomicReferenceFieldUpdater.newUpdater(Null.class, String.class, "r"); //> removed

    static void integer(Null it) {
        Out.show("get", () -> I.get(it)); //> replaced: checks the holder
        Out.show("set", () -> { I.set(it, Out.say("new", 1)); return "done"; }); //> replaced: checks the holder
        Out.show("lazySet", () -> { I.lazySet(it, Out.say("new", 1)); return "done"; }); //> replaced: checks the holder
        Out.show("compareAndSet", () -> I.compareAndSet(it, Out.say("old", 0), Out.say("new", 1))); //> replaced: checks the holder
        Out.show("weakCompareAndSet", () -> I.weakCompareAndSet(it, Out.say("old", 0), Out.say("new", 1))); //> replaced: checks the holder
        Out.show("getAndSet", () -> I.getAndSet(it, Out.say("new", 1))); //> replaced: checks the holder
        Out.show("getAndIncrement", () -> I.getAndIncrement(it)); //> replaced: checks the holder
        Out.show("decrementAndGet", () -> I.decrementAndGet(it)); //> replaced: checks the holder
        Out.show("addAndGet", () -> I.addAndGet(it, Out.say("by", 1))); //> replaced: checks the holder
        Out.show("updateAndGet", () -> I.updateAndGet(it, Out.say("function", v -> Out.say("called", v)))); //> replaced: checks the holder
        Out.show("getAndAccumulate", () -> I.getAndAccumulate(it, Out.say("by", 1), (v, by) -> Out.say("called", v))); //> replaced: checks the holder
    }

    static void wide(Null it) {
        Out.show("get", () -> L.get(it)); //> replaced: checks the holder
        Out.show("set", () -> { L.set(it, Out.say("new", 1L)); return "done"; }); //> replaced: checks the holder
        Out.show("lazySet", () -> { L.lazySet(it, Out.say("new", 1L)); return "done"; }); //> replaced: checks the holder
        Out.show("compareAndSet", () -> L.compareAndSet(it, Out.say("old", 0L), Out.say("new", 1L))); //> replaced: checks the holder
        Out.show("weakCompareAndSet", () -> L.weakCompareAndSet(it, Out.say("old", 0L), Out.say("new", 1L))); //> replaced: checks the holder
        Out.show("getAndSet", () -> L.getAndSet(it, Out.say("new", 1L))); //> replaced: checks the holder
        Out.show("incrementAndGet", () -> L.incrementAndGet(it)); //> replaced: checks the holder
        Out.show("getAndDecrement", () -> L.getAndDecrement(it)); //> replaced: checks the holder
        Out.show("getAndAdd", () -> L.getAndAdd(it, Out.say("by", 1L))); //> replaced: checks the holder
        Out.show("getAndUpdate", () -> L.getAndUpdate(it, v -> Out.say("called", v))); //> replaced: checks the holder
        Out.show("accumulateAndGet", () -> L.accumulateAndGet(it, Out.say("by", 1L), (v, by) -> Out.say("called", v))); //> replaced: checks the holder
    }

    static void reference(Null it) {
        Out.show("get", () -> R.get(it)); //> replaced: checks the holder
        Out.show("set", () -> { R.set(it, Out.say("new", "n")); return "done"; }); //> replaced: checks the holder
        Out.show("lazySet", () -> { R.lazySet(it, Out.say("new", "n")); return "done"; }); //> replaced: checks the holder
        Out.show("compareAndSet", () -> R.compareAndSet(it, Out.say("old", null), Out.say("new", "n"))); //> replaced: checks the holder
        Out.show("weakCompareAndSet", () -> R.weakCompareAndSet(it, Out.say("old", null), Out.say("new", "n"))); //> replaced: checks the holder
        Out.show("getAndSet", () -> R.getAndSet(it, Out.say("new", "n"))); //> replaced: checks the holder
        Out.show("getAndUpdate", () -> R.getAndUpdate(it, v -> Out.say("called", v))); //> replaced: checks the holder
        Out.show("accumulateAndGet", () -> R.accumulateAndGet(it, Out.say("by", "b"), (v, by) -> Out.say("called", v))); //> replaced: checks the holder
    }

    public static void main(String[] args) {
        for (Null it : new Null[] {null, new Null()}) {
            Out.line(it == null ? "null" : "an object");
            integer(it);
            wide(it);
            reference(it);
        }
    }
}
