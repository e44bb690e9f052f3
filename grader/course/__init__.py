"""The course as data: YAML files read into frozen dataclasses, and the stubs written from the answers."""
