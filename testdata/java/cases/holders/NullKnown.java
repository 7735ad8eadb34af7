// A holder that is the constant null: nothing but the ClassCastException comes of it.
package holders;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class NullKnown {
    volatile int i;
    volatile Object r;
    private static final AtomicIntegerFieldUpdater<NullKnown> I =
            AtomicIntegerFieldUpdater.newUpdater(NullKnown.class, "i"); //> removed
    private static final AtomicReferenceFieldUpdater<NullKnown, Object> R =
            AtomicReferenceFieldUpdater.newUpdater(NullKnown.class, Object.class, "r"); //> removed

    static boolean constant() {
        return I.compareAndSet(null, Out.say("old", 0), Out.say("new", 1)); //> replaced
    }

    static Object local() {
        NullKnown none = null;
        return R.getAndSet(none, Out.say("new", none)); //> replaced
    }

    static Object get() {
        return R.get(null); //> replaced
    }

    static Object set() {
        I.set(null, Out.say("new", 1)); //> replaced
        return "done";
    }

    public static void main(String[] args) {
        Out.show("constant", NullKnown::constant);
        Out.show("local", NullKnown::local);
        Out.show("get", NullKnown::get);
        Out.show("set", NullKnown::set);
    }
}
