// Methods are copied for the updaters that callers pass: from other classes, through chains and recursion, several updaters
// at once, and only where that is certain.
package receivers;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Copies {
    volatile int x;
    volatile long l;
    volatile String s;
    static final AtomicIntegerFieldUpdater<Copies> X = AtomicIntegerFieldUpdater.newUpdater(Copies.class, "x");
    static final AtomicLongFieldUpdater<Copies> L = AtomicLongFieldUpdater.newUpdater(Copies.class, "l");
    private static final AtomicReferenceFieldUpdater<Copies, String> S =
        AtomicReferenceFieldUpdater.newUpdater(Copies.class, String.class, "s"); //> removed

    private int own(AtomicIntegerFieldUpdater<Copies> updater, int by) {
        return updater.addAndGet(this, by); //> specialised
    }

    int twice(boolean mine) {
        return mine ? own(X, 1) : own(CopiesOther.NONE, 1);
    }

    String text(String with) {
        return CopiesHelp.exchange(S, this, with) + CopiesHelp.exchange(CopiesOther.T, new CopiesOther(), with);
    }

    public static void main(String[] args) {
        Copies it = new Copies();
        CopiesOther other = new CopiesOther();
        Out.line(CopiesHelp.add(L, it, 5) + " " + CopiesHelp.add(CopiesOther.N, other, 7) + " " + it.l + " " + other.n);
        Out.line(CopiesHelp.addIfPositive(L, it, 5) + " " + CopiesHelp.addIfPositive(CopiesOther.N, other, -7));
        Out.line(CopiesHelp.down(X, it, 3) + " " + it.x);
        Out.line(CopiesHelp.both(X, L, it) + " " + it.x + " " + it.l);
        Out.line(it.twice(true) + "");
        Out.show("null updater", () -> it.twice(false));
        Out.line(it.text("a") + it.text("b"));
        Out.line(CopiesFace.count(X, it) + " " + CopiesFace.count(X, it));
        Out.show("null holder", () -> CopiesHelp.add(L, null, 5));
        Out.show("null updater", () -> CopiesHelp.add(null, it, 5));
        Out.show("wrong holder", () -> wrong());
        Out.show("wrong value", () -> mistyped(it));
        Out.show("thrown", () -> CopiesHelp.refuse(X, it));
        Out.line(CopiesHelp.locked(X, it) + " " + CopiesHelp.chosen(it.x > 0, X, it));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static long wrong() {
        return CopiesHelp.add((AtomicLongFieldUpdater) L, new CopiesOther(), 5);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static Object mistyped(Copies it) {
        return CopiesHelp.exchange((AtomicReferenceFieldUpdater) S, it, (Object) 5);
    }
}

class CopiesOther {
    volatile long n;
    volatile String t = "t";
    static AtomicIntegerFieldUpdater<Copies> NONE;
    static final AtomicLongFieldUpdater<CopiesOther> N = AtomicLongFieldUpdater.newUpdater(CopiesOther.class, "n");
    static final AtomicReferenceFieldUpdater<CopiesOther, String> T =
        AtomicReferenceFieldUpdater.newUpdater(CopiesOther.class, String.class, "t");
}

interface CopiesFace {
    static int count(AtomicIntegerFieldUpdater<Copies> updater, Copies it) {
        return updater.incrementAndGet(it); //> specialised; whole-program: replaced
    }
}

class CopiesHelp {
    /** Adds up to a cap, as in reactor. */
    public static <T> long add(AtomicLongFieldUpdater<T> updater, T it, long by) {
        long seen;
        long sum;
        do {
            seen = updater.get(it); //> specialised
            if (seen == Long.MAX_VALUE) {
                return Long.MAX_VALUE;
            }
            sum = seen + by < 0 ? Long.MAX_VALUE : seen + by;
        } while (!updater.compareAndSet(it, seen, sum)); //> specialised
        return seen;
    }

    static <T> boolean addIfPositive(AtomicLongFieldUpdater<T> updater, T it, long by) {
        if (by <= 0) {
            return false;
        }
        add(updater, it, by);
        return true;
    }

    static int down(AtomicIntegerFieldUpdater<Copies> updater, Copies it, int depth) {
        int old = updater.getAndIncrement(it); //> specialised; whole-program: replaced
        return depth == 0 ? old : old * 10 + down(updater, it, depth - 1);
    }

    static long both(AtomicIntegerFieldUpdater<Copies> one, AtomicLongFieldUpdater<Copies> other, Copies it) {
        return one.getAndSet(it, 40) + other.getAndSet(it, 2L); //> specialised; whole-program: replaced
    }

    static <T, V> V exchange(AtomicReferenceFieldUpdater<T, V> updater, T it, V with) {
        return updater.getAndSet(it, with); //> specialised; whole-program: replaced
    }

    static int refuse(AtomicIntegerFieldUpdater<Copies> updater, Copies it) {
        try {
            if (updater.get(it) > 1) { //> specialised; whole-program: replaced
                throw new IllegalStateException("at " + updater.get(it)); //> specialised; whole-program: replaced
            }
            return 0;
        } catch (IllegalArgumentException never) {
            return updater.get(it); //> specialised; whole-program: replaced
        }
    }

    static synchronized int locked(AtomicIntegerFieldUpdater<Copies> updater, Copies it) {
        return Thread.holdsLock(CopiesHelp.class) ? updater.decrementAndGet(it) : -1; //> specialised; whole-program: replaced
    }

    /** The updater that is called is not always the parameter. */
    static int chosen(boolean own, AtomicIntegerFieldUpdater<Copies> updater, Copies it) {
        AtomicIntegerFieldUpdater<Copies> used = own ? updater : Copies.X;
        return used.getAndAdd(it, 3); //> kept; whole-program: replaced
    }
}
