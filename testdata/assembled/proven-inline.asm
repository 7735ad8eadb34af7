; What is proven takes no helper and no check: Unsafe, the holder, the offset, the arguments, one call. get and set take
; the field itself. The updater and its making are gone, and so is the cast of what the field yields.

class public Node 52
field volatile next LNode;
field private static final NEXT LAtomicReferenceFieldUpdater;
method static <clinit> ()V
  ldc class Node
  ldc class Node
  ldc "next"
  invokestatic AtomicReferenceFieldUpdater.newUpdater (LClass;LClass;LString;)LAtomicReferenceFieldUpdater;
  putstatic Node.NEXT LAtomicReferenceFieldUpdater;
  return
method cas (LNode;LNode;)Z
  getstatic Node.NEXT LAtomicReferenceFieldUpdater;
  aload_0
  aload_1
  aload_2
  invokevirtual AtomicReferenceFieldUpdater.compareAndSet (LObject;LObject;LObject;)Z
  ireturn
method get ()LNode;
  getstatic Node.NEXT LAtomicReferenceFieldUpdater;
  aload_0
  invokevirtual AtomicReferenceFieldUpdater.get (LObject;)LObject;
  checkcast Node
  areturn
method set (LNode;)V
  getstatic Node.NEXT LAtomicReferenceFieldUpdater;
  aload_0
  aload_1
  invokevirtual AtomicReferenceFieldUpdater.set (LObject;LObject;)V
  return
