// A local that is null instead of the updater: NullPointerException, also with a null holder.
package holders;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class ExplicitNullUpdater {
    volatile int x;
    private static final AtomicIntegerFieldUpdater<ExplicitNullUpdater> X =
            AtomicIntegerFieldUpdater.newUpdater(ExplicitNullUpdater.class, "x");

    static int maybe(boolean there, ExplicitNullUpdater it) {
        AtomicIntegerFieldUpdater<ExplicitNullUpdater> updater = there ? X : null;
        return updater.getAndAdd(it, Out.say("by", 2)); //> kept
    }

    static int never(ExplicitNullUpdater it) {
        AtomicIntegerFieldUpdater<ExplicitNullUpdater> updater = null;
        return updater.getAndAdd(it, Out.say("by", 2)); //> kept
    }

    public static void main(String[] args) {
        ExplicitNullUpdater it = new ExplicitNullUpdater();
        Out.show("there", () -> maybe(true, it));
        Out.show("there, null", () -> maybe(true, null));
        Out.show("not there", () -> maybe(false, it));
        Out.show("not there, null", () -> maybe(false, null));
        Out.show("never", () -> never(it));
        Out.line(it.x);
    }
}
