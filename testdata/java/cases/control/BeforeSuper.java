// Calls in the arguments of super() and this(), and of new: uninitialised values are on the stack, with branches too.
package control;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class BeforeSuper {
    static class Counted {
        final int number;

        Counted(int number) {
            this.number = number;
        }
    }

    static class Child extends Counted {
        volatile int x;
        volatile Object r;
        private static final AtomicIntegerFieldUpdater<Child> X =
                AtomicIntegerFieldUpdater.newUpdater(Child.class, "x"); //> removed
        private static final AtomicReferenceFieldUpdater<Child, Object> R =
                AtomicReferenceFieldUpdater.newUpdater(Child.class, Object.class, "r"); //> removed

        Child(Child parent) {
            super(parent == null ? 0 : X.incrementAndGet(parent)); //> replaced
        }

        Child(Child parent, boolean which) {
            this(parent, which, X.getAndAdd(parent, which ? 5 : 6)); //> replaced: checks the holder
        }

        Child(Child parent, boolean which, int number) {
            super(number + (which ? X.get(parent) : R.compareAndSet(parent, which ? parent : null, "set") ? 1000 : 2000)); //> replaced
            X.set(this, number); //> replaced
        }

        static Counted made(Child from, boolean which) {
            return new Counted(X.getAndSet(from, which ? 7 : 8)); //> replaced
        }

        static Counted madeInMade(Child from, boolean which) {
            return new Child(new Child(which ? from : null), which, which ? X.addAndGet(from, which ? 1 : 2) : -1); //> replaced
        }
    }

    public static void main(String[] args) {
        Child first = new Child(null);
        Child second = new Child(first);
        Out.line(first.number + " " + first.x + " " + second.number);
        Child third = new Child(second, true);
        Child fourth = new Child(second, false);
        Out.line(third.number + " " + third.x + " " + fourth.number + " " + fourth.x + " " + second.x + second.r);
        Out.show("null", () -> new Child(null, true));
        Out.line(Child.made(second, true).number + " " + Child.made(second, false).number + " " + second.x);
        Out.line(Child.madeInMade(second, true).number);
        Out.show("null", () -> Child.madeInMade(null, true));
        Out.show("null parent", () -> Child.madeInMade(null, false).number);
    }
}
