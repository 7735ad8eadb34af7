// Without lambdas, so that it also exists at class version 50: nested classes, bridges, constants, handlers.
// versions: 50
package classes;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Old {
    private volatile int i;
    volatile long l;
    volatile Object r;
    private static final AtomicIntegerFieldUpdater<Old> I = AtomicIntegerFieldUpdater.newUpdater(Old.class, "i"); //> any
    static final AtomicLongFieldUpdater<Old> L = AtomicLongFieldUpdater.newUpdater(Old.class, "l");
    private static final AtomicReferenceFieldUpdater<Old, Object> R =
            AtomicReferenceFieldUpdater.newUpdater(Old.class, Object.class, "r"); //> removed

    boolean own(boolean which) {
        return I.compareAndSet(this, which ? i : -1, 5) && R.compareAndSet(this, null, which ? this : "text"); //> replaced
    }

    static class Nested {
        static int hit(Old it) {
            try {
                return I.incrementAndGet(it) + (int) L.addAndGet(it, 1L << 20); //> replaced
            } catch (ClassCastException e) {
                return -1;
            }
        }

        static void set(Old it, boolean which) {
            I.set(it, which ? 8 : 9); //> replaced
        }
    }

    public static void main(String[] args) {
        Old it = new Old();
        System.out.println(it.own(true) + " " + it.own(false) + " " + it.i + " " + (it.r == it));
        System.out.println(Nested.hit(it) + " " + Nested.hit(null));
        Nested.set(it, true);
        System.out.println(it.i + " " + it.l);
    }
}
