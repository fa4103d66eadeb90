"""The command policy: what eight rules say about the commands that a text would run."""
