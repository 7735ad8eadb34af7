// The updater is a parameter: of a private method that always gets the same, or two, of a chain, of a lambda.
package receivers;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.IntSupplier;
import java.util.function.ToIntBiFunction;

class Parameters {
    volatile int x;
    volatile int y;
    volatile long l;
    private static final AtomicIntegerFieldUpdater<Parameters> X = AtomicIntegerFieldUpdater.newUpdater(Parameters.class, "x");
    private static final AtomicIntegerFieldUpdater<Parameters> Y = AtomicIntegerFieldUpdater.newUpdater(Parameters.class, "y");
    private static final AtomicIntegerFieldUpdater<Parameters> ONLY = AtomicIntegerFieldUpdater.newUpdater(Parameters.class, "x"); //> removed
    private static final AtomicLongFieldUpdater<Parameters> L = AtomicLongFieldUpdater.newUpdater(Parameters.class, "l");

    private static int one(Parameters it, AtomicIntegerFieldUpdater<Parameters> updater, long wide) {
        return updater.addAndGet(it, (int) wide); //> replaced
    }

    private int handedOn(AtomicIntegerFieldUpdater<Parameters> updater, boolean again) {
        return again ? handedOn(updater, false) * 10 : updater.getAndIncrement(this); //> replaced
    }

    private static int two(AtomicIntegerFieldUpdater<Parameters> updater, Parameters it) {
        return updater.incrementAndGet(it); //> any
    }

    /** As in reactor: a public helper that adds up to a cap. */
    public static long addCap(AtomicLongFieldUpdater<Parameters> updater, Parameters it, long by) {
        for (;;) {
            long seen = updater.get(it); //> any
            if (updater.compareAndSet(it, seen, Math.min(1L << 40, seen + by))) { //> any
                return seen;
            }
        }
    }

    int captured() {
        AtomicIntegerFieldUpdater<Parameters> updater = X;
        IntSupplier hit = () -> updater.incrementAndGet(this); //> any
        return hit.getAsInt() + hit.getAsInt();
    }

    int lambda() {
        IntSupplier hit = () -> X.incrementAndGet(this); //> replaced
        return hit.getAsInt();
    }

    static int reference(Parameters it) {
        ToIntBiFunction<AtomicIntegerFieldUpdater<Parameters>, Parameters> get = AtomicIntegerFieldUpdater::getAndIncrement;
        return get.applyAsInt(Y, it);
    }

    static int bound(Parameters it) {
        java.util.function.ToIntFunction<Parameters> get = Y::incrementAndGet;
        return get.applyAsInt(it);
    }

    public static void main(String[] args) {
        Parameters it = new Parameters();
        Out.line(one(it, ONLY, 5L) + " " + it.handedOn(ONLY, true) + " " + it.handedOn(ONLY, false));
        Out.line(two(X, it) + " " + two(Y, it));
        Out.line(addCap(L, it, 1L << 39) + " " + addCap(L, it, 1L << 40) + " " + addCap(L, it, 1) + " " + it.l);
        Out.line(it.captured() + " " + it.lambda() + " " + reference(it) + " " + bound(it));
        Out.show("null", () -> one(null, ONLY, 5L));
        Out.show("null", () -> two(Y, null));
        Out.show("null", () -> reference(null));
        Out.show("null", () -> bound(null));
        Out.show("null updater", () -> two(null, it));
        Out.line(it.x + " " + it.y);
    }
}
