"""A hook that takes its input for granted: what `hook_probe.py` is there to find."""

import json
import sys

event = json.load(sys.stdin)
if "rm -rf" in event["tool_input"]["command"]:
    sys.stderr.write("no\n")
    sys.exit(2)
