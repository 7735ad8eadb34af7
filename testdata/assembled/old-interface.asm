; Interfaces of versions before 52 have no private static methods, so a call there that would need a helper stays.

class public Node 51
field volatile n I

class public interface Face 51
field public static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Node
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Face.N LAtomicIntegerFieldUpdater;
  getstatic Face.N LAtomicIntegerFieldUpdater;
  ldc "no node"
  invokevirtual AtomicIntegerFieldUpdater.getAndIncrement (LObject;)I
  pop
  return
