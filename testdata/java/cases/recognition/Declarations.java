// Updaters that are not static final and assigned once: their calls stay, and do what they did.
package recognition;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class Declarations {
    volatile int x;
    volatile int y;

    static AtomicIntegerFieldUpdater<Declarations> notFinal =
            AtomicIntegerFieldUpdater.newUpdater(Declarations.class, "x");
    private static AtomicIntegerFieldUpdater<Declarations> writtenTwice =
            AtomicIntegerFieldUpdater.newUpdater(Declarations.class, "x");
    static AtomicIntegerFieldUpdater<Declarations> neverWritten;
    private static final AtomicIntegerFieldUpdater<Declarations> EXPLICIT_NULL = null;
    private static final AtomicIntegerFieldUpdater<Declarations> CONDITIONAL;
    private static final AtomicIntegerFieldUpdater<Declarations> MAYBE;
    private static final AtomicIntegerFieldUpdater<Declarations> BY_METHOD = make("x");
    private final AtomicIntegerFieldUpdater<Declarations> instance =
            AtomicIntegerFieldUpdater.newUpdater(Declarations.class, "y");

    static {
        if (Declarations.class.getName().length() > 3) {
            CONDITIONAL = AtomicIntegerFieldUpdater.newUpdater(Declarations.class, "x");
        } else {
            CONDITIONAL = AtomicIntegerFieldUpdater.newUpdater(Declarations.class, "y");
        }
        MAYBE = Declarations.class.getName().isEmpty() ? null
                : AtomicIntegerFieldUpdater.newUpdater(Declarations.class, "y");
    }

    static AtomicIntegerFieldUpdater<Declarations> make(String name) {
        return AtomicIntegerFieldUpdater.newUpdater(Declarations.class, name);
    }

    static int notFinal(Declarations it) {
        return notFinal.incrementAndGet(it); //> kept
    }

    static int writtenTwice(Declarations it) {
        return writtenTwice.incrementAndGet(it); //> kept
    }

    static int neverWritten(Declarations it) {
        return neverWritten.addAndGet(it, Out.say("by", 1)); //> kept
    }

    static int explicitNull(Declarations it) {
        return EXPLICIT_NULL.addAndGet(it, Out.say("by", 1)); //> kept
    }

    static int conditional(Declarations it) {
        return CONDITIONAL.incrementAndGet(it); //> kept
    }

    static int maybe(Declarations it) {
        return MAYBE.incrementAndGet(it); //> kept
    }

    static int byMethod(Declarations it) {
        return BY_METHOD.incrementAndGet(it); //> kept
    }

    static int instance(Declarations it) {
        return it.instance.incrementAndGet(it); //> kept
    }

    static int onTheSpot(Declarations it) {
        return AtomicIntegerFieldUpdater.newUpdater(Declarations.class, "y").incrementAndGet(it); //> kept
    }

    public static void main(String[] args) {
        Declarations it = new Declarations();
        Out.line(notFinal(it) + " " + writtenTwice(it));
        notFinal = writtenTwice = AtomicIntegerFieldUpdater.newUpdater(Declarations.class, "y");
        Out.line(notFinal(it) + " " + writtenTwice(it));
        Out.show("never written", () -> neverWritten(it));
        Out.show("explicit null", () -> explicitNull(null));
        Out.line(conditional(it) + " " + maybe(it) + " " + byMethod(it) + " " + instance(it) + " " + onTheSpot(it));
        Out.show("instance, null", () -> instance(null));
        Out.show("on the spot, null", () -> onTheSpot(null));
        Out.line(it.x + " " + it.y);
    }
}
