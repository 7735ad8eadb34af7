// A program on guava that uses what its updaters are for: futures of all kinds, and lists of listeners in concurrent use.
// What it prints depends on no schedule.
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.LoadingCache;
import com.google.common.cache.CacheLoader;
import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.MapMaker;
import com.google.common.util.concurrent.AbstractFuture;
import com.google.common.util.concurrent.AtomicDouble;
import com.google.common.util.concurrent.AtomicDoubleArray;
import com.google.common.util.concurrent.Callables;
import com.google.common.util.concurrent.ClosingFuture;
import com.google.common.util.concurrent.ExecutionSequencer;
import com.google.common.util.concurrent.FluentFuture;
import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.ListenableFutureTask;
import com.google.common.util.concurrent.ListeningExecutorService;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.SettableFuture;
import com.google.common.util.concurrent.Uninterruptibles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

class Guava {
    static void show(String label, Callable<?> work) {
        Object result;
        try {
            result = work.call();
        } catch (Throwable thrown) {
            result = thrown.getClass().getSimpleName() + (thrown.getCause() == null ? "" : " of " + thrown.getCause().getClass().getSimpleName());
        }
        System.out.println(label + ": " + result);
    }

    static final class Own extends AbstractFuture<String> {
        int interrupted;

        boolean put(String value) {
            return set(value);
        }

        boolean fail(Throwable problem) {
            return setException(problem);
        }

        boolean follow(ListenableFuture<String> other) {
            return setFuture(other);
        }

        @Override
        protected void interruptTask() {
            interrupted++;
        }
    }

    static void futures() throws Exception {
        Own own = new Own();
        AtomicInteger told = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            own.addListener(told::incrementAndGet, MoreExecutors.directExecutor());
        }
        show("own", () -> own.isDone() + " " + own.put("a") + own.put("b") + own.fail(new IllegalStateException()) + own.cancel(true) + " " + own.get() + told);
        own.addListener(told::incrementAndGet, MoreExecutors.directExecutor());
        show("late listener", told::get);
        Own cancelled = new Own();
        show("cancelled", () -> cancelled.cancel(true) + " " + cancelled.isCancelled() + cancelled.interrupted + cancelled.put("a"));
        show("cancelled", cancelled::get);
        Own failed = new Own();
        show("failed", () -> failed.fail(new IllegalStateException("reason")));
        show("failed", failed::get);
        Own following = new Own();
        SettableFuture<String> followed = SettableFuture.create();
        show("following", () -> following.follow(followed) + " " + following.isDone() + following.put("x") + followed.set("y") + following.get());
        Own chain = new Own();
        SettableFuture<String> source = SettableFuture.create();
        chain.follow(source);
        show("cancels what it follows", () -> chain.cancel(false) + " " + source.isCancelled());
        show("timeout", () -> new Own().get(5, TimeUnit.MILLISECONDS));
        for (int round = 0; round < 50; round++) {
            Own raced = new Own();
            AtomicInteger winners = new AtomicInteger();
            AtomicInteger listeners = new AtomicInteger();
            Thread[] threads = new Thread[4];
            for (int i = 0; i < threads.length; i++) {
                int n = i;
                threads[i] = new Thread(() -> {
                    raced.addListener(listeners::incrementAndGet, MoreExecutors.directExecutor());
                    if (n < 2) {
                        winners.addAndGet(raced.put("v") ? 1 : 0);
                    } else {
                        Uninterruptibles.awaitUninterruptibly(new java.util.concurrent.CountDownLatch(0));
                        try {
                            raced.get();
                        } catch (Exception e) {
                            winners.addAndGet(100);
                        }
                    }
                });
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            if (winners.get() != 1 || listeners.get() != 4) {
                System.out.println("winners " + winners + ", listeners " + listeners);
            }
        }
        System.out.println(new Own().toString().replaceAll("@[0-9a-f]+", ""));
        System.out.println(own.toString().replaceAll("@[0-9a-f]+", ""));
    }

    static void combined() throws Exception {
        ListeningExecutorService pool = MoreExecutors.listeningDecorator(Executors.newFixedThreadPool(3));
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        List<ListenableFuture<Integer>> parts = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int n = i;
            parts.add(pool.submit(() -> n));
        }
        show("all", () -> Futures.allAsList(parts).get().stream().mapToInt(Integer::intValue).sum());
        parts.set(7, Futures.immediateFailedFuture(new IllegalStateException("seventh")));
        show("all, one fails", () -> Futures.allAsList(parts).get());
        show("successful", () -> Futures.successfulAsList(parts).get().stream().filter(n -> n == null).count());
        show("transformed", () -> Futures.transform(parts.get(3), n -> n * 10, pool).get());
        show("transformed async", () -> Futures.transformAsync(parts.get(3), n -> Futures.immediateFuture(n + "!"), pool).get());
        show("caught", () -> Futures.catching(parts.get(7), IllegalStateException.class, e -> -1, MoreExecutors.directExecutor()).get());
        show("combined", () -> Futures.whenAllSucceed(parts.get(1), parts.get(2)).call(() -> "both", pool).get());
        show("with timeout", () -> Futures.withTimeout(SettableFuture.create(), 5, TimeUnit.MILLISECONDS, timer).get());
        show("in time", () -> Futures.withTimeout(parts.get(5), 1, TimeUnit.HOURS, timer).get());
        show("fluent", () -> FluentFuture.from(parts.get(6)).transform(n -> n + 1, pool).catching(Exception.class, e -> 0, pool).get());
        show("in completion order", () -> {
            int sum = 0;
            for (ListenableFuture<Integer> part : Futures.inCompletionOrder(parts.subList(10, 20))) {
                sum += part.get();
            }
            return sum;
        });
        AtomicLong called = new AtomicLong();
        for (ListenableFuture<Integer> part : parts) {
            Futures.addCallback(part, new FutureCallback<Integer>() {
                @Override
                public void onSuccess(Integer n) {
                    called.addAndGet(n);
                }

                @Override
                public void onFailure(Throwable problem) {
                    called.addAndGet(1_000_000);
                }
            }, MoreExecutors.directExecutor());
        }
        System.out.println("callbacks: " + called);
        ListenableFuture<Integer> first = SettableFuture.create();
        ListenableFuture<List<Integer>> waiting = Futures.allAsList(first, parts.get(1));
        show("cancel", () -> waiting.cancel(true) + " " + first.isCancelled());
        ListenableFuture<Integer> shielded = Futures.nonCancellationPropagating(SettableFuture.<Integer>create());
        show("shielded", () -> shielded.cancel(true) + " " + shielded.isCancelled());
        ListenableFutureTask<String> task = ListenableFutureTask.create(Callables.returning("task"));
        pool.execute(task);
        show("task", task::get);
        ExecutionSequencer sequencer = ExecutionSequencer.create();
        StringBuffer order = new StringBuffer();
        List<ListenableFuture<?>> steps = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int n = i;
            steps.add(sequencer.submit(() -> order.append(n), pool));
        }
        Futures.allAsList(steps).get();
        System.out.println("sequence: " + order);
        Executor sequential = MoreExecutors.newSequentialExecutor(pool);
        int[] plain = new int[1];
        SettableFuture<Integer> end = SettableFuture.create();
        for (int i = 0; i < 1000; i++) {
            sequential.execute(() -> plain[0]++);
        }
        sequential.execute(() -> end.set(plain[0]));
        System.out.println("sequential: " + end.get());
        show("closing", () -> ClosingFuture.<String>submit(closer -> "closed", pool).finishToFuture().get());
        show("interrupted", () -> {
            ListenableFuture<?> sleeping = pool.submit(() -> { Thread.sleep(3_600_000); return null; });
            return sleeping.cancel(true) + " " + sleeping.isDone();
        });
        pool.shutdown();
        timer.shutdown();
        System.out.println("shut down: " + pool.awaitTermination(20, TimeUnit.SECONDS));
    }

    static void others() throws Exception {
        AtomicDouble sum = new AtomicDouble();
        AtomicDoubleArray array = new AtomicDoubleArray(2);
        ConcurrentHashMultiset<String> words = ConcurrentHashMultiset.create();
        ConcurrentMap<Integer, String> weak = new MapMaker().weakValues().makeMap();
        AtomicInteger loads = new AtomicInteger();
        LoadingCache<Integer, String> cache = CacheBuilder.newBuilder().maximumSize(1000).recordStats().build(new CacheLoader<Integer, String>() {
            @Override
            public String load(Integer key) {
                loads.incrementAndGet();
                return "value " + key;
            }
        });
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 0; n < 1000; n++) {
                    sum.addAndGet(0.5);
                    array.addAndGet(n & 1, 1);
                    words.add("w" + n % 3);
                    weak.putIfAbsent(n, "kept");
                    cache.getUnchecked(n % 100);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(sum + " " + array + " " + words.count("w0") + " " + weak.size() + " " + loads + " " + cache.stats().requestCount());
    }

    public static void main(String[] args) throws Exception {
        futures();
        combined();
        others();
        System.out.println("done");
    }
}
