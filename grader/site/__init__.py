"""The pages: lessons, panels that move, the decoder's diagram and quizzes; as files, or live on this machine."""
