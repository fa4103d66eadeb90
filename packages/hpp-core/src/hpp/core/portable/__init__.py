"""What the modules share: standard library alone, nothing done on import, vendored by file."""
