// Branches, loops and handlers between the read of the updater and the call: the updater lies on the stack in frames.
package control;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class BranchInArguments {
    volatile int i;
    volatile long l;
    volatile String r;
    private static final AtomicIntegerFieldUpdater<BranchInArguments> I =
            AtomicIntegerFieldUpdater.newUpdater(BranchInArguments.class, "i"); //> removed
    private static final AtomicLongFieldUpdater<BranchInArguments> L =
            AtomicLongFieldUpdater.newUpdater(BranchInArguments.class, "l"); //> removed
    private static final AtomicReferenceFieldUpdater<BranchInArguments, String> R =
            AtomicReferenceFieldUpdater.newUpdater(BranchInArguments.class, String.class, "r"); //> removed

    boolean value(boolean which) {
        return I.compareAndSet(this, which ? 0 : 7, which ? 7 : 9); //> replaced
    }

    static boolean holder(boolean which, BranchInArguments a, BranchInArguments b) {
        return L.compareAndSet(which ? a : b, 0L, a == b ? 1L : 2L); //> replaced: checks the holder
    }

    String wide(boolean which, long before, double after) {
        return before + ":" + L.getAndAdd(this, which ? before : (long) after) + ":" + after; //> replaced
    }

    String reference(int n) {
        return "<" + R.getAndSet(this, n > 2 ? "many" : n > 1 ? "two" : n > 0 ? "one" : null) + ">"; //> replaced
    }

    void put(boolean which) {
        R.set(this, which ? "put" : null); //> replaced: putfield
        I.lazySet(this, which ? 3 : 4); //> replaced
    }

    int nested(boolean which) {
        return I.addAndGet(this, which ? I.getAndIncrement(this) : I.addAndGet(this, which ? 1 : I.get(this))); //> replaced
    }

    static int nestedHolder(BranchInArguments it, boolean which) {
        return I.getAndSet(which ? it : L.get(it) > 0 ? it : null, R.get(it) == null ? 1 : 2); //> replaced
    }

    boolean and(boolean a, boolean b) {
        return a && I.compareAndSet(this, a || b ? i : 0, 50) && (b || L.compareAndSet(this, l, b ? 0 : 60)); //> replaced
    }

    int switched(String word) {
        return I.getAndSet(this, word.equals("a") ? length(word) : word == null ? 0 : -1); //> replaced
    }

    private static int length(String word) {
        int sum = 0;
        for (char c : word.toCharArray()) {
            sum += c == 'a' ? 1 : 2;
        }
        return sum;
    }

    public static void main(String[] args) {
        BranchInArguments it = new BranchInArguments();
        Out.line(it.value(false) + " " + it.value(true) + " " + it.value(false) + " " + it.i);
        BranchInArguments other = new BranchInArguments();
        Out.line(holder(true, it, other) + " " + holder(false, it, other) + " " + it.l + " " + other.l);
        Out.show("null", () -> holder(true, null, other));
        Out.line(it.wide(true, 1L << 35, 2.5) + " " + it.wide(false, 9, 4.75) + " " + it.l);
        for (int n = 0; n < 4; n++) {
            Out.line(it.reference(n));
        }
        it.put(true);
        Out.line(it.r + it.i);
        it.put(false);
        Out.line(it.r + it.i);
        Out.line(it.nested(true) + " " + it.nested(false) + " " + it.i);
        Out.line(nestedHolder(it, true) + " " + nestedHolder(it, false) + " " + it.i);
        Out.show("null", () -> nestedHolder(new BranchInArguments(), false));
        Out.line(it.and(true, true) + " " + it.and(true, false) + " " + it.and(false, true) + " " + it.i + " " + it.l);
        Out.line(it.switched("a") + " " + it.switched("b") + " " + it.i);
    }
}
