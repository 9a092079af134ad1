#!/usr/bin/env python3
"""Sends an application's traces to `isolde watch`. docs/online.md describes the protocol. Copy TraceSender."""
import json, os, socket, sys, time


class TraceSender:
    def __init__(self, address, name, token=None):  # address: "/run/isolde.sock" or ("127.0.0.1", 4711)
        self.address, self.name, self.token = address, name, token
        self.lines, self.taken, self.sock = [], 0, None  # lines that the watcher has not taken yet; how many it has

    def send(self, **transaction):  # session=3, ops=[["r", "x", 1], ["w", "x", 2]], begin=…, commit=[…, …], end=…
        self.lines.append(json.dumps(transaction) + "\n")
        if len(self.lines) >= 100:
            self.flush()

    def flush(self):  # returns when the watcher has taken everything
        while self.lines:
            try:
                self.sock or self._connect()
                self.sock.sendall("".join(self.lines).encode())
                while self.lines:
                    self._answer()
            except OSError:  # the next connection continues after the last line that the watcher has
                self.sock = time.sleep(0.1)

    def _connect(self):
        sock = socket.socket(socket.AF_UNIX if isinstance(self.address, str) else socket.AF_INET)
        sock.connect(self.address)
        greeting = json.dumps({"token": self.token}) + "\n" if self.token else ""
        sock.sendall((greeting + json.dumps({"hello": self.name, "from": self.taken + 1}) + "\n").encode())
        self.sock, self.answers = sock, sock.makefile()
        self._answer()

    def _answer(self):  # {"resume": N} or {"ack": N}
        answer = json.loads(self.answers.readline() or '{"error": ""}')
        if answer.get("error"):
            raise RuntimeError(answer["error"])
        if "error" in answer:
            raise ConnectionError("the watcher has gone")
        taken = answer.get("ack", answer.get("resume"))
        del self.lines[: taken - self.taken]
        self.taken = taken


if __name__ == "__main__":  # ADDRESS NAME SESSION COUNT: a session that writes 1, 2, 3, … to x
    kind, place = sys.argv[1].split(":", 1)
    host, _, port = place.rpartition(":")
    sender = TraceSender(place if kind == "unix" else (host, int(port)), sys.argv[2], os.environ.get("ISOLDE_TOKEN"))
    for value in range(1, int(sys.argv[4]) + 1):
        begin = time.monotonic_ns()  # before the first request to the database
        commit = time.monotonic_ns()  # before the commit is sent
        end = time.monotonic_ns()  # after its answer, the last one
        sender.send(session=int(sys.argv[3]), ops=[["w", "x", value]], begin=begin, commit=[commit, end], end=end)
    sender.flush()
    sender.sock.sendall(b'{"bye": true}\n')  # the sessions are over
