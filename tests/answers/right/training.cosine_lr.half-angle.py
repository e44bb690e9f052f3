"""Uses cos^2 of the half angle and a clamp."""
import math


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    if step < warmup_steps:
        return max_lr * ((step + 1) / warmup_steps)
    progress = min((step - warmup_steps) / (total_steps - warmup_steps), 1.0)
    if progress == 1.0:
        return min_lr
    share = math.cos(0.5 * math.pi * progress) ** 2
    return share * max_lr + (1 - share) * min_lr
