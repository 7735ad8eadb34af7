// A program on netty that uses what its updaters are for: reference counts, promises, event loops, channels, recyclers,
// timers, attributes. What it prints depends on no schedule.
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.AttributeKey;
import io.netty.util.DefaultAttributeMap;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Recycler;
import io.netty.util.ReferenceCounted;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.PlatformDependent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

class Netty {
    static void show(String label, Callable<?> work) {
        Object result;
        try {
            result = work.call();
        } catch (Throwable thrown) {
            result = thrown.getClass().getSimpleName() + " " + String.valueOf(thrown.getMessage()).replaceAll("@[0-9a-f]+", "");
        }
        System.out.println(label + ": " + result);
    }

    static void threads(int count, Runnable work) throws InterruptedException {
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            threads[i] = new Thread(work);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static final class Counted extends AbstractReferenceCounted {
        int deallocated;

        @Override
        protected void deallocate() {
            deallocated++;
        }

        @Override
        public ReferenceCounted touch(Object hint) {
            return this;
        }
    }

    static void referenceCounts() throws Exception {
        Counted counted = new Counted();
        show("retain", () -> counted.retain().retain(3).refCnt());
        show("release", () -> counted.release(4) + " " + counted.refCnt());
        show("too much", () -> counted.release(2));
        threads(4, () -> {
            for (int i = 0; i < 2000; i++) {
                counted.retain();
                counted.release();
            }
        });
        show("threads", () -> counted.refCnt() + " " + counted.release() + " " + counted.refCnt() + " " + counted.deallocated);
        show("released", counted::retain);
        show("released", counted::release);
        show("negative", () -> new Counted().retain(0));
        for (ByteBufAllocator allocator : new ByteBufAllocator[] {PooledByteBufAllocator.DEFAULT, UnpooledByteBufAllocator.DEFAULT}) {
            for (boolean direct : new boolean[] {false, true}) {
                ByteBuf buffer = direct ? allocator.directBuffer(64) : allocator.heapBuffer(64);
                buffer.writeLong(42).writeInt(7);
                ByteBuf slice = buffer.retainedSlice(0, 8);
                ByteBuf copy = buffer.retainedDuplicate();
                show("buffer", () -> buffer.refCnt() + " " + slice.readLong() + " " + slice.release() + copy.release() + buffer.release());
                show("buffer released", buffer::readByte);
                show("buffer released", () -> buffer.release());
            }
        }
        CompositeByteBuf composite = Unpooled.compositeBuffer();
        composite.addComponents(true, Unpooled.copyInt(1), Unpooled.copyInt(2, 3));
        show("composite", () -> composite.readableBytes() + " " + composite.refCnt() + " " + composite.release());
    }

    static void promises() throws Exception {
        AtomicInteger told = new AtomicInteger();
        Promise<String> promise = ImmediateEventExecutor.INSTANCE.newPromise();
        promise.addListener(future -> told.incrementAndGet());
        show("promise", () -> promise.isDone() + " " + promise.trySuccess("a") + " " + promise.trySuccess("b") + " " + promise.getNow());
        show("again", () -> promise.setSuccess("c").getNow().length());
        show("cancel", () -> promise.cancel(true) + " " + promise.setUncancellable() + " " + told.get());
        Promise<String> cancelled = ImmediateEventExecutor.INSTANCE.newPromise();
        show("cancelled", () -> cancelled.cancel(false) + " " + cancelled.isCancelled() + " " + cancelled.trySuccess("a"));
        show("cancelled", cancelled::get);
        Promise<String> uncancellable = ImmediateEventExecutor.INSTANCE.newPromise();
        show("uncancellable", () -> uncancellable.setUncancellable() + " " + uncancellable.cancel(true) + " " + uncancellable.tryFailure(new IllegalStateException("failed")));
        show("failed", () -> uncancellable.sync());
        for (int round = 0; round < 50; round++) {
            Promise<Integer> raced = ImmediateEventExecutor.INSTANCE.newPromise();
            AtomicInteger winners = new AtomicInteger();
            threads(3, () -> {
                if (raced.trySuccess(1)) {
                    winners.incrementAndGet();
                }
            });
            if (winners.get() != 1) {
                System.out.println("several winners");
            }
        }
    }

    static void executors() throws Exception {
        DefaultEventExecutorGroup group = new DefaultEventExecutorGroup(2);
        AtomicLong sum = new AtomicLong();
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            int n = i;
            futures.add(group.submit(() -> sum.addAndGet(n)));
        }
        for (Future<?> future : futures) {
            future.sync();
        }
        System.out.println("executors: " + sum.get());
        EventExecutor executor = group.next();
        List<Integer> order = new ArrayList<>();
        executor.submit(() -> order.add(1)).sync();
        executor.schedule(() -> order.add(2), 20, TimeUnit.MILLISECONDS);
        Future<?> last = executor.schedule(() -> order.add(3), 40, TimeUnit.MILLISECONDS);
        Future<?> never = executor.schedule(() -> order.add(4), 1, TimeUnit.HOURS);
        last.sync();
        System.out.println("scheduled: " + order + " " + never.cancel(false));
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        System.out.println("shut down: " + group.isTerminated() + " " + executor.isShuttingDown());
        show("rejected", () -> executor.submit(() -> 1));
        DefaultEventExecutor single = new DefaultEventExecutor();
        show("in loop", () -> single.submit(() -> single.inEventLoop()).get());
        single.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        for (Queue<Integer> queue : List.of(PlatformDependent.<Integer>newMpscQueue(), PlatformDependent.<Integer>newMpscQueue(64),
                PlatformDependent.<Integer>newSpscQueue(), PlatformDependent.<Integer>newFixedMpscQueue(8))) {
            int offered = 0;
            while (offered < 100 && queue.offer(offered)) {
                offered++;
            }
            int polled = 0;
            while (queue.poll() != null) {
                polled++;
            }
            System.out.println("queue: " + offered + " " + polled);
        }
    }

    static class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    static void channels() throws Exception {
        EmbeddedChannel embedded = new EmbeddedChannel(new LengthFieldPrepender(4), new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4));
        show("embedded", () -> embedded.writeOutbound(Unpooled.copyLong(5, 6)));
        ByteBuf head = embedded.readOutbound();
        ByteBuf body = embedded.readOutbound();
        show("in", () -> embedded.writeInbound(head, body) + " " + embedded.<ByteBuf>readInbound().readLong() + " " + embedded.finish());

        DefaultEventLoopGroup group = new DefaultEventLoopGroup(2);
        LocalAddress address = new LocalAddress("r8lite");
        Channel server = new ServerBootstrap().group(group).channel(LocalServerChannel.class).childHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new Echo());
            }
        }).bind(address).sync().channel();
        CountDownLatch received = new CountDownLatch(100);
        AtomicLong sum = new AtomicLong();
        Channel client = new Bootstrap().group(group).channel(LocalChannel.class).handler(new SimpleChannelInboundHandler<Object>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, Object message) {
                sum.addAndGet((Integer) message);
                received.countDown();
            }
        }).connect(address).sync().channel();
        for (int i = 0; i < 100; i++) {
            client.writeAndFlush(i);
        }
        received.await(20, TimeUnit.SECONDS);
        System.out.println("local: " + sum.get() + " " + client.isActive());
        client.close().sync();
        server.close().sync();
        System.out.println("closed: " + client.isOpen() + server.isOpen());
        show("refused", () -> new Bootstrap().group(group).channel(LocalChannel.class).handler(new Echo()).connect(address).sync().channel());
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();

        NioEventLoopGroup nio = new NioEventLoopGroup(2);
        Channel listening = new ServerBootstrap().group(nio).channel(NioServerSocketChannel.class).childHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(16, 64));
                channel.pipeline().addLast(new LengthFieldPrepender(4), new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4), new Echo());
            }
        }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
        CountDownLatch echoed = new CountDownLatch(200);
        AtomicLong bytes = new AtomicLong();
        Channel socket = new Bootstrap().group(nio).channel(NioSocketChannel.class).handler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new LengthFieldPrepender(4), new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4),
                        new SimpleChannelInboundHandler<ByteBuf>() {
                            @Override
                            protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                                bytes.addAndGet(message.readableBytes());
                                echoed.countDown();
                            }
                        });
            }
        }).connect(listening.localAddress()).sync().channel();
        for (int i = 0; i < 200; i++) {
            socket.writeAndFlush(socket.alloc().buffer().writeZero(i));
        }
        echoed.await(20, TimeUnit.SECONDS);
        System.out.println("socket: " + bytes.get() + " " + socket.isOpen());
        AttributeKey<String> key = AttributeKey.valueOf("key");
        System.out.println("attribute: " + socket.attr(key).setIfAbsent("a") + socket.attr(key).setIfAbsent("b") + socket.attr(key).compareAndSet("a", "c") + socket.attr(key).getAndSet("d") + socket.hasAttr(key));
        socket.close().sync();
        listening.close().sync();
        nio.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    static final class Recycled {
        final Recycler.Handle<Recycled> handle;

        Recycled(Recycler.Handle<Recycled> handle) {
            this.handle = handle;
        }
    }

    static void others() throws Exception {
        Recycler<Recycled> recycler = new Recycler<Recycled>() {
            @Override
            protected Recycled newObject(Handle<Recycled> handle) {
                return new Recycled(handle);
            }
        };
        Recycled first = recycler.get();
        first.handle.recycle(first);
        System.out.println("recycled: " + (recycler.get() == first));
        show("twice", () -> { first.handle.recycle(first); first.handle.recycle(first); return "done"; });
        Recycled second = recycler.get();
        Thread other = new Thread(() -> second.handle.recycle(second));
        other.start();
        other.join();
        System.out.println("recycled: " + (recycler.get() != null));

        HashedWheelTimer timer = new HashedWheelTimer(1, TimeUnit.MILLISECONDS);
        CountDownLatch fired = new CountDownLatch(20);
        List<Timeout> timeouts = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            timeouts.add(timer.newTimeout(timeout -> fired.countDown(), i, TimeUnit.MILLISECONDS));
        }
        Timeout later = timer.newTimeout(timeout -> fired.countDown(), 1, TimeUnit.HOURS);
        System.out.println("timer: " + later.cancel() + later.cancel() + later.isCancelled() + " " + fired.await(20, TimeUnit.SECONDS));
        System.out.println("timer: " + timeouts.get(0).isExpired() + timeouts.get(0).cancel() + " " + timer.stop().size());
        show("stopped", () -> timer.newTimeout(timeout -> {}, 1, TimeUnit.SECONDS));

        DefaultAttributeMap map = new DefaultAttributeMap();
        AttributeKey<Integer> number = AttributeKey.valueOf("number");
        AtomicInteger set = new AtomicInteger();
        threads(4, () -> {
            if (map.attr(number).setIfAbsent(1) == null) {
                set.incrementAndGet();
            }
            for (int i = 0; i < 1000; i++) {
                int seen;
                do {
                    seen = map.attr(number).get();
                } while (!map.attr(number).compareAndSet(seen, seen + 1) && seen < 100);
                map.attr(AttributeKey.valueOf("key" + i)).set(i);
            }
        });
        System.out.println("attributes: " + set.get() + " " + map.hasAttr(AttributeKey.valueOf("key999")));
    }

    public static void main(String[] args) throws Exception {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        referenceCounts();
        promises();
        executors();
        channels();
        others();
        System.out.println("done");
    }
}
