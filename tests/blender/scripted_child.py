"""Stands in for the solver in tests of the process around it: says what it is told, and behaves as badly as asked."""

import json
import os
import subprocess
import sys
import time


def say(**event: object) -> None:
    print(json.dumps(event), flush=True)


def main(part: str) -> int:
    if part == "speaks":
        print("Blender 5.2 (chatter that is no JSON)")
        print('["a list"]', flush=True)
        say(event="stage", stage="compiling")
        say(event="warning", message="ä 🍞 \n two lines")
        say(event="done", frames=3)
        return 0
    if part == "dies":
        print("Traceback: the cause", file=sys.stderr, flush=True)
        os._exit(3)
    if part == "killed":
        os.kill(os.getpid(), 9)
    if part == "deaf":
        say(event="stage", stage="solving")
        time.sleep(60)
        return 0
    if part == "helped":
        helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        say(event="stage", stage="compiling", pid=helper.pid)
        time.sleep(60)
    if part == "obeys":
        say(event="stage", stage="solving")
        for line in sys.stdin:
            if line.strip() == "cancel":
                break
        say(event="error", message="The bake was stopped.", exit_code=7)
        return 7
    raise ValueError(part)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
