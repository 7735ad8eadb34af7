// Calls inside try, catch and finally: which handler runs does not change.
package control;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Try {
    volatile int x;
    volatile Object r;
    private static final AtomicIntegerFieldUpdater<Try> X = AtomicIntegerFieldUpdater.newUpdater(Try.class, "x"); //> removed
    private static final AtomicReferenceFieldUpdater<Try, Object> R =
            AtomicReferenceFieldUpdater.newUpdater(Try.class, Object.class, "r"); //> removed

    static String caught(Try it) {
        int before = 1;
        try {
            before = 2;
            X.getAndIncrement(it); //> replaced: checks the holder
            before = 3;
        } catch (NullPointerException e) {
            return "null " + before;
        } catch (ClassCastException e) {
            return "cast " + before;
        }
        return "none " + before;
    }

    static String inCatch(Try it) {
        try {
            throw new IllegalStateException("thrown");
        } catch (IllegalStateException e) {
            return e.getMessage() + X.addAndGet(it, 5); //> replaced: checks the holder
        }
    }

    @SuppressWarnings("finally")
    static int inFinally(Try it, Object[] log) {
        try {
            log[0] = it.toString();
            return X.get(it); //> replaced
        } finally {
            X.set(it, X.get(it) + 10); //> replaced
        }
    }

    static String argumentCatches(Try it) {
        return String.valueOf(R.getAndSet(it, inCatch(it))); //> replaced: checks the holder
    }

    static int nested(Try it) {
        int rounds = 0;
        try {
            try {
                X.decrementAndGet(it); //> replaced: checks the holder
                rounds++;
            } finally {
                rounds += 10;
                R.lazySet(it, "finally"); //> replaced
                rounds += 100;
            }
        } catch (RuntimeException e) {
            rounds += 1000;
        }
        return rounds;
    }

    static synchronized int locked(Try it, Object lock) {
        synchronized (lock) {
            return X.incrementAndGet(it); //> replaced: checks the holder
        }
    }

    @Override
    public String toString() {
        return "Try" + x;
    }

    public static void main(String[] args) {
        Try it = new Try();
        Out.line(caught(it) + " " + caught(null));
        Out.show("in catch", () -> inCatch(it));
        Out.show("in catch, null", () -> inCatch(null));
        Out.show("in finally", () -> inFinally(it, new Object[1]));
        Out.show("in finally, throws", () -> inFinally(it, new Object[0]));
        Out.show("in finally, null", () -> inFinally(null, new Object[1]));
        Out.show("argument", () -> argumentCatches(it) + it.r);
        Out.line(nested(it) + " " + nested(null) + " " + it.r + " " + it.x);
        Out.show("locked", () -> locked(it, it));
        Object lock = new Object();
        Out.show("locked, null", () -> locked(null, lock));
        Out.line(Thread.holdsLock(lock));
    }
}
