"""Family elastic: variables and arguments of workers that torchrun starts. Executed as a script, it is a worker."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

FREE = {"TORCHELASTIC_ERROR_FILE": "(a path)"}  # values that differ from run to run
OWN = {"DIST_FOLDER", "DIST_EXITS", "DIST_BASE"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def kind_torchrun(c):
    """Workers record the variables of torchrun, and end with the code in `exits` ([attempt, rank, code]) or 0."""
    port, args, extra, more = str(free_port()), c["args"], c["script_args"], c["environment"]
    with tempfile.TemporaryDirectory(prefix="dist") as folder:
        env = {k: os.environ[k] for k in ("PATH", "HOME", "LANG") if k in os.environ}
        env.update(more)
        env.update(DIST_FOLDER=folder, DIST_EXITS=json.dumps(c["exits"]), GLOO_SOCKET_IFNAME="lo")
        env["DIST_BASE"] = json.dumps(env)
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "torch.distributed.run",
                *(a.replace("PORT", port) for a in args),
                os.path.abspath(__file__),
                *extra,
            ],
            env=env,
            capture_output=True,
            timeout=300,
        )
        attempts, terminated = {}, []
        for name in sorted(os.listdir(folder)):
            kind, attempt, rank = name.split("-")
            if kind == "terminated":
                terminated.append([int(attempt), int(rank)])
            elif kind == "started":
                with open(os.path.join(folder, name)) as f:
                    seen = json.load(f)
                seen["variables"] = {
                    k: "PORT" if v == port else FREE.get(k, v) for k, v in sorted(seen["variables"].items())
                }
                attempts.setdefault(int(attempt), []).append(seen)
    return {"exit_code": done.returncode, "attempts": [attempts[a] for a in sorted(attempts)], "terminated": terminated}


def note(kind, attempt, rank, value):
    """Writes a file atomically."""
    path = os.path.join(os.environ["DIST_FOLDER"], f"{kind}-{attempt}-{rank}")
    with open(path + "-part", "w") as f:
        json.dump(value, f)
    os.rename(path + "-part", path)


def worker():
    base = json.loads(os.environ["DIST_BASE"])
    rank, attempt, world = (int(os.environ[k]) for k in ("RANK", "TORCHELASTIC_RESTART_COUNT", "WORLD_SIZE"))
    exits = {(a, r): code for a, r, code in json.loads(os.environ["DIST_EXITS"])}

    def end(*_):
        note("terminated", attempt, rank, None)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    note(
        "started",
        attempt,
        rank,
        {
            "arguments": sys.argv[1:],
            "variables": {k: v for k, v in os.environ.items() if base.get(k) != v and k not in OWN},
        },
    )
    everyone = [os.path.join(os.environ["DIST_FOLDER"], f"started-{attempt}-{r}") for r in range(world)]
    while not all(map(os.path.exists, everyone)):
        time.sleep(0.01)
    if (attempt, rank) in exits:
        sys.exit(exits[attempt, rank])
    if any(a == attempt for a, _ in exits):  # another rank fails: wait for the agent
        time.sleep(100)


if __name__ == "__main__":
    worker()
