// As in netty: an abstract method gives the updater, with one answer or two; an instance field holds it, as in guava.
package receivers;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Virtual {
    abstract static class Counter<T> {
        abstract AtomicIntegerFieldUpdater<T> updater();

        int retain(T it, int by) {
            int seen = updater().getAndAdd(it, by); //> any
            if (seen < 0) {
                updater().getAndAdd(it, -by); //> any
                throw new IllegalStateException("released");
            }
            return seen;
        }
    }

    static class First {
        volatile int count;
        private static final AtomicIntegerFieldUpdater<First> COUNT = AtomicIntegerFieldUpdater.newUpdater(First.class, "count");
        static final Counter<First> COUNTER = new Counter<First>() {
            @Override
            AtomicIntegerFieldUpdater<First> updater() {
                return COUNT;
            }
        };

        void init() {
            COUNT.set(this, 2); //> replaced: putfield
        }
    }

    static class Second {
        volatile int count = -1;
        private static final AtomicIntegerFieldUpdater<Second> COUNT = AtomicIntegerFieldUpdater.newUpdater(Second.class, "count");
        static final Counter<Second> COUNTER = new Counter<Second>() {
            @Override
            AtomicIntegerFieldUpdater<Second> updater() {
                return COUNT;
            }
        };
    }

    static class Helper {
        final AtomicReferenceFieldUpdater<Helper, Object> updater;
        volatile Object value;

        Helper(AtomicReferenceFieldUpdater<Helper, Object> updater) {
            this.updater = updater;
        }

        boolean cas(Object old, Object value) {
            return updater.compareAndSet(this, old, value); //> kept
        }
    }

    static final Helper HELPER;

    static {
        Helper made;
        try {
            made = new Helper(AtomicReferenceFieldUpdater.newUpdater(Helper.class, Object.class, "value"));
        } catch (Throwable e) {
            made = new Helper(null);
        }
        HELPER = made;
    }

    public static void main(String[] args) {
        First first = new First();
        first.init();
        Out.line(First.COUNTER.retain(first, 2) + " " + first.count);
        Out.show("second", () -> Second.COUNTER.retain(new Second(), 1));
        Out.show("null", () -> First.COUNTER.retain(null, 1));
        Out.line(HELPER.cas(null, "a") + " " + HELPER.cas(null, "b") + " " + HELPER.value);
        Out.show("null updater", () -> new Helper(null).cas("a", "b"));
        AtomicIntegerFieldUpdater<?>[] array = {First.COUNT, Second.COUNT};
        Out.line(array.length);
    }
}
