"""What learning platforms and spreadsheets take back: one module a format, each a pure function of standings."""
