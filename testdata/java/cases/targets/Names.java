// The name of the field is not a constant, or is one that is put together by the compiler.
package targets;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Names {
    volatile int abc;
    static final String PREFIX = "a";
    static String computed = "ab";
    private static final AtomicIntegerFieldUpdater<Names> CONSTANT =
            AtomicIntegerFieldUpdater.newUpdater(Names.class, PREFIX + "bc"); //> removed
    private static final AtomicIntegerFieldUpdater<Names> COMPUTED =
            AtomicIntegerFieldUpdater.newUpdater(Names.class, computed + "c");
    private static final AtomicIntegerFieldUpdater<Names> CLASS =
            AtomicIntegerFieldUpdater.newUpdater(pick(), "abc");

    static Class<Names> pick() {
        return Names.class;
    }

    int constant() {
        return CONSTANT.incrementAndGet(this); //> replaced
    }

    int computed() {
        return COMPUTED.incrementAndGet(this); //> kept
    }

    int byClass() {
        return CLASS.incrementAndGet(this); //> kept
    }

    public static void main(String[] args) {
        Names it = new Names();
        Out.line(it.constant() + " " + it.computed() + " " + it.byClass());
    }
}
