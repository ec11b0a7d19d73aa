#!/usr/bin/env python3
"""Checks the proxy from outside, between an origin with scripted responses and a client with plain sockets.

    swift build --package-path Examples/CachingProxy
    python3 Examples/CachingProxy/Tests/check.py [path of the CachingProxy program]
"""

import pathlib
import shutil
import socket
import subprocess
import sys
import threading
import time

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(PACKAGE / ".build/debug/CachingProxy")


class Origin:
    """Responds with scripted bytes for each path, and records the requests."""

    def __init__(self):
        self.answers = {}
        self.requests = []
        self.lock = threading.Lock()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def on(self, path, *answers):
        """Sets the responses to a path, in order. The last is repeated. Each is bytes, or a function of the request."""
        self.answers[path] = list(answers)

    def asked(self, path):
        with self.lock:
            return [request for request in self.requests if request.path == path]

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        stream = connection.makefile("rb")
        try:
            while request := read_message(stream, is_request=True):
                with self.lock:
                    self.requests.append(request)
                    script = self.answers.get(request.path, [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"])
                    answer = script.pop(0) if len(script) > 1 else script[0]
                if callable(answer):
                    answer = answer(request)
                connection.sendall(answer.removesuffix(CUT))
                if answer.endswith(CUT):
                    break
        except OSError:
            pass
        finally:
            stream.close()
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()


# The origin closes the connection after these bytes.
CUT = b"<cut>"


class Message:
    def __init__(self, first, lines, content, is_whole):
        self.first = first
        self.lines = lines
        self.content = content
        self.is_whole = is_whole

    @property
    def path(self):
        return self.first.split()[1]

    @property
    def status(self):
        return int(self.first.split()[1])

    def all(self, name):
        return [value for key, value in self.lines if key.lower() == name.lower()]

    def get(self, name):
        values = self.all(name)
        return values[0] if values else None


def read_message(stream, is_request=False, method="GET"):
    """Reads a message. Returns None if the connection ended before it. `is_whole` shows whether it was complete."""
    first = stream.readline()
    if not first:
        return None
    lines = []
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        lines.append((name, value.strip()))
    message = Message(first.decode("latin-1").strip(), lines, b"", line == b"\r\n")
    if not is_request and 100 <= message.status < 200:
        return read_message(stream, method=method)
    if not is_request and (method == "HEAD" or message.status in (204, 304)):
        return message
    if "chunked" in (message.get("Transfer-Encoding") or ""):
        while True:
            size = stream.readline()
            if not size.endswith(b"\r\n"):
                message.is_whole = False
                return message
            count = int(size, 16)
            chunk = stream.read(count + 2)
            message.content += chunk[:count]
            if len(chunk) < count + 2:
                message.is_whole = False
                return message
            if count == 0:
                return message
    if (length := message.get("Content-Length")) is not None:
        message.content = stream.read(int(length))
        message.is_whole = len(message.content) == int(length)
    elif not is_request:
        message.content = stream.read()
    return message


class Proxy:
    def __init__(self, upstream, *options):
        self.process = subprocess.Popen(
            [PROGRAM, "--port", "0", "--upstream", f"http://127.0.0.1:{upstream}", *options],
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        self.port = int(line.split(",")[0].rsplit(":", 1)[1])

    def ask(self, path, *fields, method="GET", content=b"", on=None, version="1.1"):
        connection = on or self.connect()
        lines = [f"{method} {path} HTTP/{version}"]
        if not any(field.lower().startswith("host:") for field in fields):
            lines.append("Host: client.example")
        request = "\r\n".join([*lines, *fields, "", ""]).encode("latin-1") + content
        connection.sendall(request)
        stream = connection.makefile("rb")
        message = read_message(stream, method=method)
        if on is None:
            connection.close()
        return message

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.settimeout(20)
        return connection

    def stop(self):
        self.process.terminate()
        try:
            return self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None


def response(status="200 OK", *fields, content=b"", length=True):
    lines = [f"HTTP/1.1 {status}", *fields]
    if length:
        lines.append(f"Content-Length: {len(content)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + content


CHECKS = []


def check(title):
    def add(function):
        CHECKS.append((title, function))
        return function

    return add


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


@check("fields pass in order, not joined, with their letter case, and nothing is added but Cache-Status")
def fields(origin, proxy):
    lines = ["Set-Cookie: a=1; Path=/", "X-One: 1", "set-cookie: b=2, c", "X-Empty:", "X-One: 2", "ETag: \"x\""]
    origin.on("/fields", response("200 OK", *lines, content=b"text"))
    answer = proxy.ask("/fields")
    own = [(name, value) for name, value in answer.lines if name != "Cache-Status"]
    expected = [(line.split(":", 1)[0], line.split(":", 1)[1].strip()) for line in lines]
    equal(own, expected + [("Content-Length", "4")])
    equal(answer.content, b"text")


@check("a response without Content-Length has none, and no Date or Server of the proxy's")
def unframed(origin, proxy):
    origin.on("/chunked", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n")
    origin.on("/close", b"HTTP/1.1 200 OK\r\nX: 1\r\n\r\nuntil the end" + CUT)
    for path, content in [("/chunked", b"text"), ("/close", b"until the end")]:
        answer = proxy.ask(path)
        equal(answer.content, content)
        assert answer.is_whole
        names = {name.lower() for name, _ in answer.lines}
        equal(names - {"x"}, {"transfer-encoding", "cache-status"})


@check("every status passes, and the connection goes on after each")
def statuses(origin, proxy):
    connection = proxy.connect()
    for code in [200, 201, 202, 203, 204, 205, 206, 226, 299, 300, 301, 302, 303, 304, 305, 307, 308, 400, 401, 403,
                 404, 405, 406, 410, 412, 414, 416, 418, 421, 429, 451, 499, 500, 501, 502, 503, 504, 511, 599]:
        content = b"" if code in (204, 205, 304) else b"some"
        origin.on(f"/{code}", response(f"{code} Reason {code}", content=content, length=code not in (204, 304)))
        answer = proxy.ask(f"/{code}", on=connection)
        equal((answer.status, answer.content), (code, content))
    connection.close()


@check("interim responses are passed over")
def interim(origin, proxy):
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    origin.on("/interim", early + response(content=b"final"))
    equal(proxy.ask("/interim").content, b"final")


@check("HEAD has the fields and no content, and the connection goes on")
def head(origin, proxy):
    origin.on("/head", b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nX-A: 1\r\n\r\n")
    connection = proxy.connect()
    for _ in range(2):
        answer = proxy.ask("/head", method="HEAD", on=connection)
        equal((answer.status, answer.get("Content-Length"), answer.get("X-A")), (200, "1234", "1"))
    equal(origin.asked("/head")[0].first, "HEAD /head HTTP/1.1")
    connection.close()


@check("coded content passes as it is")
def coded(origin, proxy):
    origin.on("/gzip", response("200 OK", "Content-Encoding: gzip", content=b"\x1f\x8bnot really"))
    answer = proxy.ask("/gzip", "Accept-Encoding: gzip")
    equal((answer.get("Content-Encoding"), answer.content), ("gzip", b"\x1f\x8bnot really"))


@check("an upstream cut in its head, or before it, is 502")
def cut_head(origin, proxy):
    for number, bytes in enumerate([CUT, b"HTTP/1.1 20" + CUT, b"HTTP/1.1 200 OK\r\nX-A: 1\r\nX-" + CUT]):
        origin.on(f"/cut-head-{number}", bytes)
        equal(proxy.ask(f"/cut-head-{number}").status, 502)


@check("an upstream cut in its body breaks the client's body, and nothing of it is stored")
def cut_body(origin, proxy):
    fresh = "Cache-Control: max-age=60"
    short = f"HTTP/1.1 200 OK\r\n{fresh}\r\nContent-Length: 100\r\n\r\nhalf".encode() + CUT
    chunked = f"HTTP/1.1 200 OK\r\n{fresh}\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n".encode() + CUT
    for path, bytes in [("/cut-length", short), ("/cut-chunk", chunked)]:
        origin.on(path, bytes, response("200 OK", fresh, content=b"whole"))
        answer = proxy.ask(path)
        equal((answer.status, answer.is_whole, answer.content), (200, False, b"half"))
        equal(proxy.ask(path).content, b"whole")


@check("fields of one connection are not forwarded, to the origin or to the client")
def hops(origin, proxy):
    listed = ["Connection: keep-alive, X-Hop", "Keep-Alive: timeout=5", "X-Hop: 1", "Upgrade: h2c", "TE: trailers",
              "Trailer: X-T", "Proxy-Connection: keep-alive", "Proxy-Authorization: Basic eA==", "X-End: 1"]
    origin.on("/hops", response("200 OK", "Connection: X-Hop", "X-Hop: 1", "Keep-Alive: timeout=5", "X-End: 1",
                                "Proxy-Authenticate: Basic", content=b"text"))
    answer = proxy.ask("/hops", *listed)
    equal([name for name, _ in answer.lines], ["X-End", "Content-Length", "Cache-Status"])
    names = {name.lower() for name, _ in origin.asked("/hops")[0].lines}
    equal(names & {"keep-alive", "x-hop", "upgrade", "te", "trailer", "proxy-connection", "proxy-authorization"}, set())
    assert "x-end" in names


@check("the origin is told the Host that the client asked for, and the request's own fields in order")
def host(origin, proxy):
    origin.on("/host?a=1&b=%20", response())
    proxy.ask("/host?a=1&b=%20", "Host: client.example:81", "X-B: 1", "X-A: 2", "X-B: 3")
    proxy.ask("http://client.example:81/host?a=1&b=%20", "Host: client.example:81", "Cache-Control: no-cache")
    first, second = origin.asked("/host?a=1&b=%20")
    equal((first.all("Host"), second.all("Host")), (["client.example:81"], ["client.example:81"]))
    equal([line for line in first.lines if line[0].startswith("X-")], [("X-B", "1"), ("X-A", "2"), ("X-B", "3")])


@check("content of requests is streamed, with a length, in chunks, and after 100 (Continue)")
def uploads(origin, proxy):
    origin.on("/upload", lambda request: response("201 Created", content=str(len(request.content)).encode()))
    large = bytes(3_000_000)
    equal(proxy.ask("/upload", "Content-Length: 3000000", method="POST", content=large).content, b"3000000")
    chunked = b"4\r\nhalf\r\n5\r\nwhole\r\n0\r\n\r\n"
    equal(proxy.ask("/upload", "Transfer-Encoding: chunked", method="PUT", content=chunked).content, b"9")
    equal(proxy.ask("/upload", "Content-Length: 0", method="POST").content, b"0")
    expecting = ["Content-Length: 4", "Expect: 100-continue"]
    equal(proxy.ask("/upload", *expecting, method="POST", content=b"text").content, b"4")
    requests = origin.asked("/upload")
    equal(requests[0].get("Content-Length"), "3000000")
    equal((requests[1].get("Transfer-Encoding"), requests[1].content), ("chunked", b"halfwhole"))
    equal(requests[3].get("Expect"), None)


@check("an origin that answers before the content has come")
def early(origin, proxy):
    origin.on("/early", response("413 Content Too Large"))
    equal(proxy.ask("/early", "Content-Length: 4", method="POST", content=b"text").status, 413)


@check("what is stored answers with Age and Cache-Status, and the origin is not asked")
def hits(origin, proxy):
    origin.on("/hit", response("200 OK", "Cache-Control: max-age=60", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
                               "Set-Cookie: a=1", "Set-Cookie: b=2", content=b"text"),
              response("200 OK", content=b"not this"))
    origin.on("/hit2", response("200 OK", "Cache-Control: max-age=60", "Set-Cookie: a=1", "Set-Cookie: b=2",
                                content=b"text"), response("200 OK", content=b"not this"))
    miss, hit = proxy.ask("/hit2"), proxy.ask("/hit2")
    assert "fwd=uri-miss" in miss.get("Cache-Status") and "stored" in miss.get("Cache-Status")
    equal((miss.all("Age"), len(hit.all("Age"))), ([], 1))
    assert "; hit" in hit.get("Cache-Status"), hit.get("Cache-Status")
    equal((hit.content, hit.all("Set-Cookie")), (b"text", ["a=1", "b=2"]))
    equal(len(origin.asked("/hit2")), 1)
    proxy.ask("/hit")
    equal(proxy.ask("/hit").content, b"not this")


@check("the client's own conditions and directives reach the cache")
def directives(origin, proxy):
    origin.on("/conditions", response("200 OK", "Cache-Control: max-age=60", 'ETag: "a"', content=b"text"),
              b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n')
    proxy.ask("/conditions")
    answer = proxy.ask("/conditions", 'If-None-Match: "a"')
    equal((answer.status, answer.content, len(origin.asked("/conditions"))), (304, b"", 1))
    equal(proxy.ask("/conditions", "Cache-Control: no-cache").content, b"text")
    equal(origin.asked("/conditions")[1].get("If-None-Match"), '"a"')
    equal(proxy.ask("/never", "Cache-Control: only-if-cached").status, 504)
    equal(origin.asked("/never"), [])


@check("ranges: from the origin where nothing is stored, else from the store, and 416")
def ranges(origin, proxy):
    part = response("206 Partial Content", "Content-Range: bytes 0-1/4", content=b"te")
    origin.on("/part", part)
    answer = proxy.ask("/part", "Range: bytes=0-1")
    equal((answer.status, answer.get("Content-Range"), answer.content), (206, "bytes 0-1/4", b"te"))
    equal(origin.asked("/part")[0].get("Range"), "bytes=0-1")
    origin.on("/whole", response("200 OK", "Cache-Control: max-age=60", 'ETag: "a"', content=b"0123456789"))
    proxy.ask("/whole")
    answer = proxy.ask("/whole", "Range: bytes=2-4")
    equal((answer.status, answer.get("Content-Range"), answer.get("Content-Length"), answer.content),
          (206, "bytes 2-4/10", "3", b"234"))
    equal(len(origin.asked("/whole")), 1)
    origin.on("/416", response("416 Range Not Satisfiable", "Content-Range: bytes */4"))
    equal(proxy.ask("/416", "Range: bytes=9-").get("Content-Range"), "bytes */4")


@check("what is stale is handed out at once and validated in the background")
def background(origin, proxy):
    answers = [response("200 OK", "Cache-Control: max-age=0, stale-while-revalidate=60", f'ETag: "{number}"',
                        content=str(number).encode()) for number in range(2)]
    origin.on("/swr", *answers)
    equal(proxy.ask("/swr").content, b"0")
    # A response is stored shortly after its last byte was sent to the client.
    time.sleep(0.2)
    equal(proxy.ask("/swr").content, b"0")
    deadline = time.monotonic() + 10
    while len(origin.asked("/swr")) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    while proxy.ask("/swr").content != b"1":
        assert time.monotonic() < deadline, "it was not validated"
        time.sleep(0.01)


@check("what an unsafe request changes is no longer served, nor what its Location names by the client's Host")
def invalidation(origin, proxy):
    fresh = response("200 OK", "Cache-Control: max-age=60", content=b"old")
    for path in ["/changed", "/named"]:
        origin.on(path, fresh, response("200 OK", "Location: http://client.example/named", content=b"new"))
        proxy.ask(path)
    proxy.ask("/changed", "Content-Length: 0", method="PUT")
    equal((proxy.ask("/changed").content, proxy.ask("/named").content), (b"new", b"new"))


@check("requests in a row, an old client, a client that closes, and one that does not speak HTTP")
def connections(origin, proxy):
    origin.on("/row", response("200 OK", content=b"text"))
    connection = proxy.connect()
    connection.sendall(b"GET /row HTTP/1.1\r\nHost: a\r\n\r\nGET /row HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    stream = connection.makefile("rb")
    equal([read_message(stream).content, read_message(stream).get("Connection"), stream.read()], [b"text", "close", b""])
    connection.close()
    origin.on("/old", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n")
    old = proxy.ask("/old", version="1.0")
    equal((old.content, old.all("Transfer-Encoding")), (b"text", []))
    connection = proxy.connect()
    connection.sendall(b"this is not HTTP\r\n\r\n")
    equal(connection.makefile("rb").readline(), b"HTTP/1.1 400 Bad Request\r\n")
    connection.close()


@check("curl sees what it should")
def curl(origin, proxy):
    if not shutil.which("curl"):
        return
    origin.on("/curl", response("200 OK", "Set-Cookie: a=1", "Set-Cookie: b=2", content=b"text"))
    origin.on("/curl-cut", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf" + CUT)
    run = subprocess.run(["curl", "-si", f"http://127.0.0.1:{proxy.port}/curl"], capture_output=True, timeout=20)
    equal((run.returncode, run.stdout.count(b"Set-Cookie: ")), (0, 2))
    run = subprocess.run(["curl", "-s", f"http://127.0.0.1:{proxy.port}/curl-cut"], capture_output=True, timeout=20)
    equal(run.returncode, 18)


@check("in shared mode, what is private is not stored")
def modes(origin, proxy):
    shared = Proxy(origin.port, "--mode", "shared")
    origin.on("/private", response("200 OK", "Cache-Control: private, max-age=60", content=b"text"))
    for each, count in [(proxy, 1), (shared, 3)]:
        each.ask("/private")
        each.ask("/private")
        equal(len(origin.asked("/private")), count)
    shared.stop()


@check("a shutdown does not wait for connections that are idle")
def shutdown(origin, proxy):
    other = Proxy(origin.port)
    origin.on("/idle", response())
    connection = other.connect()
    equal(other.ask("/idle", on=connection).status, 200)
    equal(other.stop(), 0)
    connection.close()


@check("a server that is not there is 502, and bad options are errors")
def absent(origin, proxy):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    alone = Proxy(port)
    equal(alone.ask("/").status, 502)
    alone.stop()
    for options in (["--upstream", "nowhere"], ["--upstream", "http://a", "--store", "tape"]):
        run = subprocess.run([PROGRAM, "--port", "0", *options], capture_output=True, text=True, timeout=20)
        assert run.returncode != 0 and "Error" in run.stderr, run.stderr


def main():
    origin = Origin()
    proxy = Proxy(origin.port)
    failures = 0
    for title, function in CHECKS:
        try:
            function(origin, proxy)
            print("ok     ", title)
        except Exception as error:  # noqa: BLE001 - one check must not end the others
            failures += 1
            print("FAILED ", title, "-", type(error).__name__, error)
    if proxy.stop() != 0:
        failures += 1
        print("FAILED  the proxy ends in peace")
    print(f"{len(CHECKS)} checks, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
