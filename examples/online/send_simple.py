#!/usr/bin/env python3
"""A minimal sender of traces to `isolde watch --listen ADDRESS`. Arguments: ADDRESS SESSION COUNT."""
import json, os, socket, sys, time


def connect(address):  # unix:/run/isolde.sock or tcp:127.0.0.1:4711
    kind, place = address.split(":", 1)
    sock = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET)
    sock.connect(place if kind == "unix" else (place.rsplit(":", 1)[0], int(place.rsplit(":", 1)[1])))
    return sock


def run_transaction(value):  # the application's work goes here; returns what it read and wrote, in order
    return [["w", "x", value]]


sock = connect(sys.argv[1])
if "ISOLDE_TOKEN" in os.environ:  # a TCP port asks for it first
    sock.sendall((json.dumps({"token": os.environ["ISOLDE_TOKEN"]}) + "\n").encode())
for value in range(1, int(sys.argv[3]) + 1):
    begin = time.monotonic_ns()  # before the first request to the database
    ops = run_transaction(value)
    commit = time.monotonic_ns()  # before the commit is sent
    end = time.monotonic_ns()  # after its answer, the last one
    trace = {"session": int(sys.argv[2]), "ops": ops, "begin": begin, "commit": [commit, end], "end": end}
    sock.sendall((json.dumps(trace) + "\n").encode())
sock.shutdown(socket.SHUT_WR)  # no more lines: the session is over
for line in sock.makefile():  # until the watcher has taken everything
    if "error" in json.loads(line):
        sys.exit(line)
