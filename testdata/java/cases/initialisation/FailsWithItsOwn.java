// An initialiser fails with an exception of the program's: the JVM asks that for its stack trace before the class counts
// as failed, and the exception uses the class, whose updater is not assigned.
package initialisation;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class FailsWithItsOwn {
    static class Odd extends RuntimeException {
        // Not every JVM asks, so nothing is printed.
        @Override
        public StackTraceElement[] getStackTrace() {
            try {
                Out.line("unassigned, and yet " + new Late().next());
            } catch (NullPointerException expected) {
            }
            return super.getStackTrace();
        }
    }

    static class Keeper {
        static Odd odd;
    }

    static class Base {
        static {
            if (Keeper.odd != null) {
                throw Keeper.odd;
            }
        }
    }

    static class Late extends Base {
        private volatile int n;
        private static final AtomicIntegerFieldUpdater<Late> N = AtomicIntegerFieldUpdater.newUpdater(Late.class, "n"); //> removed

        int next() {
            return N.incrementAndGet(this); //> replaced: checks that the updater is assigned
        }
    }

    public static void main(String[] args) {
        Keeper.odd = new Odd();
        Out.show("first", () -> new Late().next());
        Out.show("second", () -> new Late().next());
    }
}
