// Static accessors of a class that prints, or fails, while it initialises: where the accessor was called is kept.
package triggers;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Accessors {
    static class Target {
        volatile int x;
    }

    static class Printing {
        private static final AtomicIntegerFieldUpdater<Target> X =
                AtomicIntegerFieldUpdater.newUpdater(Target.class, "x"); //> removed; 8: instrumented; whole-program: removed
        static {
            Out.line("Printing initialised");
        }

        private static AtomicIntegerFieldUpdater<Target> x() {
            return X;
        }
    }

    static class Failing {
        private static final AtomicIntegerFieldUpdater<Target> X =
                AtomicIntegerFieldUpdater.newUpdater(Target.class, "x"); //> instrumented
        static {
            Out.line("Failing initialises");
            if (X != null) {
                throw new IllegalStateException();
            }
        }

        private static AtomicIntegerFieldUpdater<Target> x() {
            return X;
        }
    }

    static int hit(Target it) {
        return Printing.x().addAndGet(Out.say("holder", it), Out.say("by", 2)); //> replaced
    }

    static int fail(Target it) {
        return Failing.x().addAndGet(Out.say("holder", it), Out.say("by", 2)); //> replaced
    }

    static int kept(Target it) {
        AtomicIntegerFieldUpdater<Target> updater = Printing.x();
        Out.line("got it");
        return updater.getAndIncrement(it) + updater.get(it); //> replaced
    }

    public static void main(String[] args) {
        Target it = new Target();
        Out.show("hit", () -> hit(it));
        Out.show("hit", () -> hit(it));
        Out.show("hit null", () -> hit(null));
        Out.show("kept", () -> kept(it));
        Out.show("fail", () -> fail(it));
        Out.show("fail", () -> fail(it));
        Out.show("fail null", () -> fail(null));
    }
}
