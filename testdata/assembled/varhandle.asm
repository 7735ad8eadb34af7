; A handle stands for the offset and for Unsafe. It casts the expected value, which an updater would only find unequal: an
; expected value that may be anything takes a helper.
; flags: varhandle

class public Node 55
field volatile text LString;
field volatile n I
field private static final TEXT LAtomicReferenceFieldUpdater;
field private static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Node
  ldc class java/lang/String
  ldc "text"
  invokestatic AtomicReferenceFieldUpdater.newUpdater (LClass;LClass;LString;)LAtomicReferenceFieldUpdater;
  putstatic Node.TEXT LAtomicReferenceFieldUpdater;
  ldc class Node
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Node.N LAtomicIntegerFieldUpdater;
  return
method add (I)I
  getstatic Node.N LAtomicIntegerFieldUpdater;
  aload_0
  iload_1
  invokevirtual AtomicIntegerFieldUpdater.addAndGet (LObject;I)I
  ireturn
method expected (LString;)Z
  getstatic Node.TEXT LAtomicReferenceFieldUpdater;
  aload_0
  aload_1
  aconst_null
  invokevirtual AtomicReferenceFieldUpdater.compareAndSet (LObject;LObject;LObject;)Z
  ireturn
method anything (LObject;)Z
  getstatic Node.TEXT LAtomicReferenceFieldUpdater;
  aload_0
  aload_1
  aconst_null
  invokevirtual AtomicReferenceFieldUpdater.compareAndSet (LObject;LObject;LObject;)Z
  ireturn
