// The compare-and-set loop, with branches and several exits; the updater is read before the loop, and in it.
package control;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Loop {
    volatile int x;
    private static final AtomicIntegerFieldUpdater<Loop> X = AtomicIntegerFieldUpdater.newUpdater(Loop.class, "x"); //> removed

    int take(int limit) {
        for (;;) {
            int seen = X.get(this); //> replaced
            if (seen >= limit) {
                return -1;
            }
            int next = (seen & 1) == 0 ? seen + 1 : seen + 3;
            if (X.compareAndSet(this, seen, next)) { //> replaced
                return next;
            }
        }
    }

    static int outside(Loop[] them) {
        AtomicIntegerFieldUpdater<Loop> updater = X;
        int sum = 0;
        for (Loop it : them) {
            if (it == null) {
                continue;
            }
            sum += updater.getAndIncrement(it); //> replaced
        }
        while (sum > 3) {
            sum -= updater.incrementAndGet(them[0]) > 10 ? 2 : 1; //> replaced
        }
        return sum;
    }

    public static void main(String[] args) {
        Loop it = new Loop();
        Out.line(it.take(10) + " " + it.take(10) + " " + it.take(10) + " " + it.take(10) + " " + it.take(6));
        Out.line(outside(new Loop[] {it, null, it, new Loop()}) + " " + it.x);
        Out.show("null", () -> outside(new Loop[] {null, it}));
    }
}
