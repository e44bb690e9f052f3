"""Spaced review: when a lesson's quiz comes back, what it asks, and what the answers add up to."""
