"""Checks the receiver's responses over bare HTTP."""

import gzip
import http.client
import json
import random
import socket
import subprocess
import time
import zlib

from harness import PATIENCE, PROGRAM, SEVERITIES, check, equal, eventually, log_record, otlp, send


@check("the page and its files are there, and may load nothing from elsewhere")
def files(receiver):
    for path in ["/", "/page.css", "/page.js", "/records.js", "/calls.js", "/list.js", "/views.js", "/text.js",
                 "/archives.js", "/traces.js", "/metrics.js"]:
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
                                  ("GET", "/har", "POST"),
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
    equal((one["time"], one["level"], one["component"], one["message"]),
          (1_700_000_000_250, "warning", "shop", "line 1"))
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
        b'{"time":"2023-11-14T22:13:20.250Z","level":"error","component":"a.b","message":"one",'
        b'"attributes":{"x":1},"y":2}',
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
    status, _, text = receiver.post("/loki/api/v1/push", b"\n\x04", Content_Type="application/x-protobuf")
    assert status == 415 and "JSON" in text


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
    for path, content in [("/ndjson", "{}\n" * 10_001), ("/v1/logs", json.dumps(otlp(*[{}] * 10_001))),
                          ("/loki/api/v1/push", {"streams": [{"stream": {}, "values": [["1", ""]] * 10_001}]})]:
        status, _, text = receiver.post(path, content)
        assert status == 413 and "10000 records" in text, text
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
    # The receiver notices that a page was closed only when it sends something to the page.

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
    for arguments, status in [(["--port", "x"], 2), (["--port"], 2), (["--loud"], 2), (["--once"], 2),
                              (["--format", "x"], 2), (["--host", "nowhere"], 1), (["--port", str(receiver.port)], 1)]:
        run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        equal(run.returncode, status)
        assert run.stderr.startswith("Error: "), run.stderr
    assert "in use" in run.stderr and "--port 0" in run.stderr, run.stderr
