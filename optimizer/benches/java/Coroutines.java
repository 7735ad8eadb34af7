import java.util.function.LongBinaryOperator;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.jvm.functions.Function2;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CompletableJob;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineScopeKt;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.DelayKt;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.channels.BufferOverflow;
import kotlinx.coroutines.channels.Channel;
import kotlinx.coroutines.channels.ChannelKt;
import kotlinx.coroutines.sync.Mutex;
import kotlinx.coroutines.sync.MutexKt;

/** What programs do with kotlinx.coroutines, each in a loop of its own: `applyAsLong(operation, times)`. */
public final class Coroutines implements LongBinaryOperator {
    /** Waits until it is cancelled. */
    private static final Function2<CoroutineScope, Continuation<? super Unit>, Object> WAITS =
        (scope, continuation) -> DelayKt.delay(Long.MAX_VALUE, continuation);

    private final Mutex mutex = MutexKt.Mutex(false);
    private final Channel<Object> channel = ChannelKt.Channel(16, BufferOverflow.SUSPEND, null);

    @Override
    public String toString() {
        return "launch-1+cancel launch-10+cancel complete-job lock+unlock send+receive";
    }

    @Override
    public long applyAsLong(long operation, long times) {
        switch ((int) operation) {
            case 0: return launchAndCancel(1, times);
            case 1: return launchAndCancel(10, times);
            case 2: return completeJob(times);
            case 3: return lockAndUnlock(times);
            case 4: return sendAndReceive(times);
            default: throw new IllegalArgumentException();
        }
    }

    /** Launches some that wait, cancels them all, and sees that they are complete. */
    private long launchAndCancel(int count, long times) {
        long completed = 0;
        for (long i = 0; i < times; i++) {
            CoroutineScope children = CoroutineScopeKt.CoroutineScope(Dispatchers.getUnconfined());
            for (int child = 0; child < count; child++) {
                BuildersKt.launch(children, Dispatchers.getUnconfined(), CoroutineStart.DEFAULT, WAITS);
            }
            Job parent = children.getCoroutineContext().get(Job.Key);
            parent.cancel(null);
            completed += parent.isCompleted() ? 1 : 0;
        }
        return completed;
    }

    private long completeJob(long times) {
        long completed = 0;
        for (long i = 0; i < times; i++) {
            CompletableJob job = JobKt.Job((Job) null);
            completed += job.complete() ? 1 : 0;
        }
        return completed;
    }

    private long lockAndUnlock(long times) {
        long locked = 0;
        for (long i = 0; i < times; i++) {
            locked += mutex.tryLock(null) ? 1 : 0;
            mutex.unlock(null);
        }
        return locked;
    }

    private long sendAndReceive(long times) {
        long received = 0;
        for (long i = 0; i < times; i++) {
            // The newer names of these cannot be written in Java.
            channel.offer(this);
            received += channel.poll() == this ? 1 : 0;
        }
        return received;
    }
}
