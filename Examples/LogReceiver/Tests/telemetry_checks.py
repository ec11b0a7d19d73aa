"""Checks spans, metrics, Protocol Buffers and the file of records, in the receiver's responses and its page."""

import gzip
import json
import os
import random
import tempfile
import time

from harness import Receiver, check, equal, eventually, log_record, otlp, page_check, pairs, send
from selenium.webdriver.common.by import By

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PROTOBUF = "application/x-protobuf"


def span(name, number, parent=None, start=0.0, length=0.1, base=1_700_000_000, **more):
    """A span with a number as its ID."""
    result = {
        "traceId": TRACE, "spanId": f"{number:016x}", "name": name, "kind": more.pop("kind", 3),
        "startTimeUnixNano": str(int((base + start) * 1e9)), "endTimeUnixNano": str(int((base + start + length) * 1e9)),
        "attributes": pairs(more.pop("attributes", {})),
    }
    if parent:
        result["parentSpanId"] = f"{parent:016x}"
    return result | more


def spans(*list_of_spans, service="shop", scope="HTTPChainTracing"):
    return {"resourceSpans": [{"resource": {"attributes": pairs({"service.name": service})},
                               "scopeSpans": [{"scope": {"name": scope}, "spans": list(list_of_spans)}]}]}


def metrics(*list_of_metrics, service="shop"):
    return {"resourceMetrics": [{"resource": {"attributes": pairs({"service.name": service})},
                                 "scopeMetrics": [{"scope": {"name": "meter"}, "metrics": list(list_of_metrics)}]}]}


def histogram(at, counts, bounds=(0.1, 0.5, 1.0), **attributes):
    point = {"timeUnixNano": str(int(at * 1e9)), "count": str(sum(counts)), "sum": 1.5, "min": 0.01, "max": 2.0,
             "bucketCounts": [str(count) for count in counts], "explicitBounds": list(bounds),
             "attributes": pairs(attributes)}
    return {"name": "http.client.request.duration", "unit": "s", "description": "How long requests take.",
            "histogram": {"aggregationTemporality": 2, "dataPoints": [point]}}


def gauge(at, value, **attributes):
    point = {"timeUnixNano": str(int(at * 1e9)), "asInt": str(value), "attributes": pairs(attributes)}
    return {"name": "http.client.active_requests", "unit": "{request}", "gauge": {"dataPoints": [point]}}


def distributed_call(base):
    """Three programs: a shop calls its stock, which calls a warehouse twice, because the first response is an error."""
    failed = {"code": 2, "message": ""}
    event = {"timeUnixNano": str(int((base + 0.16) * 1e9)), "name": "httpchain.backoff",
             "attributes": pairs({"httpchain.delay": 0.05})}
    return [
        spans(span("checkout", 1, None, 0, 0.5, base, kind=1),
              span("GET /stock/{id}", 2, 1, 0.02, 0.4, base, attributes={"http.response.status_code": 200})),
        spans(span("GET /stock/{id}", 3, 2, 0.03, 0.37, base, kind=2),
              span("GET /shelves", 4, 3, 0.05, 0.1, base, status=failed, attributes={"http.response.status_code": 503,
                                                                                   "error.type": "503"}),
              span("GET /shelves", 5, 3, 0.2, 0.18, base, events=[event],
                   attributes={"http.response.status_code": 200, "http.request.resend_count": 1}), service="stock"),
        spans(span("GET /shelves", 6, 5, 0.22, 0.15, base, kind=2), service="warehouse"),
    ]


def messages():
    """The requests of OTLP by path, as defined by the package opentelemetry-proto."""
    from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
    from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics_
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

    return {
        "/v1/logs": (logs.ExportLogsServiceRequest, logs.ExportLogsServiceResponse, "rejected_log_records"),
        "/v1/traces": (traces.ExportTraceServiceRequest, traces.ExportTraceServiceResponse, "rejected_spans"),
        "/v1/metrics": (metrics_.ExportMetricsServiceRequest, metrics_.ExportMetricsServiceResponse,
                        "rejected_data_points"),
    }


def protobuf(path, tree):
    """Converts a JSON request to Protocol Buffers."""
    import base64

    from google.protobuf import json_format

    def convert(value):
        if isinstance(value, list):
            return [convert(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {name: base64.b64encode(bytes.fromhex(each)).decode() if name in ("traceId", "spanId", "parentSpanId")
                else convert(each) for name, each in value.items()}

    return json_format.ParseDict(convert(tree), messages()[path][0]()).SerializeToString()


def requests():
    now = 1_700_000_000
    return {
        "/v1/logs": otlp(log_record("hello", "warning", now, whole=2**53 + 1, part=1.5, yes=True, list=[1, "two"],
                                    map={"inner": {"deep": -7}}, nothing=None) | {"traceId": TRACE}),
        "/v1/traces": distributed_call(now)[1],
        "/v1/metrics": metrics(histogram(now, [3, 2, 1, 0], method="GET"), gauge(now, -4)),
    }


@check("protocol buffers are read as the same request in JSON is, compressed too, and answered in kind")
def both_encodings(receiver):
    for path, tree in requests().items():
        receiver.clear()
        equal(receiver.post(path, tree)[0], 200)
        content = protobuf(path, tree)
        for coding, coded in [("identity", content), ("gzip", gzip.compress(content))]:
            status, fields, text = receiver.post(path, coded, Content_Type=PROTOBUF, Content_Encoding=coding)
            equal((status, fields["Content-Type"], text), (200, PROTOBUF, ""))
        kept = [{name: value for name, value in record.items() if name != "seq"} for record in receiver.records()]
        size = len(kept) // 3
        # Sorted, so that the three copies of each record are adjacent.
        ordered = sorted(json.dumps(record, sort_keys=True) for record in kept)
        equal(ordered[::3], ordered[1::3])
        equal(ordered[::3], ordered[2::3])
        assert size > 0


@check("what is wrong in a request of protocol buffers is said in protocol buffers")
def protobuf_bad(receiver):
    for path, (_, response, counter) in messages().items():
        for content in [b"\x0a", b"\xff\xff", b"\x0b", b"\x08\x01\x0a\x7f", b"{}" * 40, b"\x0a\x02\x12\x05",
                        protobuf(path, requests()[path])[:-1]]:
            status, fields, _ = receiver.post(path, content, Content_Type=PROTOBUF)
            equal((content, status, fields["Content-Type"]), (content, 400, PROTOBUF))
    bad = spans({"traceId": TRACE, "spanId": "00" * 8, "name": "no id"}, span("good", 1))
    status, _, text = receiver.post("/v1/traces", bad)
    equal((status, json.loads(text)["partialSuccess"]["rejectedSpans"]), (200, "1"))
    connection_answer = ask_bytes(receiver, "/v1/traces", protobuf("/v1/traces", bad))
    answer = messages()["/v1/traces"][1].FromString(connection_answer)
    equal(answer.partial_success.rejected_spans, 1)
    assert "spans[0]" in answer.partial_success.error_message


def ask_bytes(receiver, path, content):
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", receiver.port, timeout=20)
    connection.request("POST", path, content, {"Content-Type": PROTOBUF})
    answer = connection.getresponse().read()
    connection.close()
    return answer


@check("protocol buffers that are cut off, changed or deep never break it")
def protobuf_mutated(receiver):
    dice = random.Random(11)
    for path, tree in requests().items():
        content = protobuf(path, tree)
        for _ in range(120):
            changed = bytearray(content)
            for _ in range(dice.randrange(1, 4)):
                changed[dice.randrange(len(changed))] = dice.randrange(256)
            status = ask_status(receiver, path, bytes(changed[:dice.randrange(1, len(changed) + 1)]))
            assert status in (200, 400), status
    value = b"\x0a\x01x"
    for _ in range(400):
        inner = b"\x0a" + length(value) + value
        value = b"\x2a" + length(inner) + inner
    body = b"\x2a" + length(value) + value
    record = b"\x12" + length(body) + body
    scope = b"\x12" + length(record) + record
    equal(ask_status(receiver, "/v1/logs", b"\x0a" + length(scope) + scope), 400)
    equal(receiver.ask("GET", "/health")[0], 200)


def ask_status(receiver, path, content):
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", receiver.port, timeout=20)
    connection.request("POST", path, content, {"Content-Type": PROTOBUF})
    status = connection.getresponse().status
    connection.close()
    return status


def length(content):
    count, result = len(content), b""
    while count >= 128:
        result += bytes([count & 127 | 128])
        count >>= 7
    return result + bytes([count])


@check("a span is a record with its ids, its time, its kind and what went wrong")
def span_records(receiver):
    receiver.clear()
    for request in distributed_call(1_700_000_000):
        equal(receiver.post("/v1/traces", request)[::2], (200, "{}"))
    kept = {dict(record["attributes"])["spanId"]: record for record in receiver.records()}
    equal(len(kept), 6)
    failed = kept[f"{4:016x}"]
    attributes = dict(failed["attributes"])
    equal((failed["format"], failed["level"], failed["service"], failed["component"], failed["message"]),
          ("span", "error", "stock", "HTTPChainTracing", "GET /shelves"))
    equal((attributes["traceId"], attributes["parentSpanId"], attributes["span.kind"]), (TRACE, f"{3:016x}", "client"))
    equal((attributes["span.start"], attributes["span.duration"]), (1_700_000_000_050, 100))
    equal(dict(kept[f"{5:016x}"]["attributes"])["span.events"],
          [["httpchain.backoff", 1_700_000_000_160, {"httpchain.delay": 0.05}]])


@check("a metric is a record with the values of its series")
def metric_records(receiver):
    receiver.clear()
    now = 1_700_000_000
    summary = {"name": "s", "summary": {"dataPoints": [{"count": "3", "sum": 6.0}]}}
    equal(receiver.post("/v1/metrics", metrics(histogram(now, [3, 2, 1, 0], method="GET"), gauge(now, -4), summary,
                                               {"name": "none"}, {"gauge": {}}))[0], 200)
    first, second, third = sorted(receiver.records(), key=lambda record: record["message"])
    points = dict(second["attributes"])["metric.points"]
    equal(points, [{"attributes": {"method": "GET"}, "count": 6, "sum": 1.5, "min": 0.01, "max": 2,
                    "counts": [3, 2, 1, 0], "bounds": [0.1, 0.5, 1]}])
    equal(dict(first["attributes"])["metric.points"], [{"attributes": {}, "value": -4}])
    equal((second["format"], second["time"], third["message"]), ("metric", now * 1000, "s"))


@check("what was received is kept in a file by choice, for the next start, and cleared with the rest")
def kept(receiver):
    path = os.path.join(tempfile.mkdtemp(), "kept.ndjson")
    first = Receiver(0, "--keep", path)
    send(first, log_record("one", "error", 1_700_000_000.5, deep={"a": [1, None, "x\n\"y\""]}), component="a.b")
    first.post("/v1/traces", distributed_call(1_700_000_001)[0])
    before = first.records()
    # Killed instead of stopped, in the middle of a line.
    first.process.kill()
    first.process.wait()
    equal(os.stat(path).st_mode & 0o777, 0o600)
    with open(path, "ab") as file:
        file.write(b'{"seq":99,"time":17')
    second = Receiver(0, "--keep", path)
    try:
        equal(second.records(), before)
        send(second, log_record("two"))
        second.stop()
        second.start(0)
        equal([record["message"] for record in second.records()], [record["message"] for record in before] + ["two"])
        second.clear()
        second.stop()
        second.start(0)
        equal(second.records(), [])
    finally:
        second.stop()


@page_check("a trace is a waterfall of all programs that took part, below one another, with events and records")
def traces(page, receiver):
    page.open()
    base = time.time() - 10
    for request in distributed_call(base):
        receiver.post("/v1/traces", request)
    send(receiver, log_record("shelf is empty", "warning", base + 0.1) | {"traceId": TRACE}, component="stock.shelves")
    eventually(lambda: "1 trace" in page.text("#counter"))
    # The log doesn't show spans.
    equal(page.messages(), ["shelf is empty"])
    page.click("input[value=traces] + span")
    eventually(lambda: len(page.all(".row.trace-row")), 1)
    row = page.text(".row.trace-row")
    assert "6 spans" in row and "1 failed" in row and "3 services" in row and "checkout" in row and "500 ms" in row, row
    page.click(".row.trace-row")
    eventually(lambda: len(page.all(".span-name")), 6)
    equal([name.text for name in page.all(".span-name")],
          ["shop checkout", "shop GET /stock/{id}", "stock GET /stock/{id}", "stock GET /shelves", "stock GET /shelves",
           "warehouse GET /shelves"])
    depths = page.run("return [...document.querySelectorAll('.span-name')].map(e => parseInt(e.style.paddingInlineStart) / 14)")
    equal(depths, [0, 1, 2, 3, 3, 4])
    bars = page.run("return [...document.querySelectorAll('.plot .bar')].map(bar =>"
                    " [parseFloat(bar.style.left), parseFloat(bar.style.width)])")
    for actual, expected in zip(bars, [(0, 100), (4, 80), (6, 74), (10, 20), (40, 36), (44, 30)], strict=True):
        assert all(abs(one - two) < 0.5 for one, two in zip(actual, expected)), bars
    equal(len(page.all(".bar.failed")), 1)
    assert "httpchain.backoff" in page.one(".event").get_attribute("title")
    equal([row.find_element(By.CSS_SELECTOR, ".message").text for row in page.all(".member")], ["shelf is empty"])
    # A late span is added to the drawn ones.
    receiver.post("/v1/traces", spans(span("late", 7, 6, 0.25, 0.1, base), service="warehouse"))
    eventually(lambda: len(page.all(".span-name")), 7)
    page.all(".span-name")[3].click()
    eventually(lambda: page.one(".row[aria-expanded=true] .message").text, "GET /shelves")


@page_check("a trace whose spans are each other's parents, or have none, is drawn")
def circles(page, receiver):
    page.open()
    receiver.post("/v1/traces", spans(span("a", 1, 2), span("b", 2, 1), span("c", 3, 3), span("d", 4, 99)))
    page.click("input[value=traces] + span")
    eventually(lambda: len(page.all(".row.trace-row")), 1)
    page.click(".row.trace-row")
    eventually(lambda: len(page.all(".span-name")), 4)


@page_check("a metric has a row for each series, with its last value, its quantiles and a line of what it was")
def metric_rows(page, receiver):
    page.open()
    base = time.time() - 100
    for step in range(5):
        receiver.post("/v1/metrics", metrics(histogram(base + step * 10, [3 * step, 2 * step, step, 0], method="GET"),
                                             gauge(base + step * 10, step % 3, server="a"), gauge(base + step * 10, 7)))
    page.click("input[value=metrics] + span")
    eventually(lambda: len(page.all(".row.metric")), 3)
    eventually(lambda: "3 series" in page.text("#counter"))
    rows = {row.text.split("\n")[0] + row.find_element(By.CSS_SELECTOR, ".series").text: row for row in page.all(".row.metric")}
    duration = rows["http.client.request.durationmethod=GET"].text
    assert "100 ms" in duration and "62.5 ms" in duration, duration
    assert "1 request" in rows["http.client.active_requestsserver=a"].text
    assert "7 request" in rows["http.client.active_requests—"].text
    equal(len(page.all(".spark polyline")), 3)
    rows["http.client.request.durationmethod=GET"].click()
    eventually(lambda: len(page.all(".buckets .bar")), 3)
    assert "How long requests take." in page.text(".detail")
    page.search("server=a")
    eventually(lambda: len(page.all(".row.metric")), 1)


@page_check("a tab that nobody sees keeps no more than one that is seen")
def hidden(page, receiver):
    page.open()
    # Simulates a hidden tab, which draws no frames.
    page.run("Object.defineProperty(document, 'hidden', {get: () => true}); window.requestAnimationFrame = () => 0")
    for start in range(0, 12_000, 500):
        lines = "".join('{"message":"number %d"}\n' % number for number in range(start, start + 500))
        equal(receiver.post("/ndjson", lines)[0], 200)
    eventually(lambda: page.text("#counter").split(" · ")[0], "10,000 records")
    eventually(lambda: page.messages()[-1], "number 11999")


@page_check("whatever a span or a metric says stays text")
def telemetry_text_only(page, receiver):
    page.open()
    evil = "<img src=x onerror=\"window.broken=1\">"
    receiver.post("/v1/traces", spans(span(evil, 1, attributes={evil: evil, "error.type": evil},
                                           status={"code": 2, "message": evil},
                                           events=[{"name": evil, "timeUnixNano": "1700000000000000000"}]),
                                      service=evil, scope=evil))
    receiver.post("/v1/metrics", metrics({"name": evil, "unit": evil, "description": evil,
                                          "gauge": {"dataPoints": [{"asInt": "1", "attributes": pairs({evil: evil})}]}},
                                         service=evil))
    for view, row in [("traces", ".row.trace-row"), ("metrics", ".row.metric")]:
        page.click(f"input[value={view}] + span")
        eventually(lambda: len(page.all(row)), 1)
        page.click(row)
        eventually(lambda: evil in page.text(".detail"))
    equal(page.run("return document.querySelectorAll('main img, main a, main script').length"), 0)
    equal(page.run("return window.broken === undefined"), True)
