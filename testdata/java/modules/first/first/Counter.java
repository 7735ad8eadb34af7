package first;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

public class Counter {
    volatile int count;
    private volatile Object last;
    public static final AtomicIntegerFieldUpdater<Counter> COUNT =
            AtomicIntegerFieldUpdater.newUpdater(Counter.class, "count");
    private static final AtomicReferenceFieldUpdater<Counter, Object> LAST =
            AtomicReferenceFieldUpdater.newUpdater(Counter.class, Object.class, "last");

    public int hit(Object by) {
        Object before = LAST.getAndSet(this, by);
        return COUNT.addAndGet(this, before == null ? 1 : 10);
    }

    public static int given(Counter it) {
        return COUNT.getAndIncrement(it);
    }
}
