// New values of a wrong class by way of raw types: ClassCastException, even when the compare would fail.
package values;

import check.Out;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

@SuppressWarnings({"unchecked", "rawtypes"})
class WrongClass {
    volatile Number number = 1;
    volatile Runnable runnable;
    volatile Number[] numbers;
    volatile Runnable[] runnables;
    volatile int[] ints;
    private static final AtomicReferenceFieldUpdater NUMBER =
            AtomicReferenceFieldUpdater.newUpdater(WrongClass.class, Number.class, "number"); //> removed
    private static final AtomicReferenceFieldUpdater RUNNABLE =
            AtomicReferenceFieldUpdater.newUpdater(WrongClass.class, Runnable.class, "runnable"); //> removed
    private static final AtomicReferenceFieldUpdater NUMBERS =
            AtomicReferenceFieldUpdater.newUpdater(WrongClass.class, Number[].class, "numbers"); //> removed
    private static final AtomicReferenceFieldUpdater RUNNABLES =
            AtomicReferenceFieldUpdater.newUpdater(WrongClass.class, Runnable[].class, "runnables"); //> removed
    private static final AtomicReferenceFieldUpdater INTS =
            AtomicReferenceFieldUpdater.newUpdater(WrongClass.class, int[].class, "ints"); //> removed

    static void everyOperation(WrongClass it, Object value) {
        Out.show("compareAndSet", () -> NUMBER.compareAndSet(it, 1, value)); //> replaced: checks the holder, checks the new value
        Out.show("compareAndSet fails", () -> NUMBER.compareAndSet(it, "other", value)); //> replaced: checks the new value
        Out.show("weakCompareAndSet", () -> NUMBER.weakCompareAndSet(it, 1, value)); //> replaced: checks the new value
        Out.show("set", () -> { NUMBER.set(it, value); return "done"; }); //> replaced: checks the new value
        Out.show("lazySet", () -> { NUMBER.lazySet(it, value); return "done"; }); //> replaced: checks the new value
        Out.show("getAndSet", () -> NUMBER.getAndSet(it, value)); //> replaced: checks the new value
        Out.show("getAndUpdate", () -> NUMBER.getAndUpdate(it, v -> Out.say("called", value))); //> replaced
        Out.show("updateAndGet", () -> NUMBER.updateAndGet(it, v -> Out.say("called", value))); //> replaced
        Out.show("getAndAccumulate", () -> NUMBER.getAndAccumulate(it, value, (v, by) -> Out.say("called", by))); //> replaced
        Out.show("accumulateAndGet", () -> NUMBER.accumulateAndGet(it, value, (v, by) -> Out.say("called", by))); //> replaced
        Out.line(it == null ? null : it.number);
    }

    static void others(WrongClass it, Object value) {
        Out.show("runnable", () -> { RUNNABLE.set(it, value); return it.runnable == value; }); //> replaced: checks the new value
        Out.show("numbers", () -> { NUMBERS.lazySet(it, value); return it.numbers == value; }); //> replaced: checks the new value
        Out.show("runnables", () -> RUNNABLES.getAndSet(it, value) == null); //> replaced: checks the new value
        Out.show("ints", () -> INTS.compareAndSet(it, null, value)); //> replaced: checks the new value
    }

    /** An interface in the source proves nothing: the verifier lets anything pass as one. */
    static boolean claimed(WrongClass it, Object value) {
        Runnable claimed = ((java.util.List<Runnable>) value).get(0);
        return RUNNABLE.compareAndSet(it, null, claimed); //> replaced
    }

    void thisHolder(Object value) {
        Out.show("this", () -> RUNNABLE.compareAndSet(this, runnable, value)); //> replaced: checks the new value
        NUMBER.set(this, value); //> replaced: checks the new value
    }

    public static void main(String[] args) {
        WrongClass it = new WrongClass();
        everyOperation(it, "text");
        everyOperation(it, new Object[0]);
        everyOperation(it, null);
        everyOperation(it, 2L);
        everyOperation(null, "text");
        Object[] values = {"text", new Integer[1], new Object[1], new int[1], new Thread[1], new Thread(), new long[1], null};
        for (Object value : values) {
            Out.line(value == null ? null : value.getClass().getSimpleName());
            others(it, value);
        }
        it.runnable = null;
        Out.show("claimed", () -> claimed(it, java.util.Arrays.asList((Object) new Thread())));
        Out.show("claimed", () -> claimed(it, java.util.Arrays.asList((Object) "text")));
        Out.show("this", () -> { it.thisHolder("text"); return it.number; });
        Out.show("this", () -> { it.thisHolder(9); return it.number; });
    }
}
