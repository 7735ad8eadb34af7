package second.inside;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

public class Queue {
    private static final class Node {
        final Object value;
        final Node next;

        Node(Object value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    private volatile Node top;
    private volatile int size;
    private static final AtomicReferenceFieldUpdater<Queue, Node> TOP =
            AtomicReferenceFieldUpdater.newUpdater(Queue.class, Node.class, "top");
    private static final AtomicIntegerFieldUpdater<Queue> SIZE = AtomicIntegerFieldUpdater.newUpdater(Queue.class, "size");

    public int push(Object value) {
        Node before;
        do {
            before = top;
        } while (!TOP.compareAndSet(this, before, new Node(value, before)));
        return SIZE.incrementAndGet(this);
    }

    public Object pop() {
        Node taken = TOP.getAndUpdate(this, node -> node == null ? null : node.next);
        return taken == null ? null : SIZE.getAndDecrement(this) + "" + taken.value;
    }

    public static int size(Queue queue) {
        return SIZE.get(queue);
    }
}
