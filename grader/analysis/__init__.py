"""What a class as a whole shows: of its submissions, and of the quiz logs that came with them."""
