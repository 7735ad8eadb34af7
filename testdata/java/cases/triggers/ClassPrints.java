// To read an updater initialises its class: with the first use and not with the second, before the arguments.
package triggers;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class ClassPrints {
    static class Target {
        volatile int i;
        volatile Object r;
    }

    static class Printing {
        static final AtomicIntegerFieldUpdater<Target> I = AtomicIntegerFieldUpdater.newUpdater(Target.class, "i");
        static {
            Out.line("Printing initialised");
        }
    }

    static class PrintingGet {
        static final AtomicReferenceFieldUpdater<Target, Object> R =
                AtomicReferenceFieldUpdater.newUpdater(Target.class, Object.class, "r");
        static {
            Out.line("PrintingGet initialised");
        }
    }

    static class PrintingNull {
        static final AtomicIntegerFieldUpdater<Target> I = AtomicIntegerFieldUpdater.newUpdater(Target.class, "i");
        static {
            Out.line("PrintingNull initialised");
        }
    }

    static class PrintingSet {
        static final AtomicIntegerFieldUpdater<Target> I = AtomicIntegerFieldUpdater.newUpdater(Target.class, "i");
        static {
            Out.line("PrintingSet initialised");
        }
    }

    static class PrintingUnread {
        static final AtomicIntegerFieldUpdater<Target> I = AtomicIntegerFieldUpdater.newUpdater(Target.class, "i");
        static {
            Out.line("PrintingUnread initialised");
        }
    }

    static int add(Target it) {
        return Printing.I.addAndGet(Out.say("holder", it), Out.say("by", 3)); //> replaced
    }

    static Object get(Target it) {
        return PrintingGet.R.get(Out.say("holder", it)); //> replaced
    }

    static void set(Target it) {
        PrintingSet.I.set(Out.say("holder", it), Out.say("new", 2)); //> replaced
    }

    static boolean none() {
        return PrintingNull.I.compareAndSet(null, Out.say("old", 0), Out.say("new", 3)); //> replaced
    }

    static void readOnly() {
        Object updater = PrintingUnread.I;
        Out.line("read");
    }

    static int early(Target it) {
        AtomicIntegerFieldUpdater<Target> updater = Printing.I;
        Out.line("read");
        return it == null ? -1 : updater.getAndIncrement(it); //> replaced
    }

    public static void main(String[] args) {
        Target it = new Target();
        Out.show("add", () -> add(it));
        Out.show("add", () -> add(it));
        Out.show("add null", () -> add(null));
        Out.show("get", () -> get(it));
        Out.show("get", () -> get(it));
        Out.show("set null", () -> { set(null); return "done"; });
        Out.show("set", () -> { set(it); return it.i; });
        Out.show("null", () -> none());
        Out.show("null", () -> none());
        readOnly();
        Out.show("early", () -> early(it));
        Out.show("early null", () -> early(null));
    }
}
