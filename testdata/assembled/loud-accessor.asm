; The initialisation of Loud can be seen, so it stays where an updater was read: the call of an accessor stays for that, and
; yields null; the read of an offset initialises by itself, also right behind a holder that is only a local variable.
; flags: whole-program

class public Loud 52
field volatile n I
field private static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Loud
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Loud.N LAtomicIntegerFieldUpdater;
  invokestatic Log.note ()V
  return
method static updater ()LAtomicIntegerFieldUpdater;
  getstatic Loud.N LAtomicIntegerFieldUpdater;
  areturn
method own ()I
  getstatic Loud.N LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.incrementAndGet (LObject;)I
  ireturn
method far ()I
  getstatic Loud.N LAtomicIntegerFieldUpdater;
  new Loud
  dup
  invokespecial Loud.<init> ()V
  iconst_3
  invokevirtual AtomicIntegerFieldUpdater.getAndAdd (LObject;I)I
  ireturn
method static ofClass (LLoud;)V
  getstatic Loud.N LAtomicIntegerFieldUpdater;
  aload_0
  iconst_3
  invokevirtual AtomicIntegerFieldUpdater.set (LObject;I)V
  return
method <init> ()V
  aload_0
  invokespecial Object.<init> ()V
  return

class Log 52
field static count I
method static note ()V
  getstatic Log.count I
  iconst_1
  iadd
  putstatic Log.count I
  return

class User 52
method static get (LLoud;)I
  invokestatic Loud.updater ()LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.get (LObject;)I
  ireturn
