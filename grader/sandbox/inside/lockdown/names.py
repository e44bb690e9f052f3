"""Names of the layers, as they stand in reports and as tests switch them off."""

RLIMITS = "rlimits"
MEMORY_LIMIT = "memory-limit"
NO_NEW_PRIVILEGES = "no-new-privileges"
CAPABILITIES = "no-capabilities"
NAMESPACES = "namespaces"
OWN_IDENTITY = "own-identity"
CGROUP = "cgroup"
LANDLOCK = "landlock"
SECCOMP = "seccomp"

OPTIONAL = (NAMESPACES, OWN_IDENTITY, CGROUP, LANDLOCK, SECCOMP)
"""Layers that some machines do not have."""
