// Superclasses outside of the input: their initialisers might call back, so calls are guarded, and work.
package initialisation;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

class UnknownSuperclass {
    static class Lock extends AbstractQueuedSynchronizer {
        private volatile int x;
        private static final AtomicIntegerFieldUpdater<Lock> X =
                AtomicIntegerFieldUpdater.newUpdater(Lock.class, "x"); //> removed

        @Override
        protected boolean tryAcquire(int by) {
            return X.compareAndSet(this, 0, by); //> replaced
        }

        static int given(Lock it) {
            return X.getAndIncrement(it); //> replaced
        }
    }

    static class Failure extends IllegalStateException {
        private volatile long l;
        private static final java.util.concurrent.atomic.AtomicLongFieldUpdater<Failure> L =
                java.util.concurrent.atomic.AtomicLongFieldUpdater.newUpdater(Failure.class, "l");

        Failure() {
            super("made " + Lock.given(new Lock()));
            L.addAndGet(this, 3); //> replaced
        }
    }

    public static void main(String[] args) {
        Lock lock = new Lock();
        lock.acquire(4);
        Out.line(Lock.given(lock) + " " + lock.x + " " + lock.tryAcquire(2));
        Out.show("null", () -> Lock.given(null));
        Out.line(new Failure().l);
    }
}
