// The forms that Kotlin's compiler gives to updaters: in companions, at the top of a file, in objects and interfaces, by way of
// bridges, inline functions, properties, and across a suspension.
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater
import java.util.concurrent.atomic.AtomicLongFieldUpdater
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield

open class InCompanion {
    @Volatile @JvmField var x: Int = 0
    @Volatile private var hidden: String? = null
    @Volatile private var wide = 0L

    fun hit() = X.incrementAndGet(this)
    fun swap(next: String?): String? = HIDDEN.getAndSet(this, next)
    fun update() = HIDDEN.updateAndGet(this) { it.orEmpty() + "u" }
    inline fun loop(step: (Int) -> Int): Int {
        while (true) {
            val seen = x
            val next = step(seen)
            if (EXPOSED.compareAndSet(this, seen, next)) return next
        }
    }
    inner class Inner {
        fun wide(by: Long) = WIDE.addAndGet(this@InCompanion, by) + wide
    }

    companion object {
        private val X = AtomicIntegerFieldUpdater.newUpdater(InCompanion::class.java, "x")
        private val HIDDEN = AtomicReferenceFieldUpdater.newUpdater(InCompanion::class.java, String::class.java, "hidden")
        @JvmField val EXPOSED = AtomicIntegerFieldUpdater.newUpdater(InCompanion::class.java, "x")
        @JvmStatic private val WIDE = AtomicLongFieldUpdater.newUpdater(InCompanion::class.java, "wide")
        val BY_GETTER = AtomicIntegerFieldUpdater.newUpdater(InCompanion::class.java, "x")
        private val late by lazy { AtomicIntegerFieldUpdater.newUpdater(InCompanion::class.java, "x") }

        fun fromCompanion(it: InCompanion?) = X.getAndAdd(it, 100)
        fun byLazy(it: InCompanion) = late.getAndIncrement(it)
    }
}

private val TOP = AtomicIntegerFieldUpdater.newUpdater(InCompanion::class.java, "x")
val OPEN_TOP: AtomicIntegerFieldUpdater<InCompanion> = AtomicIntegerFieldUpdater.newUpdater(InCompanion::class.java, "x")

object Single {
    private val SINGLE = AtomicIntegerFieldUpdater.newUpdater(InCompanion::class.java, "x")
    fun hit(it: InCompanion) = SINGLE.addAndGet(it, 7)
}

interface WithCompanion {
    fun hit(it: InCompanion) = FROM_INTERFACE.getAndAdd(it, 3)

    companion object {
        val FROM_INTERFACE = AtomicIntegerFieldUpdater.newUpdater(InCompanion::class.java, "x")
    }
}

class Derived : InCompanion(), WithCompanion

fun top(it: InCompanion?): Int = TOP.incrementAndGet(it)

class Generic<T : Any>(first: T) {
    @Volatile private var value: Any? = first
    @Suppress("UNCHECKED_CAST")
    fun swap(next: T?): T? = VALUE.getAndSet(this, next) as T?
    fun cas(old: T?, next: T) = VALUE.compareAndSet(this, old, next)
    private companion object {
        val VALUE = AtomicReferenceFieldUpdater.newUpdater(Generic::class.java, Any::class.java, "value")
    }
}

suspend fun suspending(it: InCompanion): Int {
    val updater = OPEN_TOP
    val before = updater.getAndIncrement(it)
    yield()
    return updater.addAndGet(it, before) + TOP.get(it.also { yield() })
}

fun failing(work: () -> Any?): String = try { work().toString() } catch (e: Exception) { e.javaClass.simpleName }

fun main() {
    val it = Derived()
    println("${it.hit()} ${it.swap("a")} ${it.swap(null)} ${it.update()} ${it.loop { n -> n * 5 }} ${it.Inner().wide(1L shl 40)}")
    println("${InCompanion.fromCompanion(it)} ${InCompanion.byLazy(it)} ${InCompanion.BY_GETTER.get(it)} ${InCompanion.EXPOSED.addAndGet(it, 2)}")
    println("${top(it)} ${OPEN_TOP.decrementAndGet(it)} ${Single.hit(it)} ${it.hit(it)} ${WithCompanion.FROM_INTERFACE.get(it)}")
    println("${failing { top(null) }} ${failing { InCompanion.fromCompanion(null) }} ${failing { OPEN_TOP.get(null) }}")
    val generic = Generic("g")
    println("${generic.swap("h")} ${generic.cas("x", "i")} ${generic.cas("h", "j")} ${generic.swap(null)} ${generic.swap("k")}")
    println(runBlocking { suspending(it) })
    val reference: () -> Int = it::hit
    val bound = OPEN_TOP::incrementAndGet
    println("${reference()} ${bound(it)} ${listOf(it, it).sumOf(OPEN_TOP::getAndIncrement)} ${it.x}")
    println("done")
}
