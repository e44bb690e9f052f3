"""The course against itself: stubs score 0, the reference 100, every mistake is caught and named, every style passes."""
