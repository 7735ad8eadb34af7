/** A program that uses the library, and has updaters of its own in two packages. */
module second {
    requires first;
}
