#!/usr/bin/env python3
"""Writes traces on standard output, for a cluster: write_traces.py NAME COUNT | isolde send - nats://HOST/STREAM --name NAME

`isolde send` cuts them up for the partitions, sends a sign of life every second, and waits while the broker is away or
the checkers are behind: then writing here waits, too. The end of standard input is the producer's end.
"""
import json, sys, time


def run_transaction(value):  # the application's work goes here; returns what it read and wrote, in order
    return [["w", "x", value]]


name, count = sys.argv[1], int(sys.argv[2])
for number in range(1, count + 1):
    begin = time.monotonic_ns()  # before the first request to the database
    ops = run_transaction(f"{name}:{number}")
    commit = time.monotonic_ns()  # before the commit is sent
    end = time.monotonic_ns()  # after its answer
    # Ids and sessions must be unique over all producers. With database timestamps add "start_ts" and "commit_ts".
    trace = {"id": f"{name}:{number}", "session": name, "ops": ops, "begin": begin, "commit": [commit, end], "end": end}
    print(json.dumps(trace), flush=True)
