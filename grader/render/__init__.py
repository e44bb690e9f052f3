"""Reports for people and for other tools; each is rendered from the one Report."""
