// A serializable class without serialVersionUID: what is computed for it stays the same, whatever goes or comes.
// differs: 8
package classes;

import check.Out;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

class Serializable {
    static class Plain implements java.io.Serializable {
        private volatile int x;
        private static final AtomicIntegerFieldUpdater<Plain> X = AtomicIntegerFieldUpdater.newUpdater(Plain.class, "x");

        int hit() {
            return X.incrementAndGet(this); //> replaced
        }
    }

    static class OnlyGetAndSet implements java.io.Serializable {
        private volatile Object r;
        private static final AtomicReferenceFieldUpdater<OnlyGetAndSet, Object> R =
                AtomicReferenceFieldUpdater.newUpdater(OnlyGetAndSet.class, Object.class, "r");

        Object put(Object value) {
            R.set(this, value); //> replaced: putfield
            return R.get(this); //> replaced: getfield
        }
    }

    static class PackagePrivate implements java.io.Serializable {
        volatile int x;
        static final AtomicIntegerFieldUpdater<PackagePrivate> X =
                AtomicIntegerFieldUpdater.newUpdater(PackagePrivate.class, "x");

        int hit() {
            return X.incrementAndGet(this); //> replaced
        }

        static class Other {
            int hit(PackagePrivate it) {
                return X.addAndGet(it, 10); //> replaced
            }
        }
    }

    static class WithAccessor implements java.io.Serializable {
        private volatile int x;
        private static final AtomicIntegerFieldUpdater<WithAccessor> X =
                AtomicIntegerFieldUpdater.newUpdater(WithAccessor.class, "x");

        static AtomicIntegerFieldUpdater<WithAccessor> x() {
            return X;
        }

        class Inner {
            int hit() {
                return X.incrementAndGet(WithAccessor.this) + x().get(WithAccessor.this); //> replaced
            }
        }
    }

    static class WithUid implements java.io.Serializable {
        private static final long serialVersionUID = 42;
        private volatile int x;
        private static final AtomicIntegerFieldUpdater<WithUid> X = AtomicIntegerFieldUpdater.newUpdater(WithUid.class, "x"); //> removed

        int hit() {
            return X.incrementAndGet(this); //> replaced
        }
    }

    static class Inherited extends RuntimeException {
        private volatile int x;
        private static final AtomicIntegerFieldUpdater<Inherited> X =
                AtomicIntegerFieldUpdater.newUpdater(Inherited.class, "x");

        int hit() {
            return X.incrementAndGet(this); //> replaced
        }
    }

    static void uid(Class<?> type) {
        Out.line(type.getSimpleName() + " " + ObjectStreamClass.lookup(type).getSerialVersionUID());
    }

    @SuppressWarnings("unchecked")
    static <T> T copy(T it) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(it);
        }
        ClassLoader loader = Serializable.class.getClassLoader();
        ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass type) throws ClassNotFoundException {
                return Class.forName(type.getName(), false, loader);
            }
        };
        return (T) in.readObject();
    }

    public static void main(String[] args) throws Exception {
        Class<?>[] types = {Plain.class, OnlyGetAndSet.class, PackagePrivate.class, WithAccessor.class, WithUid.class, Inherited.class};
        for (Class<?> type : types) {
            uid(type);
        }
        Plain plain = new Plain();
        plain.hit();
        Out.line(copy(plain).hit() + " " + plain.hit());
        OnlyGetAndSet only = new OnlyGetAndSet();
        only.put("text");
        Out.line(copy(only).r);
        PackagePrivate shared = new PackagePrivate();
        shared.hit();
        Out.line(new PackagePrivate.Other().hit(copy(shared)));
        WithAccessor accessor = new WithAccessor();
        Out.line(accessor.new Inner().hit() + " " + copy(accessor).x);
        WithUid uid = new WithUid();
        uid.hit();
        Out.line(copy(uid).hit());
        Out.line(new Inherited().hit());
    }
}
