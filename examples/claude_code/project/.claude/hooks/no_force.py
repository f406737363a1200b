"""A PreToolUse hook: blocks pushes by force. Exit code 2 blocks, and stderr is what Claude is told."""

import json
import sys

command = json.load(sys.stdin)["tool_input"]["command"]
if "git push" in command and ("--force" in command or " -f" in command):
    print("Nobody pushes by force here: pull first, then push.", file=sys.stderr)
    sys.exit(2)
