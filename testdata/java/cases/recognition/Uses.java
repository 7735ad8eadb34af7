// Updaters that are compared, printed or handed out stay, while calls of them are replaced; two updaters on one field.
package recognition;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

class Uses {
    volatile int x;
    volatile long y$offset;
    volatile long y;
    private static final AtomicIntegerFieldUpdater<Uses> COMPARED = AtomicIntegerFieldUpdater.newUpdater(Uses.class, "x");
    private static final AtomicIntegerFieldUpdater<Uses> PRINTED = AtomicIntegerFieldUpdater.newUpdater(Uses.class, "x");
    private static final AtomicIntegerFieldUpdater<Uses> HANDED_OUT = AtomicIntegerFieldUpdater.newUpdater(Uses.class, "x");
    private static final AtomicIntegerFieldUpdater<Uses> UNUSED = AtomicIntegerFieldUpdater.newUpdater(Uses.class, "x"); //> removed
    private static final AtomicIntegerFieldUpdater<Uses> FIRST = AtomicIntegerFieldUpdater.newUpdater(Uses.class, "x"); //> removed
    private static final AtomicIntegerFieldUpdater<Uses> SECOND = AtomicIntegerFieldUpdater.newUpdater(Uses.class, "x"); //> removed
    private static final AtomicLongFieldUpdater<Uses> Y = AtomicLongFieldUpdater.newUpdater(Uses.class, "y"); //> removed
    private static final AtomicLongFieldUpdater<Uses> Y$offset = AtomicLongFieldUpdater.newUpdater(Uses.class, "y$offset"); //> removed
    private static final long FIRST$offset = 7;
    private static final Object SECOND$offset = new StringBuilder("mine");

    static boolean compared(Object other, Uses it) {
        COMPARED.incrementAndGet(it); //> replaced
        return COMPARED == other;
    }

    static String printed(Uses it) {
        PRINTED.incrementAndGet(it); //> replaced
        return String.valueOf(PRINTED).replaceAll("[@$].*", "");
    }

    static AtomicIntegerFieldUpdater<Uses> handedOut(Uses it) {
        HANDED_OUT.incrementAndGet(it); //> replaced
        return HANDED_OUT;
    }

    static String both(Uses it) {
        return FIRST.incrementAndGet(it) + " " + SECOND.addAndGet(it, 2) + FIRST$offset + SECOND$offset; //> replaced
    }

    static long names(Uses it) {
        return Y.addAndGet(it, 5) + Y$offset.addAndGet(it, 50); //> replaced
    }

    public static void main(String[] args) {
        Uses it = new Uses();
        Out.line(compared(null, it) + " " + printed(it) + " " + handedOut(it).get(it)); //> kept
        Out.line(both(it) + " " + it.x);
        Out.line(names(it));
        Out.show("null", () -> both(null));
    }
}
