// Longs and doubles below, between and above the call's operands, and in locals around it.
package control;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

class WideAround {
    volatile long l = 1;
    volatile int i = 1;
    private static final AtomicLongFieldUpdater<WideAround> L =
            AtomicLongFieldUpdater.newUpdater(WideAround.class, "l"); //> removed
    private static final AtomicIntegerFieldUpdater<WideAround> I =
            AtomicIntegerFieldUpdater.newUpdater(WideAround.class, "i"); //> removed

    double mixed(double a, long b, double c) {
        double d = a * 2;
        long e = b + L.getAndAdd(this, b) * 3; //> replaced
        return d + (c - L.incrementAndGet(this)) * e + (I.compareAndSet(this, (int) a, (int) b) ? a : c); //> replaced
    }

    static double given(WideAround it, double a, long b) {
        return a + I.getAndIncrement(it) * a - L.addAndGet(it, a > 1 ? b : -b) / a; //> replaced: checks the holder
    }

    long chained() {
        return L.addAndGet(this, L.addAndGet(this, L.getAndSet(this, 3L + L.get(this)))); //> replaced
    }

    static long compared(WideAround it, long a, long b) {
        return L.compareAndSet(it, a < b ? a : b, L.compareAndSet(it, b, a) ? b : a) ? it.l : -it.l; //> replaced
    }

    public static void main(String[] args) {
        WideAround it = new WideAround();
        Out.line(it.mixed(1.5, 40L, 2.25) + " " + it.l + " " + it.i);
        Out.line(given(it, 4.5, 1L << 50) + " " + given(it, 0.5, 7) + " " + it.l + " " + it.i);
        Out.show("null", () -> given(null, 1, 2));
        Out.line(it.chained() + " " + it.l);
        it.l = 5;
        Out.line(compared(it, 9, 5) + " " + compared(it, 9, 5) + " " + compared(it, 1, 2));
    }
}
