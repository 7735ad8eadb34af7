package demo;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/** A connection that is used by several threads: the updaters of README's example of a jar. */
public class Connection {
    private volatile int users;
    private volatile String name;

    private static final AtomicIntegerFieldUpdater<Connection> USERS =
            AtomicIntegerFieldUpdater.newUpdater(Connection.class, "users");
    private static final AtomicReferenceFieldUpdater<Connection, String> NAME =
            AtomicReferenceFieldUpdater.newUpdater(Connection.class, String.class, "name");

    public boolean open(String by) {
        return USERS.getAndIncrement(this) == 0 && NAME.compareAndSet(this, null, by);
    }

    public String name() {
        return NAME.get(this);
    }
}
