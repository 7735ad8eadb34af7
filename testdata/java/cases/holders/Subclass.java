// Holders of subclasses need no check; holders that may be null or of a superclass do.
package holders;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Subclass {
    static class Base {
        volatile int x;
        static final AtomicIntegerFieldUpdater<Base> X = AtomicIntegerFieldUpdater.newUpdater(Base.class, "x");

        int hit() {
            return X.incrementAndGet(this); //> replaced: getandadd
        }
    }

    static class Derived extends Base {
        int twice() {
            return Base.X.addAndGet(this, 2); //> replaced
        }

        static int fresh() {
            return X.getAndDecrement(new Derived()); //> replaced
        }
    }

    static int given(Derived it) {
        return Base.X.getAndIncrement(it); //> replaced: checks the holder
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static int raw(Object it) {
        return ((AtomicIntegerFieldUpdater) Base.X).getAndIncrement(it); //> replaced: checks the holder
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static void rawSet(Object it) {
        ((AtomicIntegerFieldUpdater) Base.X).set(it, 40); //> replaced: checks the holder
    }

    static int checked(Object it) {
        if (it instanceof Base) {
            return Base.X.get((Base) it); //> replaced
        }
        return -1;
    }

    public static void main(String[] args) {
        Derived it = new Derived();
        Out.line(it.hit() + " " + it.twice() + " " + Derived.fresh() + " " + given(it) + " " + it.x);
        Out.show("null", () -> given(null));
        Object[] others = {it, null, "text", new Object(), new int[2], new Base[1], new Subclass()};
        for (Object other : others) {
            String name = other == null ? "null" : other.getClass().getSimpleName();
            Out.show("raw " + name, () -> raw(other));
            Out.show("raw set " + name, () -> { rawSet(other); return "done"; });
            Out.show("checked " + name, () -> checked(other));
        }
    }
}
