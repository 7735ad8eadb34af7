// A function that throws leaves the field alone; a null function is met after the holder was checked.
package operations;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;

class FunctionFails {
    private volatile int i = 3;
    private volatile String r = "r";
    private static final AtomicIntegerFieldUpdater<FunctionFails> I =
            AtomicIntegerFieldUpdater.newUpdater(FunctionFails.class, "i"); //> removed
    private static final AtomicReferenceFieldUpdater<FunctionFails, String> R =
            AtomicReferenceFieldUpdater.newUpdater(FunctionFails.class, String.class, "r"); //> removed

    static int throwing(int seen) {
        throw new IllegalStateException("saw " + seen);
    }

    static Object throwing(FunctionFails it) {
        return I.updateAndGet(it, FunctionFails::throwing); //> replaced
    }

    static Object nullFunction(FunctionFails it) {
        return R.getAndUpdate(it, null); //> replaced
    }

    static Object said(FunctionFails it) {
        return R.getAndUpdate(it, seen -> Out.say("called with " + seen, "s")); //> replaced
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static Object wrongResult(FunctionFails it) {
        return R.updateAndGet(it, (UnaryOperator) seen -> Out.say("called with " + seen, (Object) 5)); //> replaced
    }

    public static void main(String[] args) {
        FunctionFails it = new FunctionFails();
        Out.show("throws", () -> throwing(it));
        Out.show("throws, null holder", () -> throwing(null));
        Out.show("null function", () -> nullFunction(it));
        Out.show("null function, null holder", () -> nullFunction(null));
        Out.show("function, null holder", () -> said(null));
        Out.show("wrong result", () -> wrongResult(it));
        Out.show("wrong result, null holder", () -> wrongResult(null));
        Out.line(it.i + " " + it.r);
    }
}
