; Where there is no room for more, a helper takes no more bytes than the call did.

class public Node 52
field volatile text LString;
field private static final TEXT LAtomicReferenceFieldUpdater;
method static <clinit> ()V
  ldc class Node
  ldc class java/lang/String
  ldc "text"
  invokestatic AtomicReferenceFieldUpdater.newUpdater (LClass;LClass;LString;)LAtomicReferenceFieldUpdater;
  putstatic Node.TEXT LAtomicReferenceFieldUpdater;
  return
method helped (LString;)Z
  times 65525 nop
  getstatic Node.TEXT LAtomicReferenceFieldUpdater;
  aload_0
  aload_1
  aload_1
  invokevirtual AtomicReferenceFieldUpdater.compareAndSet (LObject;LObject;LObject;)Z
  ireturn
method checked (LObject;)Z
  times 65525 nop
  getstatic Node.TEXT LAtomicReferenceFieldUpdater;
  aload_0
  aload_1
  aload_1
  invokevirtual AtomicReferenceFieldUpdater.compareAndSet (LObject;LObject;LObject;)Z
  ireturn
