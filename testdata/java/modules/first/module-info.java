/** A library: its updaters are used here and by another module. */
module first {
    exports first;
}
