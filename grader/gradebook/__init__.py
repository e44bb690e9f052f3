"""What counts: due dates, late policies, extensions, overrides, and the full history of every student's points."""
