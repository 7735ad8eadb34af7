// The updater comes from a local, copies of it, and from ways that agree or do not.
package receivers;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Locals {
    volatile int x;
    volatile int y;
    private static final AtomicIntegerFieldUpdater<Locals> X = AtomicIntegerFieldUpdater.newUpdater(Locals.class, "x");
    private static final AtomicIntegerFieldUpdater<Locals> Y = AtomicIntegerFieldUpdater.newUpdater(Locals.class, "y");
    private static final AtomicIntegerFieldUpdater<Locals> Z = AtomicIntegerFieldUpdater.newUpdater(Locals.class, "x"); //> removed

    int local() {
        AtomicIntegerFieldUpdater<Locals> updater = Z;
        AtomicIntegerFieldUpdater<Locals> copy = updater;
        return updater.incrementAndGet(this) + copy.getAndAdd(this, 2) + copy.get(this); //> replaced
    }

    int agrees(boolean which) {
        AtomicIntegerFieldUpdater<Locals> updater;
        if (which) {
            updater = X;
        } else {
            Out.line("other way");
            updater = X;
        }
        return updater.incrementAndGet(this); //> replaced
    }

    int agreesOnStack(boolean which) {
        return (which ? X : X).incrementAndGet(this); //> replaced
    }

    int differs(boolean which) {
        AtomicIntegerFieldUpdater<Locals> updater = which ? X : Y;
        return updater.incrementAndGet(this); //> kept
    }

    static int overwritten(Locals it) {
        AtomicIntegerFieldUpdater<Locals> updater = X;
        int sum = updater.incrementAndGet(it); //> replaced
        updater = Y;
        return sum + updater.addAndGet(it, 10); //> replaced
    }

    int inLoop() {
        AtomicIntegerFieldUpdater<Locals> updater = X;
        for (int i = 0; i < 3; i++) {
            updater.incrementAndGet(this); //> kept
            updater = Y;
        }
        return x * 100 + y;
    }

    int compared() {
        AtomicIntegerFieldUpdater<Locals> updater = Y;
        return updater == Y ? updater.get(this) : -1; //> replaced
    }

    public static void main(String[] args) {
        Locals it = new Locals();
        Out.line(it.local() + " " + it.agrees(true) + " " + it.agrees(false) + " " + it.agreesOnStack(false));
        Out.line(it.differs(true) + " " + it.differs(false) + " " + overwritten(it) + " " + it.inLoop() + " " + it.compared());
        Out.show("null", () -> overwritten(null));
    }
}
