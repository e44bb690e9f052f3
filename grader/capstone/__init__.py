"""The capstone: a small grammar, the corpus drawn from it, and the model that was trained on that corpus."""
