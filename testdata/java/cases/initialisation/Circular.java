// Two classes that need each other while they initialise: each order gives another of the two a null updater.
package initialisation;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Circular {
    static class A {
        volatile int x;
        static {
            Out.line("A begins");
            Out.show("B from A", () -> B.hit(new B()));
        }
        private static final AtomicIntegerFieldUpdater<A> X = AtomicIntegerFieldUpdater.newUpdater(A.class, "x"); //> removed
        static {
            Out.line("A ends");
        }

        static int hit(A it) {
            return X.incrementAndGet(it); //> replaced: checks that the updater is assigned
        }
    }

    static class B {
        volatile int x;
        static {
            Out.line("B begins");
            Out.show("A from B", () -> A.hit(new A()));
        }
        private static final AtomicIntegerFieldUpdater<B> X = AtomicIntegerFieldUpdater.newUpdater(B.class, "x"); //> removed
        static {
            Out.line("B ends");
        }

        static int hit(B it) {
            return X.incrementAndGet(it); //> replaced: checks that the updater is assigned
        }
    }

    public static void main(String[] args) {
        Out.show("B", () -> B.hit(new B()));
        Out.show("A", () -> A.hit(new A()));
        Out.show("A null", () -> A.hit(null));
    }
}
