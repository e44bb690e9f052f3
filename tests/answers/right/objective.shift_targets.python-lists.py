"""Turn the batch into Python lists and cut each list twice."""


def shift_targets(tokens):
    B, T = tokens.shape
    if T < 2:
        raise ValueError("sequence too short: T = %d" % T)
    inputs, targets = [], []
    for row in tokens.tolist():
        inputs.append(row[:-1])
        targets.append(row[1:])
    return (tokens.new_tensor(inputs).reshape(B, T - 1),
            tokens.new_tensor(targets).reshape(B, T - 1))
