// The verifier lets anything pass as an interface; here a method handle gives a String as a Runnable without a cast.
package values;

import check.Out;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class InterfacePassedAsAnything {
    volatile Runnable field;
    private static final AtomicReferenceFieldUpdater<InterfacePassedAsAnything, Runnable> FIELD =
            AtomicReferenceFieldUpdater.newUpdater(InterfacePassedAsAnything.class, Runnable.class, "field"); //> removed

    static Runnable claim(Object value) throws Throwable {
        MethodHandle handle = MethodHandles.constant(Object.class, value);
        handle = MethodHandles.explicitCastArguments(handle, MethodType.methodType(Runnable.class));
        return (Runnable) handle.invokeExact();
    }

    boolean cas(Object value) throws Throwable {
        Runnable claimed = claim(value);
        return FIELD.compareAndSet(this, null, claimed); //> replaced: checks the new value
    }

    void set(Runnable claimed) {
        FIELD.set(this, claimed); //> replaced: checks the new value
    }

    static Object swap(InterfacePassedAsAnything it, Runnable claimed) {
        return FIELD.getAndSet(it, claimed); //> replaced: checks the holder, checks the new value
    }

    boolean expected(Runnable claimed) {
        return FIELD.compareAndSet(this, claimed, null); //> replaced
    }

    public static void main(String[] args) {
        InterfacePassedAsAnything it = new InterfacePassedAsAnything();
        Thread thread = new Thread();
        for (Object value : new Object[] {"text", null, thread}) {
            String name = value == null ? "null" : value.getClass().getSimpleName();
            Out.show("cas " + name, () -> it.cas(value));
            Out.show("set " + name, () -> { it.set(claim(value)); return it.field == value; });
            Out.show("swap " + name, () -> swap(it, claim(value)) == value);
            Out.show("expected " + name, () -> it.expected(claim(value)));
        }
        Out.line(it.field == thread);
    }
}
