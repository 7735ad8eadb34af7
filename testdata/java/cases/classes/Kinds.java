// Updaters of an enum, an interface, an abstract class, an inner class, a local class, an anonymous one, a generic one.
package classes;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.IntSupplier;

class Kinds {
    enum Color {
        RED,
        GREEN {
            @Override
            int paint() {
                return super.paint() * 100;
            }
        };

        volatile int painted;
        private static final AtomicIntegerFieldUpdater<Color> PAINTED =
                AtomicIntegerFieldUpdater.newUpdater(Color.class, "painted"); //> removed

        int paint() {
            return PAINTED.incrementAndGet(this); //> replaced
        }
    }

    interface Updaters {
        AtomicIntegerFieldUpdater<Color> PAINTED = AtomicIntegerFieldUpdater.newUpdater(Color.class, "painted");

        default int paint(Color color) {
            return PAINTED.addAndGet(color, 5); //> replaced: checks the holder
        }

        static int peek(Color color) {
            return PAINTED.get(color); //> replaced: getfield
        }

        static boolean update(Color color) {
            return PAINTED.updateAndGet(color, n -> n * 2) > 0; //> replaced
        }
    }

    abstract static class Abstract<T> {
        volatile T value;
        @SuppressWarnings("rawtypes")
        private static final AtomicReferenceFieldUpdater<Abstract, Object> VALUE =
                AtomicReferenceFieldUpdater.newUpdater(Abstract.class, Object.class, "value"); //> removed

        @SuppressWarnings("unchecked")
        T swap(T next) {
            return (T) VALUE.getAndSet(this, next); //> replaced
        }

        abstract T make();

        T once() {
            for (;;) {
                T seen = value;
                if (seen != null) {
                    return seen;
                }
                VALUE.compareAndSet(this, null, make()); //> replaced
            }
        }
    }

    static class Text extends Abstract<String> {
        @Override
        String make() {
            return swap("made") + "!";
        }
    }

    private volatile int x;
    private static final AtomicIntegerFieldUpdater<Kinds> X = AtomicIntegerFieldUpdater.newUpdater(Kinds.class, "x"); //> any

    class Inner {
        int hit() {
            return X.incrementAndGet(Kinds.this); //> replaced
        }

        class Innermost {
            int get() {
                return X.get(Kinds.this) * 10; //> replaced
            }

            void set(int value) {
                X.set(Kinds.this, value); //> replaced
            }
        }
    }

    IntSupplier local(int by) {
        class Local implements IntSupplier {
            @Override
            public int getAsInt() {
                return X.addAndGet(Kinds.this, by); //> replaced
            }
        }
        return new Local();
    }

    IntSupplier anonymous() {
        return new IntSupplier() {
            @Override
            public int getAsInt() {
                return X.getAndSet(Kinds.this, 77); //> replaced
            }
        };
    }

    public static void main(String[] args) {
        Updaters updaters = new Updaters() {};
        Out.line(Color.RED.paint() + " " + Color.GREEN.paint() + " " + updaters.paint(Color.RED));
        Out.line(Updaters.peek(Color.RED) + " " + Updaters.update(Color.RED) + " " + Color.RED.painted);
        Out.show("null", () -> updaters.paint(null));
        Out.show("null", () -> Updaters.peek(null));
        Out.show("null", () -> Updaters.update(null));
        Text text = new Text();
        Out.line(text.once() + " " + text.once() + " " + text.swap("b") + " " + text.value);
        Kinds it = new Kinds();
        Inner inner = it.new Inner();
        Inner.Innermost innermost = inner.new Innermost();
        Out.line(inner.hit() + " " + innermost.get() + " " + it.local(4).getAsInt() + " " + it.anonymous().getAsInt());
        innermost.set(8);
        Out.line(it.x);
    }
}
