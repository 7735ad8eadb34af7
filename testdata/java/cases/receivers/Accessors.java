// Static accessors: private, synthetic, of another class, one that calls another; instance accessors with one answer.
package receivers;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Accessors {
    private volatile int x;
    private static final AtomicIntegerFieldUpdater<Accessors> X = AtomicIntegerFieldUpdater.newUpdater(Accessors.class, "x");

    private static AtomicIntegerFieldUpdater<Accessors> get_x$FU() {
        return X;
    }

    private static AtomicIntegerFieldUpdater<Accessors> chained() {
        return get_x$FU();
    }

    /** At class version 52 this reads the updater by a bridge of the outer class. */
    static class Nested {
        int hit(Accessors it) {
            return X.incrementAndGet(it) + get_x$FU().incrementAndGet(it) + chained().incrementAndGet(it); //> replaced
        }

        int get(Accessors it) {
            return get_x$FU().get(it); //> replaced
        }
    }

    private AtomicIntegerFieldUpdater<Accessors> instance() {
        return X;
    }

    int virtual() {
        return instance().addAndGet(this, 10); //> any
    }

    static int onNull(Accessors it) {
        return it.instance().addAndGet(it, 10); //> any
    }

    private static AtomicIntegerFieldUpdater<Accessors> noisy() {
        Out.line("noisy");
        return X;
    }

    int byNoisy() {
        return noisy().addAndGet(this, 100); //> any
    }

    public static void main(String[] args) {
        Accessors it = new Accessors();
        Out.line(new Nested().hit(it) + " " + new Nested().get(it) + " " + it.virtual());
        Out.show("null", () -> new Nested().hit(null));
        Out.show("null get", () -> new Nested().get(null));
        Out.show("null accessor", () -> onNull(null));
        Out.line(it.byNoisy());
    }
}
