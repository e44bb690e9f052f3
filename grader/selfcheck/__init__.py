"""The course against itself: stubs score 0, the reference 100, mistakes are caught and named, every style passes."""
