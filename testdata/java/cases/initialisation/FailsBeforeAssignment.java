// An initialiser that fails before the updater is assigned; objects made meanwhile outlive it, and their class stays failed.
package initialisation;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class FailsBeforeAssignment {
    static Broken survivor;

    static class Broken {
        volatile int x;
        static {
            survivor = new Broken();
            if (survivor.x == 0) {
                throw new IllegalStateException();
            }
        }
        private static final AtomicIntegerFieldUpdater<Broken> X =
                AtomicIntegerFieldUpdater.newUpdater(Broken.class, "x"); //> removed

        int hit() {
            return X.incrementAndGet(this); //> replaced: initialises the class
        }

        static int given(Broken it) {
            return X.getAndDecrement(it); //> replaced: initialises the class
        }
    }

    static class FailsAfter {
        volatile int x;
        private static final AtomicIntegerFieldUpdater<FailsAfter> X =
                AtomicIntegerFieldUpdater.newUpdater(FailsAfter.class, "x"); //> removed
        static FailsAfter[] made = {new FailsAfter()};

        static {
            after = made[0];
            made[1].hit();
        }

        int hit() {
            return X.incrementAndGet(this); //> replaced
        }

        int get() {
            return X.get(this); //> replaced
        }

        void set() {
            X.set(this, 7); //> replaced
        }
    }

    static FailsAfter after;

    public static void main(String[] args) {
        Out.show("first", Broken::new);
        Out.show("second", Broken::new);
        Out.show("survivor", () -> survivor.hit());
        Out.show("given", () -> Broken.given(survivor));
        Out.show("fails after", FailsAfter::new);
        Out.show("fails after", FailsAfter::new);
        Out.show("survivor", () -> after.hit());
        Out.show("survivor gets", () -> after.get());
        Out.show("survivor sets", () -> { after.set(); return after.x; });
    }
}
