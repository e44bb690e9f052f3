"""Multiplies by the common ratio base^(-2/K) from pair to pair, on plain python numbers."""
import torch


def rope_angles(positions, head_width, base=10000.0):
    if head_width % 2:
        raise ValueError("odd head width")
    ratio = float(base) ** (-2.0 / head_width)
    rows = []
    for p in positions.tolist():
        angle, row = float(p), []
        for _ in range(head_width // 2):
            row.append(angle)
            angle *= ratio
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float32, device=positions.device)
