"""The engine of the course: it grades, explains and keeps records. Importing it costs nothing."""

__version__ = "0.1.0"
