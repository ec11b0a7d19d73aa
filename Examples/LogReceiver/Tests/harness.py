"""Runs the receiver, sends records to it, and compares results."""

import http.client
import json
import pathlib
import socket
import subprocess
import sys
import threading
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(PACKAGE / ".build/debug/LogReceiver")

# The time limit for all waits.
PATIENCE = 20


class Receiver:
    def __init__(self, port=0, *options):
        self.options = options
        self.start(port)

    def start(self, port):
        command = [PROGRAM, "--port", str(port), *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert "http://" in line, f"the receiver says {line!r}"
        self.url = line.split()[-1]
        self.port = int(self.url.rsplit(":", 1)[1])
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)

    def ask(self, method, path, content=None, **fields):
        """The status, fields and content of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, content, {name.replace("_", "-"): value for name, value in fields.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def post(self, path, content, **fields):
        if not isinstance(content, (bytes, str)):
            content = json.dumps(content)
        return self.ask("POST", path, content, **fields)

    def records(self, after=0, limit=10_000):
        status, _, text = self.ask("GET", f"/records?after={after}&limit={limit}")
        equal(status, 200)
        return json.loads(text)["records"]

    def clear(self):
        equal(self.ask("DELETE", "/records")[0], 204)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def events(self, last=None):
        return Events(self, last)


class Events:
    """The receiver's events, read from a plain connection."""

    def __init__(self, receiver, last=None):
        self.socket = receiver.connect()
        field = f"Last-Event-ID: {last}\r\n" if last else ""
        self.socket.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n{field}\r\n".encode())
        self.stream = self.socket.makefile("rb")
        self.status = int(self.stream.readline().split()[1])
        while self.stream.readline() not in (b"\r\n", b""):
            pass
        self.buffer = b""

    def next(self):
        """Returns the name, ID and data of the next event. Comments are skipped."""
        while True:
            while b"\n\n" not in self.buffer:
                size = int(self.stream.readline(), 16)
                self.buffer += self.stream.read(size)
                self.stream.read(2)
            block, _, self.buffer = self.buffer.partition(b"\n\n")
            lines = dict(line.split(": ", 1) for line in block.decode().split("\n") if not line.startswith(":"))
            if "event" in lines:
                return lines["event"], lines.get("id"), json.loads(lines["data"])

    def close(self):
        self.stream.close()
        self.socket.close()


# Records to send.

SEVERITIES = {"trace": 1, "debug": 5, "info": 9, "notice": 10, "warning": 13, "error": 17, "critical": 21}


def any_value(value):
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(each) for each in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": pairs(value)}}
    return {"stringValue": value} if value is not None else {}


def pairs(values):
    return [{"key": name, "value": any_value(value)} for name, value in values.items()]


def log_record(message, level="info", at=None, **attributes):
    return {
        "timeUnixNano": str(int((at or time.time()) * 1e9)),
        "severityNumber": SEVERITIES[level],
        "severityText": level.upper(),
        "body": {"stringValue": message},
        "attributes": pairs({name.replace("__", "."): value for name, value in attributes.items()}),
    }


def otlp(*records, component="test", service="checks"):
    return {
        "resourceLogs": [
            {
                "resource": {"attributes": pairs({"service.name": service, "host.name": "here"})},
                "scopeLogs": [{"scope": {"name": component}, "logRecords": list(records)}],
            }
        ]
    }


def send(receiver, *records, **names):
    status, _, text = receiver.post("/v1/logs", otlp(*records, **names))
    equal((status, text), (200, "{}"))


def send_call(receiver, call, url, start, attempts, cache=None):
    """Sends the records that logging stages write for a call: one for each attempt, and one for the whole call."""
    offset = 0
    for number, (status, head, total) in enumerate(attempts, 1):
        attributes = {
            "http__request__method": "GET", "url__full": url, "http__response__status_code": status,
            "httpchain__duration": total, "httpchain__call__id": call, "httpchain__unit": "attempt",
            "httpchain__start_time": start + offset, "httpchain__time_to_head": head, "httpchain__attempt": number,
        }
        level = "debug" if status < 500 else "warning"
        record = log_record(f"GET {url} → {status}", level, start + offset + total, **attributes)
        send(receiver, record, component="http.wire")
        offset += total + 0.1
    whole = offset - 0.1
    attributes = {
        "http__request__method": "GET", "url__full": url, "http__response__status_code": attempts[-1][0],
        "httpchain__duration": whole, "httpchain__call__id": call, "httpchain__unit": "call",
        "httpchain__start_time": start, "httpchain__attempts": len(attempts),
    }
    if cache:
        attributes["httpchain__cache__status"] = cache
    send(receiver, log_record(f"GET {url} call", "info", start + whole, **attributes), component="http.client")


CHECKS = []
PAGE_CHECKS = []


def check(title):
    return lambda function: CHECKS.append((title, function)) or function


def page_check(title):
    return lambda function: PAGE_CHECKS.append((title, function)) or function


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def eventually(look, expected=True):
    """Waits until `look` returns the expected value."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            actual = look()
        except Exception as error:  # noqa: BLE001 - an element may be removed while it is examined
            actual = error
        if actual == expected:
            return
        assert time.monotonic() < deadline, f"{actual!r} does not become {expected!r}"
        time.sleep(0.02)
