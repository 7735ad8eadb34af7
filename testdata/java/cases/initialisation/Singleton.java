// A singleton made before, or after, the updater that its constructor uses.
package initialisation;

import check.Out;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

class Singleton {
    static class After {
        volatile long l;
        private static final AtomicLongFieldUpdater<After> L = AtomicLongFieldUpdater.newUpdater(After.class, "l"); //> removed
        static final After ONE = new After();

        After() {
            L.getAndAdd(this, 1L << 36); //> replaced
        }
    }

    static class Before {
        volatile long l;
        static final Before ONE = new Before();
        private static final AtomicLongFieldUpdater<Before> L = AtomicLongFieldUpdater.newUpdater(Before.class, "l"); //> removed

        Before() {
            L.getAndAdd(this, 1L << 36); //> replaced: checks that the updater is assigned
        }
    }

    public static void main(String[] args) {
        Out.show("after", () -> After.ONE.l);
        Out.show("before", () -> Before.ONE.l);
        Out.show("before", () -> Before.ONE.l);
    }
}
