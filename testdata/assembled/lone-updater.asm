; A class whose initialisation can be seen has no field but the updater: that stays, and is read for the class's sake. The
; reason names the class that is initialised, and not the holder's.
; flags: whole-program

class Data 52
field volatile n I

class Loud 52
field static final N LAtomicIntegerFieldUpdater;
method static <clinit> ()V
  ldc class Data
  ldc "n"
  invokestatic AtomicIntegerFieldUpdater.newUpdater (LClass;LString;)LAtomicIntegerFieldUpdater;
  putstatic Loud.N LAtomicIntegerFieldUpdater;
  invokestatic Log.note ()V
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
method static get (LData;)I
  getstatic Loud.N LAtomicIntegerFieldUpdater;
  aload_0
  invokevirtual AtomicIntegerFieldUpdater.get (LObject;)I
  ireturn
