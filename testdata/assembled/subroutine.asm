; A method with subroutines is left as it is.

class public Counter 49
field volatile n I
field private static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Counter
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Counter.N LAtomicIntegerFieldUpdater;
  return
method next ()V
  jsr count
  jsr count
  return
  count:
  astore_1
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.incrementAndGet (LObject;)I
  pop
  ret 1
