; Android before API level 24 lacks getAndSet and getAndAdd: static methods of the added class take their place.
; flags: min-api 21

class public Counter 52
field volatile n I
field private static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
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
method static swap (LCounter;I)I
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  aload_0
  iload_1
  invokevirtual AtomicIntegerFieldUpdater.getAndSet (LObject;I)I
  ireturn
