// A function that changes the field is called again, with what is there now.
package operations;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class FunctionWritesTheField {
    private volatile int i;
    private volatile long l;
    private volatile Object r = "a";
    private static final AtomicIntegerFieldUpdater<FunctionWritesTheField> I =
            AtomicIntegerFieldUpdater.newUpdater(FunctionWritesTheField.class, "i"); //> removed
    private static final AtomicLongFieldUpdater<FunctionWritesTheField> L =
            AtomicLongFieldUpdater.newUpdater(FunctionWritesTheField.class, "l"); //> removed
    private static final AtomicReferenceFieldUpdater<FunctionWritesTheField, Object> R =
            AtomicReferenceFieldUpdater.newUpdater(FunctionWritesTheField.class, Object.class, "r"); //> removed
    private int calls;

    private int meddle(int seen) {
        Out.line("  sees " + seen);
        if (calls++ < 2) {
            i += 10;
        }
        return seen + 1;
    }

    private long meddle(long seen) {
        Out.line("  sees " + seen);
        if (calls++ < 4) {
            l += 10;
        }
        return seen + 1;
    }

    private Object meddle(Object seen) {
        Out.line("  sees " + seen);
        if (calls++ < 6) {
            r = r + "b";
        }
        return seen + "c";
    }

    public static void main(String[] args) {
        FunctionWritesTheField it = new FunctionWritesTheField();
        Out.line(I.getAndUpdate(it, seen -> it.meddle(seen)) + " left " + it.i); //> replaced
        Out.line(L.accumulateAndGet(it, 7, (seen, by) -> it.meddle(seen) + by) + " left " + it.l); //> replaced
        Out.line(R.updateAndGet(it, it::meddle) + " left " + it.r); //> replaced
    }
}
