// An updater that an option keeps: not touched, nor are its calls.
// keep: recognition.Kept.KEPT
package recognition;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Kept {
    volatile int x;
    private static final AtomicIntegerFieldUpdater<Kept> KEPT = AtomicIntegerFieldUpdater.newUpdater(Kept.class, "x"); //> kept
    private static final AtomicIntegerFieldUpdater<Kept> OTHER = AtomicIntegerFieldUpdater.newUpdater(Kept.class, "x"); //> removed

    int hit() {
        return KEPT.incrementAndGet(this) * 10 + OTHER.incrementAndGet(this); //> any
    }

    public static void main(String[] args) throws Exception {
        Out.line(new Kept().hit());
        int kept = 0;
        for (java.lang.reflect.Field field : Kept.class.getDeclaredFields()) {
            kept += field.getName().equals("KEPT") ? 1 : 0;
        }
        Out.line(kept);
    }
}
