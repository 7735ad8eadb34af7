// Every operation of a Reference updater, with its result and what it leaves.
package operations;

import check.Out;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class ReferenceOperations {
    private volatile String x;
    private static final AtomicReferenceFieldUpdater<ReferenceOperations, String> X =
            AtomicReferenceFieldUpdater.newUpdater(ReferenceOperations.class, String.class, "x"); //> removed

    private void accesses() {
        X.set(this, "a"); //> replaced: putfield
        Out.line("get " + X.get(this)); //> replaced: getfield
        X.lazySet(this, "b"); //> replaced
        Out.line("lazySet left " + x);
        Out.line("compareAndSet " + X.compareAndSet(this, "a", "c") + " left " + x); //> replaced
        Out.line("compareAndSet " + X.compareAndSet(this, "b", "c") + " left " + x); //> replaced
        Out.line("weakCompareAndSet " + X.weakCompareAndSet(this, "a", "d") + " left " + x); //> replaced
        Out.line("weakCompareAndSet " + X.weakCompareAndSet(this, "c", "d") + " left " + x); //> replaced
        Out.line("getAndSet " + X.getAndSet(this, null) + " left " + x); //> replaced
        Out.line("compareAndSet " + X.compareAndSet(this, null, "e") + " left " + x); //> replaced
    }

    private void functions() {
        Out.line("getAndUpdate " + X.getAndUpdate(this, v -> v + "f") + " left " + x); //> replaced
        Out.line("updateAndGet " + X.updateAndGet(this, v -> v + "g") + " left " + x); //> replaced
        Out.line("getAndAccumulate " + X.getAndAccumulate(this, "h", (v, by) -> by + v) + " left " + x); //> replaced
        Out.line("accumulateAndGet " + X.accumulateAndGet(this, "i", (v, by) -> by + v) + " left " + x); //> replaced
        // The result is a String without a cast in the source.
        Out.line("length " + X.getAndUpdate(this, v -> null).length() + " left " + x); //> replaced
    }

    private void unused() {
        X.compareAndSet(this, null, "a"); //> replaced
        X.getAndSet(this, "b"); //> replaced
        X.getAndUpdate(this, v -> v + "c"); //> replaced
        X.accumulateAndGet(this, "d", (v, by) -> v + by); //> replaced
        X.get(this); //> replaced
        Out.line("left " + x);
    }

    public static void main(String[] args) {
        ReferenceOperations it = new ReferenceOperations();
        it.accesses();
        it.functions();
        it.unused();
    }
}
