"""The decoder as a diagram of stages: what each does, what it makes and what it costs, for any configuration."""
