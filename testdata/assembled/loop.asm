; An operation that takes a function is a loop in a helper, never in the method that had the call.

class public Counter 52
field volatile n J
field private static final N LAtomicLongFieldUpdater;
method static <clinit> ()V
  ldc class Counter
  ldc "n"
  invokestatic AtomicLongFieldUpdater.newUpdater (LClass;LString;)LAtomicLongFieldUpdater;
  putstatic Counter.N LAtomicLongFieldUpdater;
  return
method accumulate (JLjava/util/function/LongBinaryOperator;)J
  getstatic Counter.N LAtomicLongFieldUpdater;
  aload_0
  lload_1
  aload_3
  invokevirtual AtomicLongFieldUpdater.accumulateAndGet (LObject;JLjava/util/function/LongBinaryOperator;)J
  lreturn
