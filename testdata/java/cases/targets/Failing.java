// newUpdater that throws: while the class initialises, with the same exception; calls stay.
package targets;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

@SuppressWarnings({"unchecked", "rawtypes"})
class Failing {
    static class Base {
        volatile int inherited;
        volatile Object reference;
        private volatile int hidden;
    }

    static class Heir extends Base {}

    static class NotVolatile {
        int x;
        static final AtomicIntegerFieldUpdater<NotVolatile> X = AtomicIntegerFieldUpdater.newUpdater(NotVolatile.class, "x");

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class StaticVolatile {
        static volatile int x;
        static final AtomicIntegerFieldUpdater<StaticVolatile> X =
                AtomicIntegerFieldUpdater.newUpdater(StaticVolatile.class, "x");

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class Missing {
        static final AtomicIntegerFieldUpdater<Missing> X = AtomicIntegerFieldUpdater.newUpdater(Missing.class, "absent");

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class Inherited extends Base {
        static final AtomicIntegerFieldUpdater<Inherited> X =
                AtomicIntegerFieldUpdater.newUpdater(Inherited.class, "inherited");

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class WrongType {
        volatile String r;
        static final AtomicReferenceFieldUpdater<WrongType, Object> R =
                AtomicReferenceFieldUpdater.newUpdater(WrongType.class, Object.class, "r");

        Object use() {
            return R.getAndSet(this, null); //> kept
        }
    }

    static class IntAsLong {
        volatile int x;
        static final AtomicLongFieldUpdater<IntAsLong> X = AtomicLongFieldUpdater.newUpdater(IntAsLong.class, "x");

        long use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class LongAsInt {
        volatile long x;
        static final AtomicIntegerFieldUpdater<LongAsInt> X = AtomicIntegerFieldUpdater.newUpdater(LongAsInt.class, "x");

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class BoxAsInt {
        volatile Integer x;
        static final AtomicIntegerFieldUpdater<BoxAsInt> X = AtomicIntegerFieldUpdater.newUpdater(BoxAsInt.class, "x");

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class PrimitiveAsReference {
        volatile int x;
        static final AtomicReferenceFieldUpdater X =
                AtomicReferenceFieldUpdater.newUpdater(PrimitiveAsReference.class, int.class, "x");

        Object use() {
            return X.getAndSet(this, 1); //> kept
        }
    }

    static class PrimitiveAsBox {
        volatile int x;
        static final AtomicReferenceFieldUpdater X =
                AtomicReferenceFieldUpdater.newUpdater(PrimitiveAsBox.class, Integer.class, "x");

        Object use() {
            return X.getAndSet(this, 1); //> kept
        }
    }

    static class NullName {
        volatile int x;
        static final AtomicIntegerFieldUpdater<NullName> X = AtomicIntegerFieldUpdater.newUpdater(NullName.class, null);

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class NullClass {
        volatile int x;
        static final AtomicIntegerFieldUpdater<NullClass> X =
                AtomicIntegerFieldUpdater.newUpdater((Class<NullClass>) null, "x");

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class ClassOfArray {
        volatile int x;
        static final AtomicIntegerFieldUpdater<Object[]> X = AtomicIntegerFieldUpdater.newUpdater(Object[].class, "x");

        int use() {
            return X.incrementAndGet(new Object[1]); //> kept
        }
    }

    static class NotDeclaring {
        volatile int x;
        static final AtomicIntegerFieldUpdater X = AtomicIntegerFieldUpdater.newUpdater(Heir.class, "inherited");

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    static class OtherWay {
        volatile int x;
        static final AtomicIntegerFieldUpdater X = AtomicIntegerFieldUpdater.newUpdater(Base.class, "inherited");

        int use() {
            return X.incrementAndGet(this); //> replaced
        }
    }

    static class Compiled {
        volatile boolean x;
        static final AtomicIntegerFieldUpdater<Compiled> X = AtomicIntegerFieldUpdater.newUpdater(Compiled.class, "x");

        int use() {
            return X.incrementAndGet(this); //> kept
        }
    }

    public static void main(String[] args) {
        for (int time = 0; time < 2; time++) {
            Out.show("not volatile", () -> new NotVolatile().use());
            Out.show("static volatile", () -> new StaticVolatile().use());
            Out.show("missing", () -> new Missing().use());
            Out.show("inherited", () -> new Inherited().use());
            Out.show("wrong type", () -> new WrongType().use());
            Out.show("int as long", () -> new IntAsLong().use());
            Out.show("long as int", () -> new LongAsInt().use());
            Out.show("box as int", () -> new BoxAsInt().use());
            Out.show("primitive as reference", () -> new PrimitiveAsReference().use());
            Out.show("primitive as box", () -> new PrimitiveAsBox().use());
            Out.show("null name", () -> new NullName().use());
            Out.show("null class", () -> new NullClass().use());
            Out.show("class of array", () -> new ClassOfArray().use());
            Out.show("not declaring", () -> new NotDeclaring().use());
            Out.show("other way", () -> new OtherWay().use());
            Out.show("boolean", () -> new Compiled().use());
        }
    }
}
