// Arguments are evaluated before a bad holder is noticed, and one that throws comes first.
package holders;

import check.Out;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class ArgumentsBeforeFailure {
    volatile long l;
    volatile String r;
    private static final AtomicLongFieldUpdater<ArgumentsBeforeFailure> L =
            AtomicLongFieldUpdater.newUpdater(ArgumentsBeforeFailure.class, "l"); //> removed
    private static final AtomicReferenceFieldUpdater<ArgumentsBeforeFailure, String> R =
            AtomicReferenceFieldUpdater.newUpdater(ArgumentsBeforeFailure.class, String.class, "r"); //> removed

    static <T> T fail(String text) {
        Out.line("  " + text);
        throw new IllegalStateException();
    }

    static boolean first(ArgumentsBeforeFailure it) {
        return R.compareAndSet(it, ArgumentsBeforeFailure.<String>fail("old"), Out.say("new", "n")); //> replaced
    }

    static boolean second(ArgumentsBeforeFailure it) {
        return L.compareAndSet(Out.say("holder", it), Out.say("old", 0L), ArgumentsBeforeFailure.<Long>fail("new")); //> replaced
    }

    static boolean holder(ArgumentsBeforeFailure it) {
        return L.compareAndSet(ArgumentsBeforeFailure.<ArgumentsBeforeFailure>fail("holder"), 0, Out.say("new", 1L)); //> replaced
    }

    /** An argument that changes what the holder's local is. */
    static long reassigned(ArgumentsBeforeFailure it) {
        return L.getAndAdd(it, (it = new ArgumentsBeforeFailure()) == null ? 1 : 2) * 10 + it.l; //> replaced
    }

    public static void main(String[] args) {
        ArgumentsBeforeFailure it = new ArgumentsBeforeFailure();
        Out.show("first, null", () -> first(null));
        Out.show("first", () -> first(it));
        Out.show("second, null", () -> second(null));
        Out.show("second", () -> second(it));
        Out.show("holder", () -> holder(it));
        Out.show("reassigned", () -> reassigned(it));
        Out.show("reassigned, null", () -> reassigned(null));
        Out.line(it.l);
    }
}
