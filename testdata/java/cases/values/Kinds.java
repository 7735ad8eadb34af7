// New values that fit: null, subclasses, arrays, interfaces; expected values of any type at all.
package values;

import check.Out;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

@SuppressWarnings({"unchecked", "rawtypes"})
class Kinds implements Runnable {
    volatile Number number;
    volatile Runnable runnable;
    volatile int[] ints;
    volatile Number[] numbers;
    volatile Runnable[][] runnables;
    volatile Object any;
    private static final AtomicReferenceFieldUpdater<Kinds, Number> NUMBER =
            AtomicReferenceFieldUpdater.newUpdater(Kinds.class, Number.class, "number"); //> removed
    private static final AtomicReferenceFieldUpdater<Kinds, Runnable> RUNNABLE =
            AtomicReferenceFieldUpdater.newUpdater(Kinds.class, Runnable.class, "runnable"); //> removed
    private static final AtomicReferenceFieldUpdater<Kinds, int[]> INTS =
            AtomicReferenceFieldUpdater.newUpdater(Kinds.class, int[].class, "ints"); //> removed
    private static final AtomicReferenceFieldUpdater<Kinds, Number[]> NUMBERS =
            AtomicReferenceFieldUpdater.newUpdater(Kinds.class, Number[].class, "numbers"); //> removed
    private static final AtomicReferenceFieldUpdater<Kinds, Runnable[][]> RUNNABLES =
            AtomicReferenceFieldUpdater.newUpdater(Kinds.class, Runnable[][].class, "runnables"); //> removed
    private static final AtomicReferenceFieldUpdater<Kinds, Object> ANY =
            AtomicReferenceFieldUpdater.newUpdater(Kinds.class, Object.class, "any"); //> removed

    @Override
    public void run() {}

    void fitting() {
        Out.line(NUMBER.compareAndSet(this, null, Integer.valueOf(5)) + " " + number); //> replaced
        Out.line(NUMBER.getAndSet(this, 2.5) + " " + number); //> replaced
        Out.line(NUMBER.getAndSet(this, null) + " " + number); //> replaced
        Out.line(RUNNABLE.compareAndSet(this, null, this) + " " + (runnable == this)); //> replaced
        Out.line((RUNNABLE.getAndSet(this, () -> {}) == this) + " " + (runnable == this)); //> replaced
        Out.line(INTS.compareAndSet(this, null, new int[] {4}) + " " + ints[0]); //> replaced
        Out.line(NUMBERS.getAndSet(this, new Integer[2]) + " " + numbers.length); //> replaced
        Out.line(RUNNABLES.getAndSet(this, new Kinds[3][1]) + " " + runnables.length); //> replaced
        Out.line(ANY.getAndSet(this, ints) + " " + (any == ints)); //> replaced
        Out.line(ANY.compareAndSet(this, ints, "text") + " " + any); //> replaced
    }

    /** What was read from the field fits the field. */
    void moved(Kinds from) {
        NUMBER.lazySet(this, NUMBER.get(from)); //> replaced
        INTS.lazySet(this, from.ints); //> replaced
        Out.line(number + " " + ints);
    }

    static boolean expects(Kinds it, Object old) {
        return ((AtomicReferenceFieldUpdater) NUMBER).compareAndSet(it, old, 7L); //> replaced
    }

    static boolean expectsArray(Kinds it, Object old) {
        return ((AtomicReferenceFieldUpdater) INTS).weakCompareAndSet(it, old, null); //> replaced
    }

    public static void main(String[] args) throws Exception {
        Kinds it = new Kinds();
        it.fitting();
        it.moved(new Kinds());
        it.number = 6;
        Out.show("expects text", () -> expects(it, "text"));
        Out.show("expects an array", () -> expects(it, new int[0]));
        Out.show("expects another", () -> expects(it, 8));
        Out.show("expects null", () -> expects(it, null));
        Out.show("expects it", () -> expects(it, it.number));
        Out.line(it.number);
        it.ints = new int[1];
        Out.show("expects text", () -> expectsArray(it, "text"));
        Out.show("expects another array", () -> expectsArray(it, new long[1]));
        Out.show("expects it", () -> expectsArray(it, it.ints));
        Callable<Object> boxed = () -> NUMBER.accumulateAndGet(it, 1, (a, b) -> a.intValue() + b.intValue()); //> replaced
        Out.line(boxed.call());
    }
}
