// The other package of Across.java.
// no main
package classes.acrosspackages.other;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

public class Owner {
    public volatile int open;
    volatile int closed;
    protected volatile int guarded;
    public static final AtomicIntegerFieldUpdater<Owner> OPEN = AtomicIntegerFieldUpdater.newUpdater(Owner.class, "open");
    public static final AtomicIntegerFieldUpdater<Owner> CLOSED = AtomicIntegerFieldUpdater.newUpdater(Owner.class, "closed");
    public static final AtomicIntegerFieldUpdater<Owner> GUARDED = AtomicIntegerFieldUpdater.newUpdater(Owner.class, "guarded");

    protected int read() {
        return open + closed + guarded;
    }
}
