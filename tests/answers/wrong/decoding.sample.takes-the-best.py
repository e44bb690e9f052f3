"""CAUSE: misreading: the most probable token is returned, uniform plays no part"""
def sample(probabilities, uniform):
    return probabilities.argmax(dim=-1)
