; In the initialiser itself: before the assignment the updater is null, and so is 0 the offset; behind it all is proven.
; What is on the stack around the making of an updater stays there.

class public Counter 52
field volatile n I
field private static final FIRST LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  getstatic Counter.FIRST LAtomicIntegerFieldUpdater;
  new Counter
  dup
  invokespecial Counter.<init> ()V
  iconst_1
  invokevirtual AtomicIntegerFieldUpdater.lazySet (LObject;I)V
  iconst_5
  ldc "n"
  astore_0
  ldc class Counter
  aload_0
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Counter.FIRST LAtomicIntegerFieldUpdater;
  pop
  getstatic Counter.FIRST LAtomicIntegerFieldUpdater;
  new Counter
  dup
  invokespecial Counter.<init> ()V
  iconst_1
  invokevirtual AtomicIntegerFieldUpdater.lazySet (LObject;I)V
  return
method private <init> ()V
  aload_0
  invokespecial Object.<init> ()V
  return
