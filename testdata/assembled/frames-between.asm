; Frames between the read of an updater and the call say what is on the stack there now: Unsafe and the offset around the
; holder, and both once more for the call in its argument; nothing where get takes the field.

class public Node 52
field volatile n J
field volatile next LNode;
field private static final N LAtomicLongFieldUpdater;
field private static final NEXT LAtomicReferenceFieldUpdater;
method static <clinit> ()V
  ldc class Node
  ldc "n"
  invokestatic AtomicLongFieldUpdater.newUpdater (LClass;LString;)LAtomicLongFieldUpdater;
  putstatic Node.N LAtomicLongFieldUpdater;
  ldc class Node
  ldc class Node
  ldc "next"
  invokestatic AtomicReferenceFieldUpdater.newUpdater (LClass;LClass;LString;)LAtomicReferenceFieldUpdater;
  putstatic Node.NEXT LAtomicReferenceFieldUpdater;
  return
method nested (I)J
  getstatic Node.N LAtomicLongFieldUpdater;
  aload_0
  getstatic Node.N LAtomicLongFieldUpdater;
  aload_0
  iload_1
  ifeq zero
  lconst_1
  goto both
  zero:
  frame [Node, int] [AtomicLongFieldUpdater, Node, AtomicLongFieldUpdater, Node]
  lconst_0
  both:
  frame [Node, int] [AtomicLongFieldUpdater, Node, AtomicLongFieldUpdater, Node, long]
  invokevirtual AtomicLongFieldUpdater.getAndSet (LObject;J)J
  invokevirtual AtomicLongFieldUpdater.addAndGet (LObject;J)J
  lreturn
method chosen (I)V
  getstatic Node.NEXT LAtomicReferenceFieldUpdater;
  aload_0
  iload_1
  ifeq none
  aload_0
  goto both
  none:
  frame [Node, int] [AtomicReferenceFieldUpdater, Node]
  aconst_null
  both:
  frame [Node, int] [AtomicReferenceFieldUpdater, Node, Node]
  invokevirtual AtomicReferenceFieldUpdater.set (LObject;LObject;)V
  return
