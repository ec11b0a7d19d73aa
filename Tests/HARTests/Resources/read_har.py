#!/usr/bin/env python3
"""Reads an HTTP archive as other programs do.

    read_har.py schema FILE     checks the file against the JSON schema of HAR 1.2, in the folder har-schema
    read_har.py chromium FILE   imports the file into Chromium's network panel, and prints what it shows, as JSON

Exit status 3 means that the program, or the Python package that drives it, is not installed.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))


def schema(path):
    try:
        from jsonschema import Draft6Validator, FormatChecker
        from referencing import Registry, Resource
        from referencing.jsonschema import DRAFT6
    except ImportError:
        sys.exit(3)
    folder = os.path.join(HERE, "har-schema")
    resources = []
    for name in os.listdir(folder):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                resources.append((name, Resource.from_contents(json.load(file), default_specification=DRAFT6)))
    registry = Registry().with_resources(resources)
    validator = Draft6Validator({"$ref": "har.json"}, registry=registry, format_checker=FormatChecker())
    with open(path, encoding="utf-8") as file:
        archive = json.load(file)
    problems = list(validator.iter_errors(archive))
    for problem in problems[:20]:
        print("/".join(str(part) for part in problem.absolute_path), problem.message[:300], file=sys.stderr)
    if problems:
        sys.exit(1)
    print(len(archive["log"]["entries"]))


class Connection:
    """A target of a browser, controlled with the DevTools protocol."""

    def __init__(self, socket):
        self.socket = socket
        self.count = 0

    def call(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.count:
                return answer

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        result = answer.get("result", {})
        if "result" not in result or "exceptionDetails" in result:
            sys.exit(json.dumps(answer))
        return result["result"].get("value")


class Browser:
    def __init__(self, program, connect):
        self.program = program
        self.create_connection = connect

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
        command += ["--remote-allow-origins=*", "--user-data-dir=" + self.folder.name, "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = os.path.join(self.folder.name, "DevToolsActivePort")
        end = time.monotonic() + 120
        while not os.path.exists(port) or "\n" not in open(port).read():
            if time.monotonic() > end or self.process.poll() is not None:
                self.__exit__()
                sys.exit("the browser did not start")
            time.sleep(0.1)
        self.port = open(port).read().split("\n")[0]
        return self

    def __exit__(self, *ignored):
        self.process.terminate()
        self.process.wait(60)
        self.folder.cleanup()

    def open(self, url):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?{url}", method="PUT")
        return json.load(urllib.request.urlopen(request, timeout=60))

    def connect(self, target):
        return Connection(self.create_connection(target["webSocketDebuggerUrl"], timeout=120))

    def tools(self, target):
        """Opens the developer tools of a tab with the network panel."""
        socket = f"127.0.0.1:{self.port}/devtools/page/{target['id']}"
        tools = self.open(f"devtools://devtools/bundled/devtools_app.html?ws={socket}%26panel=network".replace("%26", "&"))
        connection = self.connect(tools)
        end = time.monotonic() + 120
        ready = "document.readyState === 'complete' && !!document.querySelector('.root-view, .widget')"
        while not connection.evaluate(ready):
            if time.monotonic() > end:
                sys.exit("the developer tools did not open")
            time.sleep(0.2)
        return connection


def chromium(path):
    try:
        from websocket import create_connection
    except ImportError:
        sys.exit(3)
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        sys.exit(3)
    with open(path, encoding="utf-8") as file:
        text = json.dumps(file.read())
    with Browser(program, create_connection) as browser:
        tools = browser.tools(browser.open("about:blank"))
        # The network panel does the same for "Import HAR file", with its own format and importer.
        shown = tools.evaluate(
            f"""(async () => {{
                const HAR = await import('devtools://devtools/bundled/models/har/har.js');
                const root = new HAR.HARFormat.HARRoot(JSON.parse({text}));
                const requests = HAR.Importer.Importer.requestsFromHARLog(root.log);
                return await Promise.all(requests.map(async request => ({{
                    method: request.requestMethod, url: request.url(), status: request.statusCode,
                    type: request.mimeType, duration: request.duration,
                    content: await request.requestContentData().then(data => 'error' in data ? null : data.isTextContent ? data.text : data.base64),
                }})));
            }})()"""
        )
    print(json.dumps(shown))


if __name__ == "__main__":
    # A program started by a test inherits a mask that blocks signals forever.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    {"schema": schema, "chromium": chromium}[sys.argv[1]](sys.argv[2])
