; A method that was given the updater, for calls that are replaced, is given null; a class whose initialisation can be seen
; is still initialised where the updater was read.
; flags: whole-program

class public Loud 52
field static public count I
field volatile n I
field static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Loud
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Loud.N LAtomicIntegerFieldUpdater;
  invokestatic Log.note ()V
  return

class Log 52
method static note ()V
  getstatic Loud.count I
  iconst_1
  iadd
  putstatic Loud.count I
  return

class User 52
method private static helper (LAtomicIntegerFieldUpdater;LLoud;)I
  aload_0
  aload_1
  invokevirtual AtomicIntegerFieldUpdater.getAndIncrement (LObject;)I
  ireturn
method static use (LLoud;)I
  getstatic Loud.N LAtomicIntegerFieldUpdater;
  aload_0
  invokestatic User.helper (LAtomicIntegerFieldUpdater;LLoud;)I
  ireturn
method static get (LLoud;)I
  getstatic Loud.N LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.get (LObject;)I
  ireturn
