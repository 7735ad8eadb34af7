// A program on JCTools that uses its queues with several threads. What it prints depends on no schedule.
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.*;
import org.jctools.queues.atomic.*;
import org.jctools.util.Pow2;

class JcTools {
    static void use(String name, Queue<Integer> queue, int producers, int consumers) throws InterruptedException {
        AtomicLong sum = new AtomicLong();
        AtomicInteger taken = new AtomicInteger();
        int each = 3000;
        Thread[] threads = new Thread[producers + consumers];
        for (int i = 0; i < threads.length; i++) {
            boolean produces = i < producers;
            threads[i] = new Thread(() -> {
                if (produces) {
                    for (int n = 1; n <= each; n++) {
                        while (!queue.offer(n)) {
                            Thread.yield();
                        }
                    }
                } else {
                    while (taken.get() < each * producers) {
                        Integer n = queue.poll();
                        if (n == null) {
                            Thread.yield();
                        } else {
                            sum.addAndGet(n);
                            taken.incrementAndGet();
                        }
                    }
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        int filled = 0;
        while (filled < 50 && queue.offer(filled)) {
            filled++;
        }
        Integer peeked = queue.peek();
        int size = queue.size();
        int drained = 0;
        for (Integer n = queue.poll(); n != null; n = queue.poll()) {
            drained += n;
        }
        System.out.println(name + ": " + sum + " " + filled + " " + peeked + " " + size + " " + drained + " " + queue.isEmpty());
    }

    public static void main(String[] args) throws Exception {
        use("SpscAtomicArrayQueue", new SpscAtomicArrayQueue<>(64), 1, 1);
        use("MpscAtomicArrayQueue", new MpscAtomicArrayQueue<>(64), 3, 1);
        use("SpmcAtomicArrayQueue", new SpmcAtomicArrayQueue<>(64), 1, 3);
        use("MpmcAtomicArrayQueue", new MpmcAtomicArrayQueue<>(64), 3, 3);
        use("MpscLinkedAtomicQueue", new MpscLinkedAtomicQueue<>(), 3, 1);
        use("SpscLinkedAtomicQueue", new SpscLinkedAtomicQueue<>(), 1, 1);
        use("MpscGrowableAtomicArrayQueue", new MpscGrowableAtomicArrayQueue<>(4, 256), 3, 1);
        use("MpscUnboundedAtomicArrayQueue", new MpscUnboundedAtomicArrayQueue<>(8), 3, 1);
        use("MpscChunkedAtomicArrayQueue", new MpscChunkedAtomicArrayQueue<>(4, 256), 3, 1);
        use("SpscUnboundedAtomicArrayQueue", new SpscUnboundedAtomicArrayQueue<>(8), 1, 1);
        use("SpscGrowableAtomicArrayQueue", new SpscGrowableAtomicArrayQueue<>(8, 64), 1, 1);
        use("SpscChunkedAtomicArrayQueue", new SpscChunkedAtomicArrayQueue<>(8, 64), 1, 1);
        use("MpscArrayQueue", new MpscArrayQueue<>(64), 3, 1);
        use("MpmcArrayQueue", new MpmcArrayQueue<>(64), 3, 3);
        System.out.println(Pow2.roundToPowerOfTwo(33));
        System.out.println("done");
    }
}
