// A private field of a nest mate: from class version 55 on the updater can be made, before that newUpdater throws.
// differs: 8
package targets;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class NestMates {
    private volatile int x;

    static class Inner {
        private static final AtomicIntegerFieldUpdater<NestMates> X =
                AtomicIntegerFieldUpdater.newUpdater(NestMates.class, "x"); //> removed; 8: any

        static int hit(NestMates it) {
            return X.incrementAndGet(it); //> replaced; 8: kept
        }
    }

    static class Owner {
        private volatile int y;
    }

    static class Middle {
        private static final AtomicIntegerFieldUpdater<Owner> Y =
                AtomicIntegerFieldUpdater.newUpdater(Owner.class, "y"); //> removed; 8: any
    }

    static class User {
        static int hit(Owner it) {
            return Middle.Y.addAndGet(it, 5) + Middle.Y.get(it); //> replaced; 8: kept
        }

        static void set(Owner it) {
            Middle.Y.set(it, 6); //> replaced; 8: kept
        }
    }

    public static void main(String[] args) {
        NestMates it = new NestMates();
        Out.show("inner", () -> Inner.hit(it));
        Out.show("inner, null", () -> Inner.hit(null));
        Owner owner = new Owner();
        Out.show("set", () -> { User.set(owner); return owner.y; });
        Out.show("hit", () -> User.hit(owner));
        Out.show("hit, null", () -> User.hit(null));
    }
}
