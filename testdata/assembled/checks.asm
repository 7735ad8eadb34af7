; A holder that may be null goes to a helper of the added class; one that may be of another class, to a helper that names
; the class and stands beside the call. A new value is cast where it is on top of the stack.

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
method static nullable (LNode;LString;)V
  getstatic Node.TEXT LAtomicReferenceFieldUpdater;
  aload_0
  aload_1
  invokevirtual AtomicReferenceFieldUpdater.lazySet (LObject;LObject;)V
  return
method static anything (LObject;LObject;)LObject;
  getstatic Node.TEXT LAtomicReferenceFieldUpdater;
  aload_0
  aload_1
  invokevirtual AtomicReferenceFieldUpdater.getAndSet (LObject;LObject;)LObject;
  areturn
method value (LObject;)Z
  getstatic Node.TEXT LAtomicReferenceFieldUpdater;
  aload_0
  aload_1
  aload_1
  invokevirtual AtomicReferenceFieldUpdater.compareAndSet (LObject;LObject;LObject;)Z
  ireturn
method static read (LObject;)LObject;
  getstatic Node.TEXT LAtomicReferenceFieldUpdater;
  aload_0
  invokevirtual AtomicReferenceFieldUpdater.get (LObject;)LObject;
  areturn
