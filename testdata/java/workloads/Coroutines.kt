// A program on kotlinx.coroutines that uses what its updaters are for: jobs, channels, locks, flows, select, dispatchers.
// What it prints depends on no schedule.
@file:OptIn(DelicateCoroutinesApi::class, ExperimentalCoroutinesApi::class)

import kotlinx.coroutines.*
import kotlinx.coroutines.channels.*
import kotlinx.coroutines.flow.*
import kotlinx.coroutines.selects.*
import kotlinx.coroutines.sync.*
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong

suspend fun jobs() = coroutineScope {
    val log = mutableListOf<String>()
    val job = launch {
        try {
            log += "started"
            delay(Long.MAX_VALUE)
        } catch (e: CancellationException) {
            log += "cancelled ${e.message}"
            throw e
        } finally {
            withContext(NonCancellable) {
                yield()
                log += "cleaned up"
            }
        }
    }
    yield()
    job.cancel(CancellationException("by hand"))
    job.join()
    println("job $log ${job.isCancelled} ${job.isCompleted} ${job.isActive}")

    val lazy = async(start = CoroutineStart.LAZY) { 20 }
    println("lazy ${lazy.isActive} ${lazy.await()}")
    val numbers = List(500) { async(Dispatchers.Default) { yield(); it.toLong() } }
    println("awaited ${numbers.awaitAll().sum()}")

    val failed = supervisorScope {
        val child = async<Int> { error("child failed") }
        runCatching { child.await() }.exceptionOrNull()
    }
    println("failed $failed")
    val siblings = runCatching {
        coroutineScope {
            launch { delay(Long.MAX_VALUE) }
            launch { throw IllegalArgumentException("sibling") }
        }
    }
    println("siblings ${siblings.exceptionOrNull()}")

    val deferred = CompletableDeferred<String>()
    val handles = AtomicInteger()
    deferred.invokeOnCompletion { handles.incrementAndGet() }
    val removed = deferred.invokeOnCompletion { handles.addAndGet(100) }
    removed.dispose()
    println("completed ${deferred.complete("value")} ${deferred.complete("again")} ${deferred.await()} ${handles.get()}")
    println("timeout ${withTimeoutOrNull(20) { delay(Long.MAX_VALUE) }} ${withTimeoutOrNull(60_000) { "in time" }}")

    // Many cancellations at once, from several threads.
    val cancelled = AtomicInteger()
    val parents = List(200) {
        launch(Dispatchers.Default) {
            repeat(5) {
                launch {
                    try {
                        awaitCancellation()
                    } finally {
                        cancelled.incrementAndGet()
                    }
                }
            }
            yield()
            coroutineContext.cancelChildren()
        }
    }
    parents.joinAll()
    println("children ${parents.all { it.isCompleted && !it.isCancelled }} ${cancelled.get() <= 1000}")
}

suspend fun channels() = coroutineScope {
    for (capacity in listOf(Channel.RENDEZVOUS, 1, 16, Channel.UNLIMITED)) {
        val channel = Channel<Int>(capacity)
        val sum = AtomicLong()
        val consumers = List(4) { launch(Dispatchers.Default) { for (n in channel) sum.addAndGet(n.toLong()) } }
        val producers = List(4) { p -> launch(Dispatchers.Default) { for (n in 0 until 500) channel.send(p * 1000 + n) } }
        producers.joinAll()
        channel.close()
        consumers.joinAll()
        println("channel ${sum.get()} ${channel.isClosedForReceive}")
    }
    val conflated = Channel<Int>(Channel.CONFLATED)
    repeat(10) { conflated.send(it) }
    println("conflated ${conflated.receive()} ${conflated.tryReceive().isFailure}")
    val dropping = Channel<Int>(2, BufferOverflow.DROP_OLDEST)
    repeat(5) { dropping.trySend(it) }
    dropping.close(IllegalStateException("closed"))
    println("dropping ${dropping.receive()} ${dropping.receive()} ${runCatching { dropping.receive() }.exceptionOrNull()}")
    val small = Channel<Int>(1)
    println("try ${small.trySend(1).isSuccess} ${small.trySend(2).isSuccess} ${small.tryReceive().getOrNull()}")
    val undelivered = mutableListOf<Int>()
    val lossy = Channel<Int>(8) { undelivered += it }
    repeat(3) { lossy.send(it) }
    lossy.cancel()
    println("undelivered $undelivered")
    val produced = produce(capacity = 3) { repeat(10) { send(it * it) } }
    println("produced ${produced.toList()}")
    val waiting = launch { small.receive(); println("never") }
    yield()
    waiting.cancelAndJoin()
    small.send(7)
    println("after a cancelled receiver ${small.receive()}")
    val broadcast = MutableSharedFlow<Int>(replay = 2)
    repeat(4) { broadcast.emit(it) }
    println("replayed ${broadcast.take(2).toList()} ${broadcast.replayCache}")
}

suspend fun locks() = coroutineScope {
    val mutex = Mutex()
    var counter = 0
    List(100) { launch(Dispatchers.Default) { repeat(50) { mutex.withLock { counter++ } } } }.joinAll()
    println("mutex $counter ${mutex.isLocked} ${mutex.tryLock("me")} ${mutex.tryLock()} ${mutex.holdsLock("me")}")
    println("wrong owner ${runCatching { mutex.unlock("other") }.exceptionOrNull() is IllegalStateException}")
    val waiter = launch { mutex.lock() }
    yield()
    waiter.cancelAndJoin()
    mutex.unlock("me")
    println("unlocked ${mutex.isLocked}")
    val semaphore = Semaphore(3)
    val inside = AtomicInteger()
    val most = AtomicInteger()
    List(60) {
        launch(Dispatchers.IO) {
            semaphore.withPermit {
                val now = inside.incrementAndGet()
                most.accumulateAndGet(now, ::maxOf)
                yield()
                inside.decrementAndGet()
            }
        }
    }.joinAll()
    println("semaphore ${most.get() <= 3} ${inside.get()} ${semaphore.availablePermits}")
}

suspend fun flows() = coroutineScope {
    println("flow ${flowOf(1, 2, 3).map { it * 2 }.filter { it > 2 }.toList()}")
    println("on ${(1..100).asFlow().flowOn(Dispatchers.Default).buffer(10).map { it }.flowOn(Dispatchers.IO).reduce { a, b -> a + b }}")
    println("zip ${flowOf("a", "b").zip(flowOf(1, 2, 3)) { a, b -> a + b }.toList()}")
    println("merge ${(1..5).asFlow().flatMapMerge(3) { n -> flow { yield(); emit(n) } }.toList().sorted()}")
    println("latest ${flowOf(1, 2, 3).conflate().transformLatest { emit(it) }.toList().last()}")
    val state = MutableStateFlow(0)
    List(8) { launch(Dispatchers.Default) { repeat(250) { state.update { it + 1 } } } }.joinAll()
    println("state ${state.value} ${state.compareAndSet(2000, 5)} ${state.compareAndSet(2000, 6)} ${state.first { it == 5 }}")
    val seen = async(start = CoroutineStart.UNDISPATCHED) { state.take(2).toList() }
    state.value = 6
    println("seen ${seen.await()}")
    val scope = CoroutineScope(Dispatchers.Default)
    val shared = flow { emit(1); emit(2); awaitCancellation() }.shareIn(scope, SharingStarted.Eagerly, replay = 2)
    println("shared ${shared.take(2).toList()}")
    println("stateIn ${flowOf(9).stateIn(scope).value}")
    scope.cancel()
    println("channelFlow ${channelFlow { repeat(20) { launch { send(it) } } }.toList().sum()}")
    println("caught ${flow<Int> { emit(1); error("in flow") }.catch { emit(-1) }.onCompletion { emit(-2) }.toList()}")
    println("retried ${flow { emit(retries++); if (retries < 4) error("again") }.retry(5).toList()}")
}

var retries = 0

suspend fun selects() = coroutineScope {
    val left = Channel<Int>(10)
    val right = Channel<Int>(10)
    left.send(1)
    right.send(2)
    println("select ${select { left.onReceive { "left $it" }; right.onReceive { "right $it" } }}")
    println("select ${select { left.onReceive { "left $it" }; right.onReceive { "right $it" } }}")
    println("timeout ${select { left.onReceive { "left" }; onTimeout(10) { "late" } }}")
    val deferred = async { "value" }
    println("await ${select { deferred.onAwait { it }; left.onReceive { "left" } }}")
    left.close()
    println("closed ${select { left.onReceiveCatching { it.isClosed } }}")
    val full = Channel<Int>()
    val receiver = async { full.receive() }
    println("send ${select { full.onSend(5) { "sent" } }} ${receiver.await()}")
    val mutex = Mutex(locked = true)
    launch { mutex.unlock() }
    println("lock ${mutex.withLock { mutex.isLocked }}")
    // Both sides select: every number arrives once.
    val a = Channel<Int>()
    val b = Channel<Int>()
    val sum = AtomicLong()
    val takers = List(3) {
        launch(Dispatchers.Default) {
            while (true) {
                val n = select<Int?> { a.onReceiveCatching { it.getOrNull() }; b.onReceiveCatching { it.getOrNull() } } ?: break
                sum.addAndGet(n.toLong())
            }
        }
    }
    List(3) { launch(Dispatchers.Default) { for (n in 1..300) select { a.onSend(n) {}; b.onSend(n) {} } } }.joinAll()
    a.close()
    b.close()
    takers.joinAll()
    println("both ${sum.get()}")
}

suspend fun dispatchers() = coroutineScope {
    val single = Dispatchers.Default.limitedParallelism(1)
    var unsafe = 0
    List(20) { launch(single) { repeat(100) { unsafe++; if (it % 10 == 0) yield() } } }.joinAll()
    println("limited $unsafe")
    val inside = withContext(Dispatchers.IO) { withContext(Dispatchers.Default) { withContext(single) { "there and back" } } }
    println(inside)
    println("unconfined ${withContext(Dispatchers.Unconfined) { yield(); 3 }}")
    val own = newFixedThreadPoolContext(2, "own")
    own.use { pool ->
        println("own ${List(50) { async(pool) { delay(1); it } }.awaitAll().sum()}")
    }
    val caught = CompletableDeferred<String>()
    val handler = CoroutineExceptionHandler { _, e -> caught.complete("handled ${e.message}") }
    CoroutineScope(Dispatchers.Default + handler).launch { throw IllegalStateException("uncaught") }
    println(caught.await())
    println(runInterruptible(Dispatchers.IO) { "interruptible" })
}

fun main() = runBlocking {
    jobs()
    channels()
    locks()
    flows()
    selects()
    dispatchers()
    println("done")
}
