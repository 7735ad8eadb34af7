; What the holder is known to be, the verifier need not know: it is cast where it is pushed, and frames behind
; say so.

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
method set (I)V
  getstatic Node.NEXT LAtomicReferenceFieldUpdater;
  iload_1
  ifeq other
  aload_0
  goto holder
  other:
  frame [Node, int] [AtomicReferenceFieldUpdater]
  aload_0
  holder:
  frame [Node, int] [AtomicReferenceFieldUpdater, Object]
  nop
  iload_1
  ifeq none
  aconst_null
  goto both
  none:
  frame [Node, int] [AtomicReferenceFieldUpdater, Object]
  aload_0
  both:
  frame [Node, int] [AtomicReferenceFieldUpdater, Object, Node]
  invokevirtual AtomicReferenceFieldUpdater.set (LObject;LObject;)V
  return
