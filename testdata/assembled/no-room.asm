; A method that edits would make larger than the JVM takes stays as it is: here one that would have to initialise the
; class where it read the updater. The plan is decided again without it, and the updater stays for that.
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
  times 65527 nop
  getstatic Loud.N LAtomicIntegerFieldUpdater;
  aload_0
  invokestatic User.helper (LAtomicIntegerFieldUpdater;LLoud;)I
  ireturn
