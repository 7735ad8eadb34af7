; What class files of a version lack: class constants before 49, private static methods of interfaces before 52. Access to
; the field by itself takes neither.

class public Old 48
field volatile n I
field private static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Old
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Old.N LAtomicIntegerFieldUpdater;
  return
method next ()I
  getstatic Old.N LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.incrementAndGet (LObject;)I
  ireturn
method get ()I
  getstatic Old.N LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.get (LObject;)I
  ireturn

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
