// Fields of each visibility in a class of the same package, and a generic class.
package targets;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Accessible {
    private static final AtomicIntegerFieldUpdater<AccessibleHolder> PACKAGE =
            AtomicIntegerFieldUpdater.newUpdater(AccessibleHolder.class, "packageX"); //> removed
    private static final AtomicIntegerFieldUpdater<AccessibleHolder> PROTECTED =
            AtomicIntegerFieldUpdater.newUpdater(AccessibleHolder.class, "protectedX"); //> removed
    private static final AtomicIntegerFieldUpdater<AccessibleHolder> PUBLIC =
            AtomicIntegerFieldUpdater.newUpdater(AccessibleHolder.class, "publicX"); //> removed
    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<AccessibleHolder, Object> GENERIC =
            AtomicReferenceFieldUpdater.newUpdater(AccessibleHolder.class, Object.class, "generic"); //> removed

    static class Private {
        private static final AtomicIntegerFieldUpdater<AccessibleHolder> X =
                AtomicIntegerFieldUpdater.newUpdater(AccessibleHolder.class, "privateX");

        static int hit(AccessibleHolder<?> it) {
            return X.incrementAndGet(it); //> kept
        }
    }

    static String use(AccessibleHolder<String> it) {
        PACKAGE.set(it, 1); //> replaced: putfield
        PROTECTED.set(it, 2); //> replaced: putfield
        PUBLIC.set(it, 3); //> replaced: putfield
        GENERIC.set(it, "text"); //> replaced: putfield
        return PACKAGE.incrementAndGet(it) + " " + PROTECTED.get(it) + " " + PUBLIC.addAndGet(it, 4) + GENERIC.get(it); //> replaced
    }

    public static void main(String[] args) {
        Out.line(use(new AccessibleHolder<>()));
        Out.show("null", () -> use(null));
        Out.show("private", () -> Private.hit(new AccessibleHolder<>()));
    }
}

class AccessibleHolder<T> {
    volatile int packageX;
    protected volatile int protectedX;
    public volatile int publicX;
    private volatile int privateX;
    volatile T generic;
}
