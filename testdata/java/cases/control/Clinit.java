// Calls within the initialiser itself: before the updater is assigned it is null, afterwards it works.
package control;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Clinit {
    static class After {
        volatile int x;
        private static final AtomicIntegerFieldUpdater<After> X =
                AtomicIntegerFieldUpdater.newUpdater(After.class, "x"); //> removed
        static final After ONE = new After();

        static {
            Out.line("after " + X.incrementAndGet(ONE)); //> replaced
            ONE.hit();
        }

        void hit() {
            Out.line("hit " + X.addAndGet(this, 10)); //> replaced
        }
    }

    static class Before {
        volatile int x;
        static final Before ONE = new Before();
        private static final AtomicIntegerFieldUpdater<Before> X;

        static {
            Out.show("early", () -> hit(ONE));
            Out.show("early, null", () -> hit(null));
            X = AtomicIntegerFieldUpdater.newUpdater(Before.class, "x"); //> removed
            Out.show("late", () -> hit(ONE));
        }

        static int hit(Before it) {
            return X.incrementAndGet(it); //> replaced: checks that the updater is assigned, checks the holder
        }
    }

    static class InConstructor {
        static final InConstructor ONE = make();
        volatile int x;
        private static final AtomicIntegerFieldUpdater<InConstructor> X =
                AtomicIntegerFieldUpdater.newUpdater(InConstructor.class, "x"); //> removed

        static InConstructor make() {
            try {
                return new InConstructor();
            } catch (RuntimeException e) {
                Out.line("no singleton: " + Out.name(e));
                return null;
            }
        }

        InConstructor() {
            X.set(this, 4); //> replaced: checks that the updater is assigned
        }
    }

    static class FirstInTry {
        volatile int x;
        private static final AtomicIntegerFieldUpdater<FirstInTry> X;

        static {
            AtomicIntegerFieldUpdater<FirstInTry> made;
            try {
                made = AtomicIntegerFieldUpdater.newUpdater(FirstInTry.class, "x");
            } catch (RuntimeException e) {
                made = null;
            }
            X = made;
        }

        int hit() {
            return X.incrementAndGet(this); //> kept
        }
    }

    public static void main(String[] args) {
        Out.line(After.ONE.x);
        Out.line(Before.ONE.x);
        Out.show("late", () -> Before.hit(new Before()));
        Out.show("late, null", () -> Before.hit(null));
        Out.line(InConstructor.ONE + " " + new InConstructor().x);
        Out.line(new FirstInTry().hit());
    }
}
