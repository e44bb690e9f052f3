"""How the platforms hand out what was handed in: one module a platform, each of which says whether it is its own."""
