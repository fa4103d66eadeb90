"""A small, total reader of shell text: it says which commands a text would run."""
