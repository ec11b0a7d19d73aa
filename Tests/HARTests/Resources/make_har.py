#!/usr/bin/env python3
"""Makes another program record an HTTP archive of a small site on loopback.

    make_har.py playwright|mitmproxy|firefox OUT

Exit status 3 means that the program, or the Python package that drives it, is not installed.
"""
import gzip
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PAGE = b"""<!doctype html><title>Site</title><script>
async function run() {
    await (await fetch("/data.json?page=2&q=a%20b")).json();
    await (await fetch("/form", {method: "POST", body: new URLSearchParams({name: "Ada", note: "a b"})})).text();
    await (await fetch("/echo", {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"b": 1.0, "a": [true]}'})).text();
    await (await fetch("/moved")).text();
    await (await fetch("/picture.png")).arrayBuffer();
    document.title = "done";
}
run();
</script>"""
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001000500010d0a2db40000000049454e44ae426082"
)


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, kind, content, **fields):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        if self.path.startswith("/data.json"):
            content = json.dumps({"users": [{"id": number, "name": "Ada"} for number in range(40)]}).encode()
            self.answer(200, "application/json", gzip.compress(content), Content_Encoding="gzip", ETag='"v1"')
        elif self.path == "/moved":
            self.answer(302, "text/plain", b"", Location="/here", Set_Cookie="seen=1; Path=/")
        elif self.path == "/here":
            self.answer(200, "text/plain; charset=utf-8", "here: \u00fc".encode())
        elif self.path == "/picture.png":
            self.answer(200, "image/png", PICTURE)
        elif self.path == "/wait":
            self.answer(200, "text/html", b"<!doctype html><meta http-equiv=refresh content='4; url=/?again'>")
        elif self.path == "/?again":
            # This is repeated until a client that connected late has seen all of it.
            self.answer(200, "text/html", PAGE, Refresh="20; url=/?again")
        elif self.path == "/":
            self.answer(200, "text/html", PAGE)
        else:
            self.answer(404, "text/plain", b"nothing there")

    def do_POST(self):
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answer(201, self.headers.get("Content-Type") or "text/plain", content)


def playwright(site, out):
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit(3)
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        sys.exit(3)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=120_000)
        context = browser.new_context(record_har_path=out, record_har_content="embed")
        context.set_default_timeout(120_000)
        page = context.new_page()
        page.goto(site + "/")
        wait(lambda: page.title() == "done")
        context.close()
        browser.close()


def mitmproxy(site, out):
    program = shutil.which("mitmdump") or os.path.join(os.path.dirname(sys.executable), "mitmdump")
    if not os.path.exists(program):
        sys.exit(3)
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "-q", "--listen-host", "127.0.0.1", "--listen-port", "0", "--set", "hardump=" + out]
        command += ["--set", "confdir=" + folder, "--set", "termlog_verbosity=info"]
        # Prints the port that the server got.
        script = os.path.join(folder, "port.py")
        with open(script, "w") as file:
            file.write(
                "from mitmproxy import ctx\n"
                "def running():\n"
                "    port = ctx.master.addons.get('proxyserver').listen_addrs()[0][1]\n"
                f"    open({os.path.join(folder, 'port')!r}, 'w').write(str(port) + '\\n')\n"
            )
        process = subprocess.Popen(command + ["-s", script], stdout=subprocess.DEVNULL)
        try:
            port = os.path.join(folder, "port")
            wait(lambda: os.path.exists(port) and open(port).read().endswith("\n"))
            proxy = urllib.request.ProxyHandler({"http": "http://127.0.0.1:" + open(port).read().strip()})
            opener = urllib.request.build_opener(proxy)

            def send(path, content=None, kind=None):
                fields = {"Content-Type": kind} if kind else {}
                opener.open(urllib.request.Request(site + path, content, fields), timeout=60).read()

            send("/data.json?page=2&q=a%20b")
            send("/form", b"name=Ada&note=a+b", "application/x-www-form-urlencoded")
            send("/echo", b'{"b": 1.0, "a": [true]}', "application/json")
            send("/moved")
            send("/picture.png")
        finally:
            process.terminate()
            process.wait(60)


def firefox(site, out):
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program:
        sys.exit(3)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        logs = os.path.join(folder, "logs")
        profile = os.path.join(folder, "profile")
        os.makedirs(logs)
        os.makedirs(profile)
        # The network panel writes an archive by itself when a page is loaded.
        preferences = {
            "devtools.netmonitor.har.enableAutoExportToFile": True,
            "devtools.netmonitor.har.defaultLogDir": logs,
            "devtools.netmonitor.har.forceExport": True,
            "devtools.netmonitor.har.pageLoadedTimeout": 3000,
            "devtools.toolbox.selectedTool": "netmonitor",
            # Only a page on loopback is loaded.
            "app.update.enabled": False,
            "browser.aboutwelcome.enabled": False,
            "browser.shell.checkDefaultBrowser": False,
            "browser.startup.homepage_override.mstone": "ignore",
            "datareporting.policy.dataSubmissionEnabled": False,
            "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False,
            "toolkit.telemetry.reportingpolicy.firstRun": False,
        }
        with open(os.path.join(profile, "user.js"), "w") as file:
            for name, value in preferences.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        # The panel records only what is loaded while it is open. When it is, this page continues with the other one.
        command = [program, "--headless", "--no-remote", "--profile", profile, "--devtools", site + "/wait"]
        environment = dict(os.environ, HOME=folder, MOZ_HEADLESS="1")
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        try:
            wait(lambda: keep_whole(logs, out), 300)
        finally:
            process.terminate()
            process.wait(60)


def keep_whole(folder, out):
    """Saves the first archive that contains a whole visit."""
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        try:
            urls = {entry["request"]["url"] for entry in json.loads(text)["log"]["entries"]}
        except ValueError:
            continue
        if any(url.endswith("/picture.png") for url in urls) and any("/data.json" in url for url in urls):
            with open(out, "w", encoding="utf-8") as file:
                file.write(text)
            return True
    return False


def wait(condition, patience=120):
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            sys.exit("the program did not get ready")
        time.sleep(0.1)


def main():
    # A program started by a test inherits a mask that blocks signals forever.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    makers = {"playwright": playwright, "mitmproxy": mitmproxy, "firefox": firefox}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    makers[sys.argv[1]](f"http://127.0.0.1:{server.server_port}", sys.argv[2])
    server.shutdown()


if __name__ == "__main__":
    main()
