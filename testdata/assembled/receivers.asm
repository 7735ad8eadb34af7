; An updater that comes by way of a local variable, or of an accessor, is replaced where it comes from; one that dup made
; two of, or that two ways bring, is a dummy, and the helper finds the offset by itself. What is left of reads is null.

class public Counter 52
field volatile n I
field private static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Counter
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Counter.N LAtomicIntegerFieldUpdater;
  return
method private static updater ()LAtomicIntegerFieldUpdater;
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  areturn
method local ()I
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  astore_1
  aload_1
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.incrementAndGet (LObject;)I
  ireturn
method accessor ()I
  invokestatic Counter.updater ()LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.getAndDecrement (LObject;)I
  ireturn
method twice ()I
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  dup
  aload_0
  iconst_2
  invokevirtual AtomicIntegerFieldUpdater.set (LObject;I)V
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.get (LObject;)I
  ireturn
method either (I)I
  iload_1
  ifeq other
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  goto both
  other:
  frame [Counter, int] []
  invokestatic Counter.updater ()LAtomicIntegerFieldUpdater;
  both:
  frame [Counter, int] [AtomicIntegerFieldUpdater]
  aload_0
  iconst_5
  invokevirtual AtomicIntegerFieldUpdater.getAndSet (LObject;I)I
  ireturn
method static passed (LAtomicIntegerFieldUpdater;)LObject;
  aload_0
  areturn
