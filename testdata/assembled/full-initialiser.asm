; An initialiser without room for an offset stays as it is, and so do the calls that need one; get needs none.

class public Counter 52
field volatile n I
field private static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  times 65520 nop
  ldc class Counter
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Counter.N LAtomicIntegerFieldUpdater;
  return
method next ()I
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.incrementAndGet (LObject;)I
  ireturn
method get ()I
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.get (LObject;)I
  ireturn
