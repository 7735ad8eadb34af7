// Every operation of an Integer updater, with its result and what it leaves.
package operations;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class IntegerOperations {
    private volatile int x;
    private static final AtomicIntegerFieldUpdater<IntegerOperations> X =
            AtomicIntegerFieldUpdater.newUpdater(IntegerOperations.class, "x"); //> removed

    private void accesses() {
        X.set(this, 5); //> replaced: putfield
        Out.line("get " + X.get(this)); //> replaced: getfield
        X.lazySet(this, Integer.MAX_VALUE); //> replaced
        Out.line("lazySet left " + x);
        Out.line("compareAndSet " + X.compareAndSet(this, 1, 2) + " left " + x); //> replaced
        Out.line("compareAndSet " + X.compareAndSet(this, Integer.MAX_VALUE, 2) + " left " + x); //> replaced
        Out.line("weakCompareAndSet " + X.weakCompareAndSet(this, 1, 3) + " left " + x); //> replaced
        Out.line("weakCompareAndSet " + X.weakCompareAndSet(this, 2, 3) + " left " + x); //> replaced
        Out.line("getAndSet " + X.getAndSet(this, -7) + " left " + x); //> replaced
    }

    private void sums() {
        x = Integer.MAX_VALUE - 1;
        Out.line("getAndIncrement " + X.getAndIncrement(this) + " left " + x); //> replaced
        Out.line("incrementAndGet " + X.incrementAndGet(this) + " left " + x); //> replaced
        Out.line("getAndDecrement " + X.getAndDecrement(this) + " left " + x); //> replaced
        Out.line("decrementAndGet " + X.decrementAndGet(this) + " left " + x); //> replaced
        Out.line("getAndAdd " + X.getAndAdd(this, 100) + " left " + x); //> replaced
        Out.line("addAndGet " + X.addAndGet(this, -3) + " left " + x); //> replaced
    }

    private void functions() {
        x = 10;
        Out.line("getAndUpdate " + X.getAndUpdate(this, v -> v * 2) + " left " + x); //> replaced
        Out.line("updateAndGet " + X.updateAndGet(this, v -> v * 2) + " left " + x); //> replaced
        Out.line("getAndAccumulate " + X.getAndAccumulate(this, 3, (v, by) -> v - by) + " left " + x); //> replaced
        Out.line("accumulateAndGet " + X.accumulateAndGet(this, 3, (v, by) -> v - by) + " left " + x); //> replaced
    }

    private void unused() {
        X.compareAndSet(this, 1, 2); //> replaced
        X.getAndSet(this, 4); //> replaced
        X.getAndIncrement(this); //> replaced
        X.incrementAndGet(this); //> replaced
        X.decrementAndGet(this); //> replaced
        X.addAndGet(this, 20); //> replaced
        X.updateAndGet(this, v -> -v); //> replaced
        X.getAndAccumulate(this, 2, (v, by) -> v * by); //> replaced
        X.get(this); //> replaced
        Out.line("left " + x);
    }

    public static void main(String[] args) {
        IntegerOperations it = new IntegerOperations();
        it.accesses();
        it.sums();
        it.functions();
        it.unused();
    }
}
