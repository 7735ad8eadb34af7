// Updaters in the shapes that compilers give them: accessors of nested classes, lambdas that capture, parameters.
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.IntUnaryOperator;

class Counter {
    private volatile int hits;
    private volatile Object last;
    private static final AtomicIntegerFieldUpdater<Counter> HITS =
            AtomicIntegerFieldUpdater.newUpdater(Counter.class, "hits");
    private static final AtomicReferenceFieldUpdater<Counter, Object> LAST =
            AtomicReferenceFieldUpdater.newUpdater(Counter.class, Object.class, "last");

    int hit(Object by) {
        LAST.set(this, by);
        return HITS.incrementAndGet(this);
    }

    static class Other {
        static boolean reset(Counter counter, Object by) {
            return LAST.compareAndSet(counter, by, null) && HITS.getAndSet(counter, 0) > 0;
        }
    }

    private static int given(AtomicIntegerFieldUpdater<Counter> updater, Counter counter) {
        return updater.get(counter);
    }

    int peek() {
        return given(HITS, this);
    }

    private static int handled(AtomicIntegerFieldUpdater<Counter> updater, Counter counter) {
        return updater.get(counter);
    }

    interface Reader {
        int read(AtomicIntegerFieldUpdater<Counter> updater, Counter counter);
    }

    static Reader reader() {
        return Counter::handled;
    }

    int unrelated(int n) {
        return n * 2;
    }

    public static void main(String[] args) {
        Counter counter = new Counter();
        System.out.println(counter.hit("a"));
        System.out.println(counter.peek());
        System.out.println(handled(HITS, counter));
        System.out.println(Other.reset(counter, "b"));
        System.out.println(Other.reset(counter, "a"));
    }
}
