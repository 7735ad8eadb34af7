// An updater that another class uses, one in an interface, one made from locals, one in a class with a busy initialiser.
package recognition;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Elsewhere {
    static class Owner {
        volatile int x;
        static final AtomicIntegerFieldUpdater<Owner> X = AtomicIntegerFieldUpdater.newUpdater(Owner.class, "x");
    }

    interface Constants {
        AtomicIntegerFieldUpdater<Owner> X = AtomicIntegerFieldUpdater.newUpdater(Owner.class, "x");
        static int hit(Owner it) {
            return X.getAndAdd(it, 3); //> replaced
        }
    }

    static class Heir extends Owner implements Runnable {
        @Override
        public void run() {
            Owner.X.incrementAndGet(this); //> replaced
            Heir.X.incrementAndGet(this); //> replaced
        }
    }

    static class Locals {
        volatile Object r;
        private static final AtomicReferenceFieldUpdater<Locals, Object> R;

        static {
            Class<Locals> holder = Locals.class;
            Class<Object> type = Object.class;
            String name = "r";
            R = AtomicReferenceFieldUpdater.newUpdater(holder, type, name); //> removed
        }

        Object swap(Object value) {
            return R.getAndSet(this, value); //> replaced
        }
    }

    static class Busy {
        static final int[] NUMBERS = {1, 2, 3};
        volatile int x;
        static int sum;

        static {
            for (int number : NUMBERS) {
                sum += number > 1 ? number : 0;
            }
        }
        private static final AtomicIntegerFieldUpdater<Busy> X = AtomicIntegerFieldUpdater.newUpdater(Busy.class, "x"); //> removed

        static {
            try {
                sum += Integer.parseInt("x");
            } catch (NumberFormatException e) {
                sum *= 10;
            }
        }

        int hit() {
            return X.addAndGet(this, sum); //> replaced
        }
    }

    static int use(Owner it) {
        return Owner.X.addAndGet(it, 2) + Constants.X.addAndGet(it, 20) + Constants.hit(it); //> replaced
    }

    public static void main(String[] args) {
        Heir it = new Heir();
        Out.line(use(it) + " " + it.x);
        it.run();
        Out.line(it.x);
        Out.show("null", () -> use(null));
        Locals locals = new Locals();
        Out.line(locals.swap("a") + " " + locals.swap("b") + " " + locals.r);
        Out.line(new Busy().hit());
    }
}
