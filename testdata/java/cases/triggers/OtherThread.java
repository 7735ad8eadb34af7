// Another thread initialises the class: who uses its updater meanwhile waits for it.
package triggers;

import check.Out;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class OtherThread {
    static final CountDownLatch BEGUN = new CountDownLatch(1);
    static volatile boolean ended;

    static class Target {
        volatile int x;
    }

    static class Slow {
        static final AtomicIntegerFieldUpdater<Target> X = AtomicIntegerFieldUpdater.newUpdater(Target.class, "x");
        static {
            BEGUN.countDown();
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            ended = true;
        }
    }

    static int hit(Target it) {
        return Slow.X.addAndGet(it, ended ? 1 : 100); //> replaced
    }

    public static void main(String[] args) throws InterruptedException {
        Target it = new Target();
        Thread thread = new Thread(() -> hit(it));
        thread.start();
        BEGUN.await();
        int seen = hit(it);
        thread.join();
        Out.line(it.x + " " + (seen > 0));
    }
}
