// Four threads at once lose no update.
package operations;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Threads {
    static final class Node {
        final Node next;

        Node(Node next) {
            this.next = next;
        }
    }

    private volatile int i;
    private volatile int updated;
    private volatile long l;
    private volatile Node stack;
    private static final AtomicIntegerFieldUpdater<Threads> I =
            AtomicIntegerFieldUpdater.newUpdater(Threads.class, "i"); //> removed
    private static final AtomicIntegerFieldUpdater<Threads> UPDATED =
            AtomicIntegerFieldUpdater.newUpdater(Threads.class, "updated"); //> removed
    private static final AtomicLongFieldUpdater<Threads> L =
            AtomicLongFieldUpdater.newUpdater(Threads.class, "l"); //> removed
    private static final AtomicReferenceFieldUpdater<Threads, Node> STACK =
            AtomicReferenceFieldUpdater.newUpdater(Threads.class, Node.class, "stack"); //> removed

    void work() {
        for (int n = 0; n < 5000; n++) {
            I.incrementAndGet(this); //> replaced
            L.getAndAdd(this, 1L << 33); //> replaced
            UPDATED.updateAndGet(this, v -> v + 2); //> replaced
            Node top;
            do {
                top = STACK.get(this); //> replaced
            } while (!STACK.compareAndSet(this, top, new Node(top))); //> replaced
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Threads it = new Threads();
        Thread[] threads = new Thread[4];
        for (int n = 0; n < threads.length; n++) {
            threads[n] = new Thread(it::work);
            threads[n].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        int depth = 0;
        for (Node node = it.stack; node != null; node = node.next) {
            depth++;
        }
        Out.line(it.i + " " + it.updated + " " + (it.l >> 33) + " " + depth);
    }
}
