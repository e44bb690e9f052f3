"""The questions of a lesson in its page: a session by plain forms (room), and a self-check on paper (onpaper)."""
