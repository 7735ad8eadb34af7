; An accessor that is an instance method is still called, since it may throw; what it yields is dropped. The updater of an
; interface has a public offset, and a class besides reads it.
; flags: whole-program

class public interface Count 52
field public static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Counter
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Count.N LAtomicIntegerFieldUpdater;
  return

class public final Counter 52
field volatile n I
method updater ()LAtomicIntegerFieldUpdater;
  getstatic Count.N LAtomicIntegerFieldUpdater;
  areturn
method next (LCounter;)I
  aload_1
  invokevirtual Counter.updater ()LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.incrementAndGet (LObject;)I
  ireturn
method read (LCounter;)I
  aload_1
  invokevirtual Counter.updater ()LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.get (LObject;)I
  ireturn
