#!/usr/bin/env python3
"""Merges profiles as tasks of Dask: profmerge makes the plan, and the workers of a Dask cluster run its tasks.

Inputs and partials are on a file system that all workers see under the same names, and each worker has profmerge in its
PATH. A task of a lost worker runs on another one. To restart, run the same command again: only what is not done yet becomes a
task. Debian package: python3-distributed.
"""
import argparse
import os
import subprocess
import sys

from distributed import Client
from distributed.scheduler import KilledWorker

USAGE = "fleet-dask.py [--scheduler=ADDRESS] [--retries=N] --partials=DIR -o FILE [OPTION OF PROFMERGE]... INPUT..."
EXIT = """Exit status: 0: all inputs are counted. 2: the command line is wrong. 3: an input is bad, or FILE lacks the inputs that the
manifest names. 4: a task failed in each try, or the cluster is lost."""


def run(directory, list_file, below):
    """Runs one task on a worker, in the directory of the plan. Returns the exit status and the messages. `below` is the result of
    the level below. Status 3 is for the user: the task does not run again. Any other failure is raised, and the task runs again."""
    if below and below[0]:
        return below[0], b""
    task = subprocess.run(["profmerge", "--task=" + list_file], cwd=directory, stderr=subprocess.PIPE)
    if task.returncode not in (0, 3):
        task.check_returncode()
    return task.returncode, task.stderr


def join(results):
    """Ends a level: the greatest status and all messages."""
    return max(status for status, _ in results), b"".join(messages for _, messages in results)


def graph_of(plan, directory):
    """The graph of Dask for the lines LEVEL, OUTPUT, LIST of the plan, and the keys of its levels."""
    graph, levels = {}, {}
    for line in plan.split(b"\n")[:-1]:
        level, _, list_file = line.split(b"\t")
        levels.setdefault(int(level), []).append(os.fsdecode(list_file))
    below = None
    for level in sorted(levels):
        keys = ["task-%d-%d" % (level, i) for i in range(len(levels[level]))]
        for key, list_file in zip(keys, levels[level]):
            graph[key] = (run, directory, list_file, below)
        graph["level-%d" % level] = (join, keys)
        below = "level-%d" % level
    return graph, ["level-%d" % level for level in sorted(levels)]


def main():
    parser = argparse.ArgumentParser(usage=USAGE, description=__doc__, epilog=EXIT, allow_abbrev=False)
    parser.add_argument("--scheduler", help="address of the Dask scheduler (default: workers on this machine)")
    parser.add_argument("--retries", type=int, default=2, help="how often a task that failed runs again (default: 2)")
    options, arguments = parser.parse_known_args()
    plan = subprocess.run(["profmerge", "--plan=tasks", *arguments], stdout=subprocess.PIPE)
    if plan.returncode:
        return plan.returncode
    graph, levels = graph_of(plan.stdout, os.getcwd())
    try:
        with Client(options.scheduler, timeout=10) as client:
            status, messages = join(client.get(graph, levels, retries=options.retries))
    except subprocess.CalledProcessError as failed:
        sys.stderr.buffer.write(failed.stderr)
        return 4
    except (KilledWorker, OSError) as lost:
        print("fleet-dask.py: the cluster is lost:", lost, file=sys.stderr)
        return 4
    sys.stderr.buffer.write(messages)
    return status


if __name__ == "__main__":
    sys.exit(main())
