; Where all calls are get and set, no offset field is needed, and an initialiser that did nothing else goes as well.

class public Counter 52
field volatile n I
field private static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Counter
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Counter.N LAtomicIntegerFieldUpdater;
  return
method reset ()I
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.get (LObject;)I
  getstatic Counter.N LAtomicIntegerFieldUpdater;
  aload_0
  iconst_0
  invokevirtual AtomicIntegerFieldUpdater.set (LObject;I)V
  ireturn
