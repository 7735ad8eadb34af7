import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.LongBinaryOperator;

/** Operations of field updaters, each in a loop of its own: `applyAsLong(operation, times)`. */
public final class Subject implements LongBinaryOperator {
    private static final AtomicReferenceFieldUpdater<Subject, String> TEXT =
        AtomicReferenceFieldUpdater.newUpdater(Subject.class, String.class, "text");
    private static final AtomicIntegerFieldUpdater<Subject> COUNT =
        AtomicIntegerFieldUpdater.newUpdater(Subject.class, "count");
    private static final AtomicLongFieldUpdater<Subject> TOTAL =
        AtomicLongFieldUpdater.newUpdater(Subject.class, "total");

    private volatile String text = "";
    private volatile int count;
    private volatile long total;

    @Override
    public String toString() {
        return "Reference.get Reference.set Reference.lazySet Reference.compareAndSet Reference.getAndSet "
            + "Integer.get Integer.compareAndSet Integer.getAndIncrement Integer.updateAndGet "
            + "Long.get Long.compareAndSet Long.addAndGet";
    }

    @Override
    public long applyAsLong(long operation, long times) {
        switch ((int) operation) {
            case 0: return referenceGet(times);
            case 1: return referenceSet(times);
            case 2: return referenceLazySet(times);
            case 3: return referenceCompareAndSet(times);
            case 4: return referenceGetAndSet(times);
            case 5: return integerGet(times);
            case 6: return integerCompareAndSet(times);
            case 7: return integerGetAndIncrement(times);
            case 8: return integerUpdateAndGet(times);
            case 9: return longGet(times);
            case 10: return longCompareAndSet(times);
            case 11: return longAddAndGet(times);
            default: throw new IllegalArgumentException();
        }
    }

    private long referenceGet(long times) {
        long sum = 0;
        for (long i = 0; i < times; i++) {
            sum += TEXT.get(this) == null ? 0 : 1;
        }
        return sum;
    }

    private long referenceSet(long times) {
        for (long i = 0; i < times; i++) {
            TEXT.set(this, "a");
        }
        return times;
    }

    private long referenceLazySet(long times) {
        for (long i = 0; i < times; i++) {
            TEXT.lazySet(this, "b");
        }
        return times;
    }

    private long referenceCompareAndSet(long times) {
        long done = 0;
        text = "a";
        for (long i = 0; i < times; i++) {
            done += TEXT.compareAndSet(this, "a", "a") ? 1 : 0;
        }
        return done;
    }

    private long referenceGetAndSet(long times) {
        long sum = 0;
        for (long i = 0; i < times; i++) {
            sum += TEXT.getAndSet(this, "c") == null ? 0 : 1;
        }
        return sum;
    }

    private long integerGet(long times) {
        long sum = 0;
        for (long i = 0; i < times; i++) {
            sum += COUNT.get(this);
        }
        return sum;
    }

    private long integerCompareAndSet(long times) {
        long done = 0;
        count = 1;
        for (long i = 0; i < times; i++) {
            done += COUNT.compareAndSet(this, 1, 1) ? 1 : 0;
        }
        return done;
    }

    private long integerGetAndIncrement(long times) {
        long sum = 0;
        for (long i = 0; i < times; i++) {
            sum += COUNT.getAndIncrement(this);
        }
        return sum;
    }

    private long integerUpdateAndGet(long times) {
        long sum = 0;
        for (long i = 0; i < times; i++) {
            sum += COUNT.updateAndGet(this, n -> n + 1);
        }
        return sum;
    }

    private long longGet(long times) {
        long sum = 0;
        for (long i = 0; i < times; i++) {
            sum += TOTAL.get(this);
        }
        return sum;
    }

    private long longCompareAndSet(long times) {
        long done = 0;
        total = 1;
        for (long i = 0; i < times; i++) {
            done += TOTAL.compareAndSet(this, 1, 1) ? 1 : 0;
        }
        return done;
    }

    private long longAddAndGet(long times) {
        long sum = 0;
        for (long i = 0; i < times; i++) {
            sum += TOTAL.addAndGet(this, 3);
        }
        return sum;
    }
}
