"""One module for each kind of answer: its key, how it is read and marked, and the sentence that says how to answer."""
