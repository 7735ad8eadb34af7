// An interface with a default method is initialised before the class, and its initialiser calls back.
package initialisation;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class FromSuperinterface {
    interface Noisy {
        int NUMBER = Impl.early();

        default void something() {}
    }

    interface Quiet {
        int NUMBER = Out.say("never said", 1);
    }

    static class Impl implements Quiet, Noisy {
        volatile int x;
        private static final AtomicIntegerFieldUpdater<Impl> X =
                AtomicIntegerFieldUpdater.newUpdater(Impl.class, "x"); //> removed

        static int early() {
            Out.show("early", () -> hit(new Impl()));
            return 1;
        }

        static int hit(Impl it) {
            return X.incrementAndGet(it); //> replaced: checks that the updater is assigned, checks the holder
        }
    }

    public static void main(String[] args) {
        Out.line("start");
        Out.show("hit", () -> Impl.hit(new Impl()));
        Out.line(Noisy.NUMBER);
    }
}
