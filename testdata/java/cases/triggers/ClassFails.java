// A class that cannot be initialised: its error comes with the first use, another with the second, before the arguments.
package triggers;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class ClassFails {
    static class Target {
        volatile int x;
    }

    static class Failing {
        static final AtomicIntegerFieldUpdater<Target> X = AtomicIntegerFieldUpdater.newUpdater(Target.class, "x");
        static {
            fail("Failing");
        }
    }

    static class FailingGet {
        static final AtomicIntegerFieldUpdater<Target> X = AtomicIntegerFieldUpdater.newUpdater(Target.class, "x");
        static {
            fail("FailingGet");
        }
    }

    static class FailingBefore {
        static {
            fail("FailingBefore");
        }
        static final AtomicIntegerFieldUpdater<Target> X = AtomicIntegerFieldUpdater.newUpdater(Target.class, "x");
    }

    static class FailingNull {
        static final AtomicIntegerFieldUpdater<Target> X = AtomicIntegerFieldUpdater.newUpdater(Target.class, "x");
        static {
            fail("FailingNull");
        }
    }

    static void fail(String name) {
        Out.line("  " + name + " initialises");
        if (name.length() > 3) {
            throw new IllegalStateException();
        }
    }

    static int swap(Target it) {
        return Failing.X.getAndSet(it, Out.say("new", 5)); //> replaced
    }

    static int get(Target it) {
        return FailingGet.X.get(Out.say("holder", it)); //> replaced; whole-program: any
    }

    static int before(Target it) {
        return FailingBefore.X.addAndGet(it, Out.say("by", 5)); //> replaced
    }

    static int none() {
        return FailingNull.X.addAndGet(null, Out.say("by", 5)); //> replaced
    }

    static int caught(Target it) {
        try {
            return Failing.X.incrementAndGet(it); //> replaced
        } catch (NoClassDefFoundError e) {
            return -5;
        }
    }

    public static void main(String[] args) {
        Target it = new Target();
        Out.show("swap", () -> swap(it));
        Out.show("swap", () -> swap(it));
        Out.show("swap null", () -> swap(null));
        Out.show("caught", () -> caught(it));
        Out.show("get", () -> get(it));
        Out.show("get", () -> get(it));
        Out.show("before", () -> before(it));
        Out.show("before null", () -> before(null));
        Out.show("null", () -> none());
        Out.show("null", () -> none());
        Out.line(it.x);
    }
}
