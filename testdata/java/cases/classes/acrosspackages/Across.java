// A public updater of another package, on a public and on a package-private field.
package classes.acrosspackages;

import check.Out;
import classes.acrosspackages.other.Owner;

class Across extends Owner {
    static int hit(Owner it) {
        return Owner.OPEN.incrementAndGet(it) + Owner.CLOSED.addAndGet(it, 10) + Owner.GUARDED.addAndGet(it, 100); //> any
    }

    static int get(Owner it) {
        return Owner.OPEN.get(it) + Owner.GUARDED.get(it) //> any
                + Owner.CLOSED.get(it); //> kept: could not be read from here
    }

    int own() {
        OPEN.set(this, 50); //> replaced: putfield
        CLOSED.set(this, 500); //> kept: could not be read from here
        GUARDED.set(this, 5000); //> any
        return get(this) + read();
    }

    public static void main(String[] args) {
        Owner it = new Owner();
        Out.line(hit(it) + " " + get(it));
        Out.show("null", () -> hit(null));
        Out.show("null", () -> get(null));
        Out.line(new Across().own());
    }
}
