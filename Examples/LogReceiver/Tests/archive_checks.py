"""Checks HTTP archives: the receiver reads them, and the page shows them."""

import json
import subprocess
import tempfile

from harness import PACKAGE, PROGRAM, Receiver, check, equal, eventually, page_check, send_call

ARCHIVES = PACKAGE / "Tests/HARTests/Resources"


def exchange(url, start, status=200, **timings):
    """An exchange as programs write it. `start` is in milliseconds since midnight."""
    return {
        "startedDateTime": f"2026-01-02T03:04:{start // 1000:02d}.{start % 1000:03d}Z",
        "time": sum(timings.values()),
        "request": {"method": "GET", "url": url, "httpVersion": "HTTP/1.1", "cookies": [], "queryString": [],
                    "headers": [{"name": "Authorization", "value": "Bearer very-hidden"},
                                {"name": "X-A", "value": "1"}, {"name": "x-a", "value": "2"}],
                    "headersSize": -1, "bodySize": 0},
        "response": {"status": status, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
                     "content": {"size": 2, "mimeType": "application/json",
                                 "text": '{"password":"very-hidden","a":"<img>"}'},
                     "redirectURL": "", "headersSize": -1, "bodySize": 2},
        "cache": {},
        "timings": {"send": 0, "wait": 0, "receive": 0, **timings},
    }


def archive(*exchanges):
    return {"log": {"version": "1.2", "creator": {"name": "checks", "version": "1"}, "entries": list(exchanges)}}


@check("an archive's exchanges are records with their times, without secrets")
def exchanges(receiver):
    receiver.clear()
    content = archive(exchange("https://a.example/1?token=very-hidden", 5_000, connect=30, send=1, wait=50, receive=20),
                      exchange("https://a.example/2", 6_500, 503, wait=10), exchange("https://a.example/3", 7_000, 0))
    status, _, text = receiver.post("/har", content)
    equal((status, json.loads(text)), (200, {"accepted": 3}))
    kept = receiver.records()
    assert "very-hidden" not in json.dumps(kept)
    equal([record["level"] for record in kept], ["info", "error", "error"])
    equal({(record["format"], record["service"], record["component"]) for record in kept}, {("har", "checks", "har")})
    first = dict(kept[0]["attributes"])
    equal((first["httpchain.duration"], first["httpchain.time_to_head"]), (0.101, 0.081))
    equal(first["har.timings"], [["connect", 30], ["send", 1], ["wait", 50], ["receive", 20]])
    equal(first["http.request.header.x-a"], "1, 2")
    equal(kept[0]["time"], round(first["httpchain.start_time"] * 1000) + 101)
    attributes = [dict(record["attributes"]) for record in kept]
    equal([each.get("http.response.status_code") for each in attributes], [200, 503, None])
    equal([each.get("error.type") for each in attributes], [None, None, "no answer"])
    equal(len({each["httpchain.call.id"] for each in attributes}), 3)
    equal(len({each["har.archive"] for each in attributes}), 1)


@check("archives of other programs are read")
def foreign(receiver):
    for name in ["chromium", "firefox", "mitmproxy", "playwright"]:
        receiver.clear()
        content = (ARCHIVES / f"{name}.har").read_bytes()
        status, _, text = receiver.post("/har", content)
        equal((status, json.loads(text)["accepted"]), (200, len(json.loads(content)["log"]["entries"])))
        equal(len(receiver.records()), json.loads(text)["accepted"])


@check("what is no archive, and one that is too large, is refused with what is wrong")
def malformed(receiver):
    receiver.clear()
    broken = archive(exchange("https://a.example/", 0))
    del broken["log"]["entries"][0]["request"]
    for content, words in [("{", "truncated"), ("[]", "an object"), ("{}", "log"), (broken, "entries[0].request")]:
        status, _, text = receiver.post("/har", content)
        assert status == 400 and words in text, (status, text)
    many = archive()
    many["log"]["entries"] = [{}] * 10_001
    equal(receiver.post("/har", many)[0], 413)
    equal(receiver.post("/har", b" " * (33 << 20))[0], 413)
    # Pages of other sites must not send archives.
    equal(receiver.post("/har", archive(), Origin="https://a.example")[0], 403)
    equal(receiver.records(), [])


@check("an archive that the command line names is there from the beginning; one that is not there ends the program")
def named(receiver):
    other = Receiver(0, "--har", str(ARCHIVES / "chromium.har"), "--har", str(ARCHIVES / "mitmproxy.har"))
    try:
        equal({record["service"] for record in other.records()},
              {json.loads((ARCHIVES / f"{name}.har").read_text())["log"]["creator"]["name"]
               for name in ["chromium", "mitmproxy"]})
    finally:
        other.stop()
    run = subprocess.run([PROGRAM, "--port", "0", "--har", "/nowhere.har"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 1 and "/nowhere.har" in run.stderr, run


def names(page):
    return [each.text for each in page.all(".plot .name")][1:]


def left(page, part):
    """The offset of a call's bar in its column, in percent."""
    bars = page.run("return [...arguments[0].querySelectorAll('.bar')].map(bar => parseFloat(bar.style.left))",
                    page.call(part))
    equal(len(bars), 1)
    return round(bars[0])


@page_check("an archive that is chosen is shown as waterfalls, each exchange where it was in the time of all")
def chosen(page, receiver):
    page.open()
    with tempfile.NamedTemporaryFile("w", suffix=".har") as file:
        json.dump(archive(exchange("https://a.example/first", 1_000, dns=100, send=1, wait=299, receive=600),
                          exchange("https://a.example/second", 2_000, 404, wait=1_000)), file)
        file.flush()
        page.one("#archives").send_keys(file.name)
        eventually(lambda: len(page.all(".row.call")), 2)
    equal((left(page, "/first"), left(page, "/second")), (0, 50))
    # A logged call has its own scale, and that of the archive doesn't change.
    send_call(receiver, "00000000000000cc", "https://live.example/", 1_767_323_040, [(200, 0.01, 60)])
    eventually(lambda: len(page.all(".row.call")), 3)
    eventually(lambda: (left(page, "/first"), left(page, "/second")), (0, 50))
    page.call("/first").click()
    eventually(lambda: names(page), ["call", "dns", "send", "wait", "receive"])
    widths = page.run("return [...document.querySelectorAll('.bar.part')].map(bar => [bar.style.left, bar.style.width])")
    equal([tuple(round(float(each.rstrip("%"))) for each in width) for width in widths],
          [(0, 10), (10, 0), (10, 30), (40, 60)])
    assert "very-hidden" not in page.run("return document.documentElement.outerHTML")


@page_check("an archive that is dropped on the page is shown, and one that cannot be read says why")
def dropped(page, receiver):
    page.open()

    def drop(name, content):
        page.run("""
            const [name, content] = arguments, data = new DataTransfer();
            data.items.add(new File([content], name));
            for (const kind of ["dragover", "drop"])
              document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
        """, name, content)

    drop("broken.har", "{")
    eventually(lambda: "broken.har: This archive cannot be read" in page.text("#notice"))
    equal(receiver.records(), [])
    drop("good.har", json.dumps(archive(exchange("https://a.example/dropped", 1_000, wait=5))))
    eventually(lambda: len(page.all(".row.call")), 1)
    assert "/dropped" in page.call("/dropped").text
    severe = [entry["message"] for entry in page.driver.get_log("browser") if entry["level"] == "SEVERE"]
    # The browser's own message about the response.
    assert len(severe) == 1 and "/har" in severe[0] and "400" in severe[0], severe
