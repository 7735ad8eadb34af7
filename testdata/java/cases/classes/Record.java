// Updaters in a record, on a field of another class.
// since: 17
package classes;

import check.Out;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

record Record(Cell cell, long by) {
    static final class Cell {
        volatile int x;
        private volatile int hidden;
    }

    private static final AtomicIntegerFieldUpdater<Cell> X = AtomicIntegerFieldUpdater.newUpdater(Cell.class, "x"); //> removed
    private static final AtomicIntegerFieldUpdater<Cell> HIDDEN =
            AtomicIntegerFieldUpdater.newUpdater(Cell.class, "hidden"); //> removed

    Record {
        X.addAndGet(cell, (int) by); //> replaced: checks the holder
    }

    int hit(Object kind) {
        return switch (String.valueOf(kind)) {
            case "null" -> -1;
            default -> X.addAndGet(cell, kind instanceof String text && !text.isEmpty() ? text.length() : 1000); //> replaced
        };
    }

    int hidden() {
        HIDDEN.set(cell, 4); //> replaced: putfield
        return HIDDEN.getAndIncrement(cell) + HIDDEN.get(cell); //> replaced
    }

    public static void main(String[] args) {
        Record it = new Record(new Cell(), 3);
        Out.line(it.hit("four") + " " + it.hit("") + " " + it.hidden());
        Out.show("null", () -> new Record(null, 3));
        Out.line(it.equals(new Record(it.cell, 3)) + " " + it.cell.x);
    }
}
