// Classes that are there when it is compiled and not when it runs: of fields, holders, values and superclasses.
// absent: targets.AbsentValue, targets.AbsentHolder, targets.AbsentParent
package targets;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Absent {
    static class OfValue {
        volatile AbsentValue value;
        static final AtomicReferenceFieldUpdater<OfValue, AbsentValue> VALUE =
                AtomicReferenceFieldUpdater.newUpdater(OfValue.class, AbsentValue.class, "value");

        Object swap() {
            return VALUE.getAndSet(this, null); //> replaced
        }
    }

    static class OfHolder {
        static final AtomicIntegerFieldUpdater<AbsentHolder> X =
                AtomicIntegerFieldUpdater.newUpdater(AbsentHolder.class, "x");

        static int hit() {
            return X.incrementAndGet(null); //> kept
        }
    }

    static class OfParent extends AbsentParent {
        volatile int x;
        static final AtomicIntegerFieldUpdater<OfParent> X = AtomicIntegerFieldUpdater.newUpdater(OfParent.class, "x");

        int hit() {
            return X.incrementAndGet(this); //> any
        }
    }

    static class Beside {
        volatile int x;
        private static final AtomicIntegerFieldUpdater<Beside> X =
                AtomicIntegerFieldUpdater.newUpdater(Beside.class, "x"); //> removed

        /** A value of a class that is not there is a null. */
        int hit(AbsentValue value) {
            return X.addAndGet(this, value == null ? 3 : 4); //> replaced
        }

        static int given(Object it) {
            return it instanceof Beside ? X.addAndGet((Beside) it, 5) : -1; //> replaced
        }
    }

    public static void main(String[] args) {
        Out.show("value", () -> new OfValue().swap());
        Out.show("value", () -> new OfValue().swap());
        Out.show("holder", OfHolder::hit);
        Out.show("parent", () -> new OfParent().hit());
        Beside beside = new Beside();
        Out.show("beside", () -> beside.hit(null));
        Out.show("given", () -> Beside.given(beside) + Beside.given("text"));
    }
}

class AbsentValue {}

class AbsentHolder {
    volatile int x;
}

class AbsentParent {}
