"""The student's bundle: what it holds, the making of it, and the proof that nothing hidden is in it."""
