// An updater that is assigned from another class is not recognised.
package recognition;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

class FromOutside {
    volatile int x;
    volatile int y;
    static AtomicIntegerFieldUpdater<FromOutside> updater;

    static class Setter {
        static void set(String name) {
            updater = AtomicIntegerFieldUpdater.newUpdater(FromOutside.class, name);
        }
    }

    static int hit(FromOutside it) {
        return updater.incrementAndGet(it); //> kept
    }

    public static void main(String[] args) {
        FromOutside it = new FromOutside();
        Out.show("null", () -> hit(it));
        Setter.set("x");
        Out.line(hit(it));
        Setter.set("y");
        Out.line(hit(it) + hit(it) + " " + it.x + " " + it.y);
    }
}
