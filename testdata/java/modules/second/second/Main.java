package second;

import first.Counter;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import second.inside.Queue;

public class Main extends Counter {
    private volatile long time;
    private static final AtomicLongFieldUpdater<Main> TIME = AtomicLongFieldUpdater.newUpdater(Main.class, "time");

    static String failing(Counter it) {
        try {
            return "" + Counter.given(it) + Counter.COUNT.get(it);
        } catch (ClassCastException e) {
            return "no counter";
        }
    }

    public static void main(String[] args) {
        Main it = new Main();
        System.out.println(it.hit("a") + " " + it.hit("b") + " " + TIME.addAndGet(it, 1L << 40));
        System.out.println(Counter.COUNT.getAndAdd(it, 5) + " " + failing(it) + " " + failing(null));
        Queue queue = new Queue();
        System.out.println(queue.push("x") + " " + queue.push("y") + " " + queue.pop() + " " + Queue.size(queue));
        System.out.println(Main.class.getModule().isNamed());
    }
}
