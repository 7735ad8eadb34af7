// The initialiser of a superclass calls instance methods of the class: directly, by an override, and in a thread's run.
package initialisation;

import check.Out;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class FromSuperclass {
    static final List<Base> MADE = new ArrayList<>();

    abstract static class Base {
        static {
            Out.show("override", () -> Derived.make().use("a"));
        }

        Base() {
            MADE.add(this);
            Out.show("constructor", () -> use("b"));
        }

        abstract Object use(String value);
    }

    static class Derived extends Base {
        private volatile String r;
        private static final AtomicReferenceFieldUpdater<Derived, String> R =
                AtomicReferenceFieldUpdater.newUpdater(Derived.class, String.class, "r"); //> removed

        static Base make() {
            return new Derived();
        }

        @Override
        Object use(String value) {
            return Out.say("use " + value, R.getAndSet(this, value)) + r; //> replaced: checks that the updater is assigned
        }
    }

    public static void main(String[] args) {
        Out.line("start");
        Base it = Derived.make();
        Out.show("late", () -> it.use("c"));
        Out.show("first", () -> MADE.get(0).use("d"));
    }
}
