#!/usr/bin/env python3
"""Checks the receiver from outside: its answers over bare HTTP, and its page in headless Chromium.

    swift build --product LogReceiver
    python3 Examples/LogReceiver/Tests/check.py [path of the LogReceiver program]

Needs selenium (PyPI), chromium and chromedriver.
"""

import gzip
import http.client
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
import zlib

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PACKAGE = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(PACKAGE / ".build/debug/LogReceiver")

# How long anything may take.
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
        """The answer's status, fields and content."""
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
    """The receiver's events, read from a bare connection."""

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
        """The next event's name, id and data; comments are passed over."""
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


# What to send.

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
    """Sends the records of a call as the logging stages write them: of each attempt, and of the whole."""
    offset = 0
    for number, (status, head, total) in enumerate(attempts, 1):
        attributes = {
            "http__request__method": "GET", "url__full": url, "http__response__status_code": status,
            "http__client__request__duration": total, "httpchain__call__id": call, "httpchain__unit": "attempt",
            "httpchain__start_time": start + offset, "httpchain__time_to_head": head, "httpchain__attempt": number,
        }
        level = "debug" if status < 500 else "warning"
        record = log_record(f"GET {url} → {status}", level, start + offset + total, **attributes)
        send(receiver, record, component="http.wire")
        offset += total + 0.1
    whole = offset - 0.1
    attributes = {
        "http__request__method": "GET", "url__full": url, "http__response__status_code": attempts[-1][0],
        "http__client__request__duration": whole, "httpchain__call__id": call, "httpchain__unit": "call",
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
    """Waits until `look` returns what is expected."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            actual = look()
        except Exception as error:  # noqa: BLE001 - an element may be gone while it is looked at
            actual = error
        if actual == expected:
            return
        assert time.monotonic() < deadline, f"{actual!r} does not become {expected!r}"
        time.sleep(0.02)


# The server.


@check("the page and its files are there, and may load nothing from elsewhere")
def files(receiver):
    for path in ["/", "/page.css", "/page.js", "/records.js", "/calls.js", "/list.js", "/views.js", "/text.js"]:
        status, fields, text = receiver.ask("GET", path)
        equal(status, 200)
        assert "default-src 'none'" in fields["Content-Security-Policy"] and len(text) > 300
        assert "unsafe" not in fields["Content-Security-Policy"]
        assert "innerHTML" not in text and "insertAdjacentHTML" not in text and "document.write" not in text
        equal((fields["X-Content-Type-Options"], fields["Cache-Control"]), ("nosniff", "no-store"))


@check("what is not served says what is")
def unknown(receiver):
    status, _, text = receiver.ask("GET", "/nothing")
    assert status == 404 and "/v1/logs" in text
    for method, path, allowed in [("GET", "/v1/logs", "POST"), ("POST", "/", "GET"), ("PUT", "/records", "GET, DELETE"),
                                  ("HEAD", "/", "GET")]:
        status, fields, _ = receiver.ask(method, path)
        equal((status, fields["Allow"]), (405, allowed))


@check("OTLP records have their time, level, component, service and attributes of every kind")
def otlp_records(receiver):
    values = {"text": "a\n\"b\"\u0000ü😀", "whole": 2**53 + 1, "part": 1.5, "yes": True, "list": [1, "two"],
              "map": {"inner": 1}, "nothing": None}
    record = log_record("hello", "warning", 1_700_000_000.25, **values)
    record["traceId"] = "5b8efff798038103d269b633813fc60c"
    send(receiver, record, component="http.client", service="shop")
    kept = receiver.records()[-1]
    equal((kept["time"], kept["level"], kept["component"], kept["service"], kept["message"], kept["format"]),
          (1_700_000_000_250, "warning", "http.client", "shop", "hello", "otlp"))
    attributes = dict(kept["attributes"])
    equal({name: attributes[name] for name in values}, values)
    equal((attributes["traceId"], attributes["resource.host.name"]), (record["traceId"], "here"))
    for level, number in SEVERITIES.items():
        send(receiver, {"severityNumber": number, "body": {"stringValue": level}})
        equal(receiver.records()[-1]["level"], level)
    assert abs(receiver.records()[-1]["time"] / 1000 - time.time()) < 60


@check("OTLP records that cannot be read are counted in a partial success, and the others are kept")
def otlp_partial(receiver):
    bad = [7, {"timeUnixNano": "soon"}, {"body": "text"}, {"timeUnixNano": "-1"}]
    status, _, text = receiver.post("/v1/logs", otlp(log_record("good 1"), *bad, log_record("good 2")))
    answer = json.loads(text)["partialSuccess"]
    equal((status, answer["rejectedLogRecords"]), (200, "4"))
    assert "logRecords[1]" in answer["errorMessage"], answer
    equal([record["message"] for record in receiver.records()[-2:]], ["good 1", "good 2"])


@check("empty OTLP requests are taken")
def otlp_empty(receiver):
    for content in ["{}", '{"resourceLogs":[]}', '{"resourceLogs":[{"scopeLogs":[{"logRecords":null}]}]}']:
        equal(receiver.post("/v1/logs", content)[::2], (200, "{}"))


@check("Loki entries have their labels and structured metadata")
def loki(receiver):
    streams = [{"stream": {"service_name": "shop", "level": "warn", "zone": "a"},
                "values": [["1700000000250000000", "line 1"],
                           ["1700000000260000000", "line 2", {"component": "http", "level": "error", "user": "7"}]]}]
    status, _, text = receiver.post("/loki/api/v1/push", {"streams": streams})
    equal((status, text), (204, ""))
    one, two = receiver.records()[-2:]
    equal((one["time"], one["level"], one["component"], one["message"]), (1_700_000_000_250, "warning", "shop", "line 1"))
    equal((two["level"], two["component"], two["attributes"]), ("error", "http", [["user", "7"], ["zone", "a"]]))


@check("of Loki entries that cannot be read the first is named, and the others are kept")
def loki_bad(receiver):
    values = [["1700000000250000000", "kept"], [5, "line"], ["1"], ["1", "line", "metadata"], {}]
    status, _, text = receiver.post("/loki/api/v1/push", {"streams": [{"stream": {}, "values": values}]})
    assert status == 400 and text.startswith("4 entries") and "values[1]" in text, text
    equal(receiver.records()[-1]["message"], "kept")
    for content in [{}, {"streams": {}}, {"streams": [{}]}, {"streams": [{"stream": [], "values": []}]}, []]:
        equal(receiver.post("/loki/api/v1/push", content)[0], 400)


@check("lines of JSON are read with the names and times that loggers use")
def lines(receiver):
    content = b"\n".join([
        b'{"time":"2023-11-14T22:13:20.250Z","level":"error","component":"a.b","message":"one","attributes":{"x":1},"y":2}',
        b"",
        b'{"ts":1700000000.25,"severity":"WARN","logger":"c","msg":"two"}\r',
        b'{"timestamp":1700000000250,"message":"three"}',
        b'{"timestamp":"1700000000250000000","message":"four","resource":{"service.name":"shop","zone":"z"}}',
        b'{"time":"2023-11-14T22:13:21Z"}',
    ])
    status, _, text = receiver.post("/ndjson", content)
    equal((status, json.loads(text)), (200, {"accepted": 5, "rejected": 0}))
    one, two, three, four, five = receiver.records()[-5:]
    equal((one["time"], one["level"], one["component"], one["attributes"]),
          (1_700_000_000_250, "error", "a.b", [["x", 1], ["y", 2]]))
    equal((two["time"], two["level"], two["component"], two["message"]), (1_700_000_000_250, "warning", "c", "two"))
    equal([each["time"] for each in (three, four, five)], [1_700_000_000_250, 1_700_000_000_250, 1_700_000_001_000])
    equal((four["service"], four["attributes"]), ("shop", [["resource.zone", "z"]]))


@check("of lines that cannot be read the first is named, and the others are kept")
def lines_bad(receiver):
    status, _, text = receiver.post("/ndjson", b'{"message":"kept"}\n[1]\n{"message":\n"text"\n')
    answer = json.loads(text)
    equal((status, answer["accepted"], answer["rejected"]), (200, 1, 3))
    assert answer["message"].startswith("line 2:"), answer
    status, _, text = receiver.post("/ndjson", b"\nnothing\n")
    assert status == 400 and text.startswith("line 2:"), text
    equal(receiver.post("/ndjson", b"")[0], 200)


@check("compressed content is read")
def compressed(receiver):
    content = json.dumps(otlp(log_record("compressed"))).encode()
    raw = zlib.compressobj(wbits=-15)
    for coding, coded in [("gzip", gzip.compress(content)), ("x-gzip", gzip.compress(content)),
                          ("deflate", zlib.compress(content)), ("deflate", raw.compress(content) + raw.flush()),
                          ("gzip, gzip", gzip.compress(gzip.compress(content))), ("identity", content)]:
        receiver.clear()
        equal(receiver.post("/v1/logs", coded, Content_Encoding=coding)[0], 200)
        equal(receiver.records()[-1]["message"], "compressed")


@check("compressed content that is damaged, too large or in an unknown coding is refused")
def compressed_bad(receiver):
    good = gzip.compress(json.dumps(otlp(log_record("x"))).encode())
    damaged = good[:-6] + bytes(4) + good[-2:]
    bomb = gzip.compress(bytes(50_000_000))
    for coding, content, expected in [
        ("gzip", good[:-9], 400), ("gzip", damaged, 400), ("gzip", b"{}", 400), ("gzip", bomb, 413),
        ("gzip, gzip", gzip.compress(bomb), 413), ("br", b"{}", 415), ("gzip, br", good, 415),
        ("gzip, gzip, gzip", good, 415),
    ]:
        for path in ["/v1/logs", "/loki/api/v1/push", "/ndjson"]:
            status, _, text = receiver.post(path, content, Content_Encoding=coding)
            equal(status, expected)
            assert len(text) > 20, text
    status, _, text = receiver.post("/v1/logs", b"\n\x04", Content_Type="application/x-protobuf")
    assert status == 415 and "http/json" in text


@check("what is no JSON is refused with the reason, in the receiver's own words for OTLP")
def malformed(receiver):
    for content in [b"", b"{", b"nothing", b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe{}", b'{"a":"\\ud800"}',
                    b'{"resourceLogs":1}', b'{"resourceLogs":[{"scopeLogs":{}}]}', b"[]", b"7", b'"text"', b"null",
                    b'{"resourceLogs":[{"scopeLogs":[{"logRecords":"x"}]}]}', bytes(1000), b'{"a":1e999}']:
        status, fields, text = receiver.post("/v1/logs", content)
        if content != b'{"a":1e999}' or status != 200:
            equal((status, fields["Content-Type"]), (400, "application/json"))
            answer = json.loads(text)
            assert answer["code"] == 3 and len(answer["message"]) > 10, text
        assert receiver.post("/loki/api/v1/push", content)[0] == 400
    equal(receiver.ask("GET", "/records?after=x")[0], 400)
    equal(receiver.ask("GET", "/records?limit=-1")[0], 400)
    equal(receiver.ask("GET", "/records?after=99999999999999999999")[0], 400)
    equal(receiver.ask("GET", f"/records?after={2**63 - 1}&limit={2**63 - 1}")[0], 200)


@check("documents with anything anywhere never break it")
def mutated(receiver):
    dice = random.Random(7)
    odd = [None, True, 0, -1, 2**63, 1e308, -0.0, "", "\u0000", "-", "9" * 400, [], {}, [[]], [None], {"": {}},
           {"stringValue": 5}, {"intValue": {}}, {"intValue": "x"}, {"kvlistValue": {"values": [5, {"key": 1}]}},
           {"arrayValue": 5}, {"doubleValue": "NaN"}, "\ud83d\ude00" * 50]
    loki = {"streams": [{"stream": {"level": "info", "app": "a"}, "values": [["1", "line", {"x": "1"}], ["2", "b"]]}]}
    line = {"time": "2023-11-14T22:13:20Z", "level": "info", "message": "m", "attributes": {"a": [1, {"b": 2}]}}

    def change(value):
        if dice.random() < 0.12:
            return dice.choice(odd)
        if isinstance(value, dict):
            return {dice.choice([name, name, name, name, "key"]): change(each) for name, each in value.items()}
        if isinstance(value, list):
            return [change(each) for each in value] * dice.choice([1, 1, 1, 2])
        return value

    sound = otlp(log_record("m", a=1, b=[1, {"c": True}]), log_record("n", d=1.5))
    for _ in range(150):
        for path, document in [("/v1/logs", sound), ("/loki/api/v1/push", loki), ("/ndjson", line)]:
            status = receiver.post(path, json.dumps(change(document)))[0]
            assert status in (200, 204, 400), status
    for record in receiver.records():
        assert 0 <= record["time"] < 1e13


@check("long names and values, many attributes, and content that is too large are cut or refused")
def sizes(receiver):
    many = {f"name{number}": "v" for number in range(300)}
    send(receiver, log_record("m" * 100_000, **{"n" * 1000: "v" * 100_000}), log_record("many", **many))
    long, wide = receiver.records()[-2:]
    assert len(long["message"]) < 66_000 and long["message"].endswith("(cut off)")
    equal((len(long["attributes"][0][0]) < 300, len(long["attributes"][0][1]) < 66_000), (True, True))
    equal((len(wide["attributes"]), wide["left"]), (256, 45))
    connection = http.client.HTTPConnection("127.0.0.1", receiver.port, timeout=PATIENCE)
    for _ in range(2):
        connection.request("POST", "/ndjson", b" " * 5_000_000)
        answer = connection.getresponse()
        assert answer.status == 413 and b"4 MiB" in answer.read()
        connection.request("POST", "/ndjson", iter([b'{"message":', b'"in chunks"}']), encode_chunked=True,
                           headers={"Transfer-Encoding": "chunked"})
        answer = connection.getresponse()
        equal((answer.status, json.loads(answer.read())["accepted"]), (200, 1))
    connection.close()


@check("a request that is refused before it was read is not taken for another")
def smuggled(receiver):
    send(receiver, log_record("stays"))
    inner = b"DELETE /records HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for fields in [b"Host: evil.example", b"Host: 127.0.0.1\r\nOrigin: http://evil.example"]:
        for size in [len(inner), 3_000_000]:
            connection = receiver.connect()
            connection.sendall(b"POST /ndjson HTTP/1.1\r\n%s\r\nContent-Length: %d\r\n\r\n" % (fields, size) + inner)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while part := connection.recv(65_536):
                    answer += part
            except ConnectionResetError:
                pass
            assert answer.startswith(b"HTTP/1.1 403 ") and answer.count(b"HTTP/1.1") == 1, answer
            connection.close()
    equal(receiver.records()[-1]["message"], "stays")


@check("pages of other sites may not use it, by no name")
def strangers(receiver):
    for fields in [{"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example"}, {"Origin": "https://evil.example"},
                   {"Origin": "null"}, {"Host": "[::2]"}, {"Host": "localhost.evil.example:80"}]:
        for method, path in [("GET", "/records"), ("GET", "/events"), ("POST", "/ndjson"), ("DELETE", "/records")]:
            equal(receiver.ask(method, path, **fields)[0], 403)
    for host in ["localhost", "localhost:4318", f"127.0.0.1:{receiver.port}", "[::1]:80"]:
        equal(receiver.ask("GET", "/health", Host=host, Origin=f"http://{host}")[0], 200)


@check("senders that break off leave it as it was")
def cut(receiver):
    for content in [b"", b"POST", b"POST /ndjson HTTP/1.1\r\nContent-Le", b"\r\n\r\n", bytes(1000),
                    b"POST /ndjson HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf",
                    b"POST /ndjson HTTP/1.1\r\nContent-Length: 3000000\r\n\r\nhalf",
                    b"POST /ndjson HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                    b"POST /ndjson HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
                    b"POST /ndjson HTTP/1.1\r\nContent-Length: -5\r\n\r\n"]:
        for _ in range(5):
            connection = receiver.connect()
            connection.sendall(content)
            connection.close()
    equal(receiver.ask("GET", "/health")[0], 200)


@check("the last 10,000 records are kept and handed out by number")
def bounded(receiver):
    receiver.clear()
    before = json.loads(receiver.ask("GET", "/health")[2])["last"]
    for start in range(0, 10_500, 500):
        lines = "".join('{"message":"%d"}\n' % number for number in range(start, start + 500))
        equal(receiver.post("/ndjson", lines)[0], 200)
    state = json.loads(receiver.ask("GET", "/health")[2])
    equal((state["count"], state["first"], state["last"]), (10_000, before + 501, before + 10_500))
    records = receiver.records()
    equal((len(records), records[0]["message"], records[-1]["message"]), (10_000, "500", "10499"))
    equal([record["seq"] for record in records], list(range(before + 501, before + 10_501)))
    equal([record["message"] for record in receiver.records(before + 600, 3)], ["600", "601", "602"])
    equal(receiver.records(before + 10_500), [])


@check("events come as records do, go on after the last that was seen, and tell of clearing")
def events(receiver):
    receiver.clear()
    send(receiver, log_record("first"))
    one = receiver.events()
    name, _, state = one.next()
    equal((name, state["count"]), ("hello", 1))
    name, last, records = one.next()
    equal((name, [record["message"] for record in records]), ("records", ["first"]))
    send(receiver, log_record("second"), log_record("third"))
    equal([record["message"] for record in one.next()[2]], ["second", "third"])
    two = receiver.events(last)
    two.next()
    equal([record["message"] for record in two.next()[2]], ["second", "third"])
    other = receiver.events("another-run:99999")
    other.next()
    equal([record["message"] for record in other.next()[2]], ["first", "second", "third"])
    receiver.clear()
    equal([each.next()[0] for each in (one, two, other)], ["cleared"] * 3)
    send(receiver, log_record("fourth"))
    equal([each.next()[2][0]["message"] for each in (one, two, other)], ["fourth"] * 3)
    for each in (one, two, other):
        each.close()


@check("too many pages are turned away, until some are closed")
def watchers(receiver):
    opened = [receiver.events() for _ in range(64)]
    assert all(each.status == 200 for each in opened[:60])
    late = receiver.events()
    equal(late.status, 503)
    for each in [*opened, late]:
        each.close()
    # A page that is gone shows when something is sent to it.

    def room():
        send(receiver, log_record("anyone there?"))
        page = receiver.events()
        page.close()
        return page.status

    eventually(room, 200)


@check("a sender that is too slow is told so")
def slow(receiver):
    connection = receiver.connect()
    connection.sendall(b"POST /ndjson HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{")
    assert connection.makefile("rb").readline().startswith(b"HTTP/1.1 408 ")
    connection.close()


@check("options and ports that cannot be used end it with the reason")
def options(receiver):
    for arguments, status in [(["--port", "x"], 2), (["--port"], 2), (["--loud"], 2), (["--once"], 2), (["--format", "x"], 2),
                              (["--host", "nowhere"], 1), (["--port", str(receiver.port)], 1)]:
        run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        equal(run.returncode, status)
        assert run.stderr.startswith("Error: "), run.stderr


# The page.


class Page:
    def __init__(self, receiver):
        self.receiver = receiver
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        chromedriver = shutil.which("chromedriver")
        if not chromium or not chromedriver:
            raise SystemExit("FAILED  the page cannot be checked: there is no chromium or no chromedriver")
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ["--headless=new", "--disable-dev-shm-usage", "--window-size=1280,900"]:
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)

    def open(self):
        """The page as it is when it is opened anew, with an empty receiver."""
        self.receiver.clear()
        self.driver.get(self.receiver.url)
        eventually(lambda: self.text("#state"), "live")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.one(selector).text

    def messages(self):
        return self.run("return [...document.querySelectorAll('.row.record')]"
                        ".sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)"
                        ".map(row => row.querySelector('.message').textContent)")

    def row(self, message):
        return next(row for row in self.all(".row.record") if row.find_element(By.CSS_SELECTOR, ".message").text == message)

    def call(self, part):
        return next(row for row in self.all(".row.call") if part in row.text)

    def search(self, words):
        field = self.one("#search")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.DELETE)
        field.send_keys(words)

    def click(self, selector):
        self.one(selector).click()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()


@page_check("an empty page says how to send the first record, and what it says works")
def first(page, receiver):
    page.open()
    assert "Waiting for the first record" in page.text("#empty")
    assert "LogShipper" in page.text("#swift") and receiver.url in page.text("#swift")
    line = page.text("#curl")
    assert line.startswith("curl http")
    if shutil.which("curl"):
        subprocess.run(line, shell=True, check=True, capture_output=True, timeout=PATIENCE)
    else:
        send(receiver, log_record("hello", component="shell"))
    eventually(page.messages, ["hello"])
    assert not page.one("#empty").is_displayed()


@page_check("records appear as they come, from all three formats, with a counter")
def live(page, receiver):
    page.open()
    send(receiver, log_record("by otlp"))
    eventually(page.messages, ["by otlp"])
    receiver.post("/loki/api/v1/push", {"streams": [{"stream": {"app": "a"}, "values": [["1700000000000000000", "by loki"]]}]})
    eventually(page.messages, ["by otlp", "by loki"])
    receiver.post("/ndjson", {"message": "by ndjson"})
    eventually(page.messages, ["by otlp", "by loki", "by ndjson"])
    eventually(lambda: page.text("#counter").split(" · ")[0], "3 records")


def some(receiver):
    send(receiver, log_record("Plants watered", "info", plant="fern", litres=2), component="garden.water")
    send(receiver, log_record("Pump is hot", "warning", celsius=81), component="garden.pump")
    send(receiver, log_record("Order paid", "debug", order=42), component="shop")
    send(receiver, log_record("Order lost", "critical", order=43), component="shop")


@page_check("a search looks at messages, components and attributes, for all words and for phrases")
def searching(page, receiver):
    page.open()
    some(receiver)
    eventually(lambda: len(page.messages()), 4)
    for words, expected in [("order", ["Order paid", "Order lost"]), ("ORDER=42", ["Order paid"]),
                            ("garden.pump", ["Pump is hot"]), ("plant fern", ["Plants watered"]),
                            ('"is hot"', ["Pump is hot"]), ('"hot is"', []), ("litres=2", ["Plants watered"]),
                            ("critical", ["Order lost"])]:
        page.search(words)
        eventually(page.messages, expected)
    page.search("nothing like it")
    eventually(lambda: page.one("#none").is_displayed())
    send(receiver, log_record("still nothing"))
    eventually(lambda: page.text("#counter").split(" · ")[:2], ["5 records", "0 shown"])
    page.click("#reset")
    eventually(lambda: len(page.messages()), 5)


@page_check("a level shows what is at least as grave, with counts of each")
def levels(page, receiver):
    page.open()
    some(receiver)
    eventually(lambda: page.text("[data-level=critical] .count"), "1")
    page.click("[data-level=warning]")
    eventually(page.messages, ["Pump is hot", "Order lost"])
    send(receiver, log_record("too small"), log_record("grave", "error"))
    eventually(page.messages, ["Pump is hot", "Order lost", "grave"])
    page.click("[data-level=trace]")
    eventually(lambda: len(page.messages()), 6)


@page_check("components are a tree with counts, and each shows what is under it")
def components(page, receiver):
    page.open()
    some(receiver)
    tree = {"*": "4", "garden": "2", "garden.pump": "1", "garden.water": "1", "shop": "2"}

    def counts():
        return {row.get_attribute("data-component"): row.find_element(By.CSS_SELECTOR, ".count").text
                for row in page.all(".component-row")}

    eventually(counts, tree)
    page.click("[data-component=garden]")
    eventually(page.messages, ["Plants watered", "Pump is hot"])
    page.click("[data-component='garden.pump']")
    eventually(page.messages, ["Pump is hot"])
    equal(page.one("[data-component='garden.pump']").get_attribute("aria-pressed"), "true")
    page.click("[data-component='*']")
    eventually(lambda: len(page.messages()), 4)


@page_check("a row opens to all attributes and closes again, and a value can be searched for")
def details(page, receiver):
    page.open()
    some(receiver)
    send(receiver, log_record("long\nmessage", deep={"list": [1, 2]}, text="line 1\nline 2"))
    eventually(lambda: len(page.messages()), 5)
    page.row("Plants watered").click()
    eventually(lambda: len(page.all(".attributes")), 1)
    table = {tuple(cell.text for cell in row.find_elements(By.CSS_SELECTOR, "th, td")[:2])
             for row in page.all(".attributes tr")}
    assert table >= {("plant", "fern"), ("litres", "2"), ("service", "checks"), ("level", "info")}, table
    equal(page.row("Plants watered").get_attribute("aria-expanded"), "true")
    page.all(".row.record")[-1].click()
    eventually(lambda: '"list": [' in page.text(".detail") and "line 1\nline 2" in page.text(".detail"))
    equal(len(page.all(".detail")), 1)
    page.all(".row.record")[0].click()
    eventually(lambda: "fern" in page.text(".detail"))
    button = page.one("tr:nth-child(1) .find")
    page.run("arguments[0].click()", button)
    eventually(page.messages, ["Plants watered"])
    equal(page.one("#search").get_attribute("value"), '"plant=fern"')


@page_check("a call groups its records: a waterfall of its attempts, with start, time to head, total and status")
def waterfall(page, receiver):
    page.open()
    start = time.time() - 5
    url = "https://api.example.com/plants?page=2"
    send_call(receiver, "00000000000000aa", url, start, [(503, 0.05, 0.1), (200, 0.2, 0.4)], "Inner; fwd=uri-miss")
    send(receiver, log_record("sent again", "notice", start + 0.15, httpchain__call__id="00000000000000aa"))
    send_call(receiver, "00000000000000bb", "https://api.example.com/other", start + 1, [(404, 0.01, 0.02)])
    eventually(lambda: len(page.messages()), 6)
    page.row(f"GET {url} call").click()
    eventually(lambda: len(page.all(".waterfall")), 1)
    title = page.text(".waterfall .title")
    assert "GET" in title and url in title and "200" in title and "600 ms" in title and "cache miss" in title, title
    equal([name.text for name in page.all(".plot .name")][1:], ["call", "attempt 1", "attempt 2", "records"])
    bars = page.run("return [...document.querySelectorAll('.plot .bar')].map(bar =>"
                    " [parseFloat(bar.style.left), parseFloat(bar.style.width)])")
    for actual, expected in zip(bars, [(0, 100), (0, 100 / 6), (200 / 6, 400 / 6)], strict=True):
        assert all(abs(one - two) < 0.5 for one, two in zip(actual, expected)), bars
    heads = page.run("return [...document.querySelectorAll('.plot .to-head')].map(head => parseFloat(head.style.width))")
    equal([round(head) for head in heads], [50, 50])
    told = [each.text.replace("\n", " ") for each in page.all(".plot .told")]
    assert "503" in told[2] and "head 50 ms" in told[2] and "total 100 ms" in told[2], told
    assert "200" in told[3] and "starts +200 ms" in told[3], told
    page.click(".dot")
    eventually(lambda: page.one(".row[aria-expanded=true] .message").text, "sent again")
    page.click(".waterfall .find")
    eventually(lambda: len(page.messages()), 4)


@page_check("calls are listed with their waterfalls, and open to their records")
def calls(page, receiver):
    page.open()
    start = time.time() - 5
    send_call(receiver, "00000000000000aa", "https://api.example.com/a", start, [(503, 0.05, 0.1), (200, 0.2, 0.4)])
    send_call(receiver, "00000000000000bb", "https://api.example.com/b", start + 1, [(404, 0.01, 0.02)])
    send(receiver, log_record("of no call"))
    eventually(lambda: len(page.messages()), 6)
    page.press("v")
    eventually(lambda: len(page.all(".row.call")), 2)
    one, two = sorted(page.all(".row.call"), key=lambda row: int(row.get_attribute("aria-rowindex")))
    assert "GET api.example.com/a" in one.text and "2 attempts" in one.text and "600 ms" in one.text, one.text
    assert "404" in two.text and len(two.find_elements(By.CSS_SELECTOR, ".bar")) == 2
    two.click()
    eventually(lambda: len(page.all(".member")), 2)
    page.click(".member")
    eventually(lambda: len(page.all(".row.record")), 6)
    eventually(lambda: page.one(".row[aria-expanded=true] .component").text, "http.wire")


@page_check("a call is found by the names that Loki has for its attributes")
def loki_calls(page, receiver):
    page.open()
    metadata = {"httpchain_call_id": "cc", "http_client_request_duration": "0.25", "http_request_method": "GET",
                "url_full": "https://api.example.com/loki", "http_response_status_code": "200"}
    values = [["1700000000000000000", "through Loki", metadata]]
    receiver.post("/loki/api/v1/push", {"streams": [{"stream": {"component": "http.client"}, "values": values}]})
    eventually(page.messages, ["through Loki"])
    page.press("v")
    eventually(lambda: len(page.all(".row.call")), 1)
    assert "api.example.com/loki" in page.text(".row.call") and "250 ms" in page.text(".row.call")


@page_check("whatever a record says stays text")
def text_only(page, receiver):
    page.open()
    evil = "<img src=x onerror=\"window.broken=1\"><script>window.broken=2</script>"
    names = {f"httpchain__{name}": evil for name in ["call__id", "cache__status", "outcome"]}
    names |= {"url__full": f"javascript:window.broken=3//{evil}", "http__request__method": evil, "error__type": evil,
              "http__client__request__duration": 0.1, "__proto__": evil, "constructor": evil, evil: evil}
    record = log_record(evil, "error", **names)
    record["attributes"] += pairs({"__proto__": evil, "toString": {"__proto__": evil}})
    send(receiver, record, component=evil, service=evil)
    receiver.post("/ndjson", {"message": f"${{7*7}}{evil}", "component": "__proto__", evil: {evil: [evil]}})
    eventually(lambda: len(page.messages()), 2)
    equal(page.messages()[0], evil)
    for view in ["records", "calls"]:
        page.click(f"input[value={view}] + span")
        eventually(lambda: len(page.all(".row")) > 0)
        page.all(".row")[0].click()
        eventually(lambda: len(page.all(".detail")), 1)
        assert evil in page.text(".detail")
        for index in range(len(page.all(".component-row"))):
            page.all(".component-row")[index].click()
            page.click("[data-component='*']")
        equal(page.run("return document.querySelectorAll('main img, main script, main a, nav img, nav script').length"), 0)
        equal(page.run("return document.querySelectorAll('script').length"), 1)
    equal(page.run("return window.broken === undefined && ({}).evil === undefined"), True)


@page_check("while paused nothing moves, and nothing is lost")
def pausing(page, receiver):
    page.open()
    send(receiver, log_record("before"))
    eventually(page.messages, ["before"])
    page.click("#pause")
    equal(page.one("#pause").get_attribute("aria-pressed"), "true")
    send(receiver, log_record("during 1"), log_record("during 2"))
    eventually(lambda: page.text("#pause"), "Resume (2)")
    equal(page.messages(), ["before"])
    page.press("p")
    eventually(page.messages, ["before", "during 1", "during 2"])
    send(receiver, log_record("after"))
    eventually(lambda: page.messages()[-1], "after")


@page_check("the keyboard does everything")
def keyboard(page, receiver):
    page.open()
    some(receiver)
    eventually(lambda: len(page.messages()), 4)
    page.press("/")
    equal(page.run("return document.activeElement.id"), "search")
    page.press("order")
    eventually(page.messages, ["Order paid", "Order lost"])
    page.press(Keys.ENTER)
    equal(page.run("return document.activeElement.id"), "list")
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    eventually(lambda: page.one(".row[aria-expanded=true] .message").text, "Order lost")
    page.press(Keys.ESCAPE)
    eventually(lambda: len(page.all(".detail")), 0)
    page.press(Keys.ARROW_UP, " ")
    eventually(lambda: page.one(".row[aria-expanded=true] .message").text, "Order paid")
    page.press("/", Keys.ESCAPE)
    eventually(lambda: len(page.messages()), 4)


@page_check("10,000 rows are few elements, scroll smoothly, and the oldest make room")
def many(page, receiver):
    page.open()
    for start in range(0, 10_000, 500):
        lines = "".join('{"message":"number %d","component":"c%d"}\n' % (n, n % 7) for n in range(start, start + 500))
        equal(receiver.post("/ndjson", lines)[0], 200)
    eventually(lambda: page.text("#counter").split(" · ")[0], "10,000 records")
    assert len(page.all(".row")) < 120
    equal(page.messages()[-1], "number 9999")
    longest = page.driver.execute_async_script(
        """
        const done = arguments[0], list = document.getElementById("list");
        list.scrollTop = 0;
        let steps = 0, before = performance.now(), sum = 0;
        const step = () => {
          const now = performance.now();
          sum += now - before;
          before = now;
          list.scrollTop += 3000;
          if (++steps < 90) requestAnimationFrame(step); else done(sum / steps);
        };
        requestAnimationFrame(step);
        """
    )
    assert longest < 60, f"a frame takes {longest:.0f} ms while scrolling"
    # Away from the end, what is in sight stays there while others come and go.
    page.run("document.getElementById('list').scrollTop = 28 * 5000")
    eventually(lambda: "number 5010" in page.messages())
    lines = "".join('{"message":"later %d"}\n' % number for number in range(300))
    equal(receiver.post("/ndjson", lines)[0], 200)
    eventually(lambda: page.text("#jump"), "↓ 300 new")
    assert "number 5010" in page.messages()
    page.click("#jump")
    eventually(lambda: page.messages()[-1], "later 299")
    equal(page.text("#counter").split(" · ")[0], "10,000 records")
    page.search("number 9")
    matching = sum("9" in str(number) for number in range(300, 10_000))
    eventually(lambda: page.text("#counter").split(" · ")[1], f"{matching:,} shown")


@page_check("clearing clears every page")
def clearing(page, receiver):
    page.open()
    some(receiver)
    eventually(lambda: len(page.messages()), 4)
    page.click("#clear")
    eventually(lambda: page.one("#empty").is_displayed())
    equal(receiver.records(), [])
    send(receiver, log_record("new"))
    eventually(page.messages, ["new"])
    receiver.clear()
    eventually(lambda: page.one("#empty").is_displayed())


@page_check("it looks as the system does, dark or light, on a small screen too")
def looks(page, receiver):
    page.open()
    some(receiver)
    eventually(lambda: len(page.messages()), 4)
    colors = set()
    for scheme in ["light", "dark"]:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        colors.add(page.run("return getComputedStyle(document.body).backgroundColor"))
    equal(len(colors), 2)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    page.driver.set_window_size(500, 700)
    equal(page.run("return document.documentElement.scrollWidth <= innerWidth"), True)
    page.driver.set_window_size(1280, 900)


@page_check("nothing went wrong in the page")
def console(page, receiver):
    equal([entry["message"] for entry in page.driver.get_log("browser") if entry["level"] == "SEVERE"], [])


@page_check("it goes on when the receiver was away, and with one that was started again")
def reconnecting(page, receiver):
    page.open()
    send(receiver, log_record("old"))
    eventually(page.messages, ["old"])
    port = receiver.port
    receiver.stop()
    eventually(lambda: page.text("#state"), "reconnecting")
    receiver.start(port)
    send(receiver, log_record("new"))
    eventually(lambda: page.text("#state"), "live")
    eventually(page.messages, ["old", "new"])
    send(receiver, log_record("newer"))
    eventually(page.messages, ["old", "new", "newer"])


@page_check("the demo ends by itself when its records have arrived")
def demo(page, receiver):
    for name in ["otlp", "loki", "ndjson"]:
        command = [PROGRAM, "--port", "0", "--demo", "--once", "--format", name]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
        equal((run.returncode, run.stderr), (0, ""))
        assert "of 8 calls arrived" in run.stdout, run.stdout


@page_check("the demo's calls are on the page in every format, with their waterfalls, and none of their secrets")
def demo_page(page, receiver):
    for name in ["otlp", "loki", "ndjson"]:
        other = Receiver(0, "--demo", "--format", name)
        try:
            page.driver.get(other.url)
            page.press("v")
            eventually(lambda: len(page.all(".row.call")) >= 8)
            eventually(lambda: "3 attempts" in page.call("/stock/7").text)
            eventually(lambda: len(page.call("/stock/7").find_elements(By.CSS_SELECTOR, ".bar")), 4)
            page.press("p")
            hits = [row.text for row in page.all(".row.call") if "cache hit" in row.text]
            assert hits and all("/plants?season" in hit for hit in hits), hits
            page.call("/stock/7").click()
            eventually(lambda: [each.text for each in page.all(".plot .name")][1:],
                       ["call", "attempt 1", "attempt 2", "attempt 3"])
            kept = json.dumps(other.records())
            assert "4111" not in kept and "api_key=secret" not in kept
        finally:
            other.stop()


def main():
    receiver = Receiver()
    page = Page(receiver)
    failures = 0
    checks = [(title, function, (receiver,)) for title, function in CHECKS]
    checks += [(title, function, (page, receiver)) for title, function in PAGE_CHECKS]
    try:
        for title, function, arguments in checks:
            try:
                function(*arguments)
                print("ok     ", title, flush=True)
            except Exception as error:  # noqa: BLE001 - one check must not end the others
                failures += 1
                place = error.__traceback__
                while place.tb_next and place.tb_next.tb_frame.f_code.co_filename == __file__:
                    place = place.tb_next
                print("FAILED ", title, "-", f"line {place.tb_lineno}:", type(error).__name__, error, flush=True)
        if receiver.process.poll() is not None:
            failures += 1
            print("FAILED  the receiver is still there at the end")
    finally:
        page.driver.quit()
        receiver.stop()
    print(f"{len(checks)} checks, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
