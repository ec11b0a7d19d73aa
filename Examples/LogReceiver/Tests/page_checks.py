"""Checks the content of the page."""

import json
import shutil
import subprocess
import time

from harness import PATIENCE, PROGRAM, Receiver, equal, eventually, log_record, page_check, pairs, send, send_call
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


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
    stream = {"stream": {"app": "a"}, "values": [["1700000000000000000", "by loki"]]}
    receiver.post("/loki/api/v1/push", {"streams": [stream]})
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
    heads = page.run("return [...document.querySelectorAll('.to-head')].map(head => parseFloat(head.style.width))")
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
    metadata = {"httpchain_call_id": "cc", "httpchain_duration": "0.25", "http_request_method": "GET",
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
              "httpchain__duration": 0.1, "__proto__": evil, "constructor": evil, evil: evil}
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
        equal(page.run("return document.querySelectorAll('img, a, iframe, main script, nav script').length"), 0)
        equal(page.run("return document.querySelectorAll('script').length"), 1)
    equal(page.run("return window.broken === undefined && ({}).evil === undefined"), True)


@page_check("nothing beside a metacharacter makes an element of it")
def neighbours(page, receiver):
    sides = ["", "\u0600", "\u0301", "\u200d", "\ufe0f", "\U0001f1e6", "\r", "\n", "\0", "\u0085", "\u009b"]
    for before in sides:
        page.open()
        texts = [f"{before}<{after}img src=x onerror=\"window.broken=1\"{before}>{after}'\"&lt;" for after in sides]
        send(receiver, *[log_record(text, note=text) for text in texts], component=texts[0])
        eventually(lambda: len(page.messages()), len(texts))
        for message in page.messages():
            assert "img src=x onerror=" in message and "&lt;" in message, message
        page.all(".row")[0].click()
        eventually(lambda: len(page.all(".detail")), 1)
        equal(page.run("return document.querySelectorAll('img, a, iframe, main script, nav script').length"), 0)
    equal(page.run("return window.broken === undefined"), True)


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


def frame(page, step):
    """Returns the median time of a frame in milliseconds, while the list is scrolled by a distance in each frame."""
    frames = page.driver.execute_async_script(
        """
        const [by, done] = arguments, list = document.getElementById("list"), frames = [];
        list.scrollTop = 0;
        let before = performance.now();
        const step = () => {
          const now = performance.now();
          frames.push(now - before);
          before = now;
          list.scrollTop += by;
          if (frames.length < 90) requestAnimationFrame(step); else done(frames);
        };
        requestAnimationFrame(step);
        """,
        step,
    )
    return sorted(frames)[len(frames) // 2]


@page_check("10,000 rows are few elements, scroll smoothly, and the oldest make room")
def many(page, receiver):
    page.open()
    for start in range(0, 10_000, 500):
        lines = "".join('{"message":"number %d","component":"c%d"}\n' % (n, n % 7) for n in range(start, start + 500))
        equal(receiver.post("/ndjson", lines)[0], 200)
    eventually(lambda: page.text("#counter").split(" · ")[0], "10,000 records")
    assert len(page.all(".row")) < 120
    equal(page.messages()[-1], "number 9999")
    idle, scrolling = frame(page, 0), frame(page, 3000)
    # A busy machine is slow even without scrolling.
    assert scrolling < 60 + 4 * idle, f"a frame takes {scrolling:.0f} ms while scrolling, {idle:.0f} ms at rest"
    # If the list isn't at its end, the visible rows stay in place while others are added and removed.
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
    for name in ["otlp", "protobuf", "loki", "ndjson"]:
        command = [PROGRAM, "--port", "0", "--demo", "--once", "--format", name]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
        equal((run.returncode, run.stderr), (0, ""))
        # A trace for each call, with its attempts and the server's spans. Two calls have more than one attempt.
        assert "and 28 spans of 8 calls arrived" in run.stdout, run.stdout


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
            eventually(lambda: "/plants?season" in page.call("cache hit").text)
            page.press("p")
            hits = [row.text for row in page.all(".row.call") if "cache hit" in row.text]
            assert hits and all("/plants?season" in hit for hit in hits), hits
            page.call("/stock/7").click()
            eventually(lambda: [each.text for each in page.all(".plot .name")][1:],
                       ["call", "attempt 1", "attempt 2", "attempt 3"])
            # Secrets were logged without their values. The row of a call appears before its last record.
            for name in ["api_key", "authorization", "password", "<redacted>"]:
                eventually(lambda: name in json.dumps(other.records()).lower())
            assert "hidden" not in json.dumps(other.records())
        finally:
            other.stop()


@page_check("each of the demo's calls is a trace, with its attempts, what the server made of them, and their records")
def demo_traces(page, receiver):
    for name in ["otlp", "protobuf"]:
        other = Receiver(0, "--demo", "--format", name)
        try:
            page.driver.get(other.url)
            page.click("input[value=traces] + span")
            eventually(lambda: len(page.all(".row.trace-row")) >= 8)
            row = lambda: next(row for row in page.all(".row.trace-row") if "load /stock/7" in row.text)
            eventually(lambda: [part in row().text for part in ["7 spans", "4 failed", "2 services"]], [True] * 3)
            # New calls appear above it. The next round begins in two seconds.
            page.press("p")
            row().click()
            attempt = ["shop GET /stock/7", "warehouse GET /stock/7"]
            eventually(lambda: [name.text for name in page.all(".span-name")], ["shop load /stock/7"] + 3 * attempt)
            eventually(lambda: len(page.all(".bar.failed")), 4)
            eventually(lambda: len([each for each in page.all(".member") if "/stock/7" in each.text]) >= 3)
            kept = json.dumps(other.records())
            assert "hidden" not in kept
        finally:
            other.stop()
