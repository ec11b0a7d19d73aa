"""An HTTP/2 server over TLS that sends the frames that requests ask for, and an nginx that can be reloaded and killed.

    python3 frames.py DIRECTORY CERTIFICATE VARIABLES PORT

Each request has an identifier in `X-Id`. The path determines what happens to it, the first `times` times that the
server sees this identifier (by default, once). After that, the response is 200:

    /ok?ms=                        the response after some milliseconds
    /reset/CODE?at=head|end|body   RST_STREAM with a code: after the head, the whole request, or a part of the response
    /goaway/before                 GOAWAY whose last stream is the previous one
    /goaway/after                  GOAWAY whose last stream is this one, and the response
    /goaway/lost                   GOAWAY whose last stream is this one, and the end of the connection
    /close?clean=                  the end of the connection without GOAWAY
    /early?status=&code=           a response to the head of an upload, and RST_STREAM with a code, if there is one
    /broken/ERROR                  a connection error: frame (DATA on stream 0), hpack, size (a frame that is too large)
    /broken/field                  a malformed response
    /fields?count=                 a response with this many fields of 133 bytes
    /stall?ms=                     no flow-control credit for the upload, for some milliseconds or forever
    /settings?window=&streams=     SETTINGS: the initial window, and the maximum number of concurrent streams
    /lives/MODE?streams=N&ms=      on each connection, after N streams: goaway (GOAWAY, and up to twenty open streams
                                   are not processed), close, calm (RST_STREAM with ENHANCE_YOUR_CALM), or refuse (with
                                   REFUSED_STREAM)

/counts/PREFIX shows how many times each request was seen and processed.

PORT accepts plain HTTP/1.1: /counts/PREFIX, /served (counts and responds, behind nginx), /nginx/reload, and /nginx/kill
(ends nginx with SIGKILL and restarts it).
"""
import asyncio, collections, json, os, pathlib, signal, socket, ssl, subprocess, sys, urllib.parse
import h2.config, h2.connection, h2.errors, h2.events, h2.exceptions, h2.settings
from hyperframe.frame import GoAwayFrame

seen, processed = collections.Counter(), collections.Counter()
# The number of open streams that a GOAWAY does not include.
DROPPED = 20


class Stream:
    def __init__(self, number, name, url):
        self.number, self.name = number, name
        self.action = url.path
        self.query = dict(urllib.parse.parse_qsl(url.query))
        self.received = 0
        self.has_ended = False
        # Whether the server has decided how to respond, so that the rest of the request has no effect.
        self.is_settled = False

    def milliseconds(self, default=0):
        return float(self.query.get("ms", default)) / 1000


class Connection:
    """One connection over HTTP/2."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self.h2 = h2.connection.H2Connection(config=config)
        self.streams, self.count, self.answered = {}, 0, 0
        # The last stream in a GOAWAY. Streams above it are ignored.
        self.last = None
        self.tasks = set()

    async def run(self):
        self.h2.initiate_connection()
        self.flush()
        try:
            while data := await self.reader.read(65536):
                for event in self.h2.receive_data(data):
                    self.handle(event)
                self.flush()
        except (OSError, h2.exceptions.ProtocolError):
            pass
        finally:
            for task in self.tasks:
                task.cancel()
            self.writer.close()

    def flush(self):
        if not self.writer.is_closing():
            self.writer.write(self.h2.data_to_send())

    def later(self, seconds, work, *arguments):
        async def run():
            await asyncio.sleep(seconds)
            work(*arguments)
            self.flush()

        task = asyncio.ensure_future(run())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def handle(self, event):
        if isinstance(event, h2.events.RequestReceived):
            fields = dict(event.headers)
            url = urllib.parse.urlsplit(fields[":path"])
            self.streams[event.stream_id] = Stream(event.stream_id, fields.get("x-id", ""), url)
            self.begin(self.streams[event.stream_id])
        elif isinstance(event, h2.events.DataReceived):
            self.receive(event)
        elif isinstance(event, h2.events.StreamEnded):
            stream = self.streams.get(event.stream_id)
            if stream:
                stream.has_ended = True
            if stream and not stream.is_settled and not self.is_ignored(stream):
                self.act(stream)
        elif isinstance(event, h2.events.StreamReset):
            if stream := self.streams.pop(event.stream_id, None):
                stream.is_settled = True

    def is_ignored(self, stream):
        return self.last is not None and stream.number > self.last

    # The head of a request.
    def begin(self, stream):
        if self.is_ignored(stream):
            return
        self.count += 1
        seen[stream.name] += 1
        stream.is_faulty = seen[stream.name] <= int(stream.query.get("times", 1))
        if not stream.is_faulty:
            return
        if stream.action.startswith("/reset/") and stream.query.get("at") == "head":
            self.reset(stream)
        elif stream.action == "/early":
            self.respond(stream, int(stream.query.get("status", 200)))
            if "code" in stream.query:
                self.h2.reset_stream(stream.number, h2.errors.ErrorCodes[stream.query["code"]])
        elif stream.action == "/stall" and "ms" in stream.query:
            self.later(stream.milliseconds(), self.give_credit, stream)

    def receive(self, event):
        stream = self.streams.get(event.stream_id)
        length = event.flow_controlled_length
        if stream:
            stream.received += len(event.data)
        if stream and stream.action == "/stall" and stream.is_faulty:
            # The connection's window must remain available to the other streams.
            if length:
                self.h2.increment_flow_control_window(length)
            return
        try:
            self.h2.acknowledge_received_data(length, event.stream_id)
        except h2.exceptions.StreamClosedError:
            pass

    def give_credit(self, stream):
        stream.is_faulty = False
        self.h2.increment_flow_control_window(1 << 24, stream.number)

    # The end of a request.
    def act(self, stream):
        parts = stream.action.strip("/").split("/") + [""]
        if parts[0] == "counts":
            return self.respond(stream, body=counts(parts[1]))
        if parts[0] == "lives":
            return self.live(stream, parts[1])
        if not stream.is_faulty:
            return self.respond(stream)
        if parts[0] == "ok":
            self.later(stream.milliseconds(), self.respond, stream)
        elif parts[0] == "reset":
            if stream.query.get("at") == "body":
                self.h2.send_headers(stream.number, [(":status", "200"), ("content-length", "1000")])
                self.h2.send_data(stream.number, b"part")
                self.flush()
            self.reset(stream)
        elif parts[0] == "goaway":
            if parts[1] == "before":
                self.go_away(stream.number - 2)
            elif parts[1] == "after":
                self.go_away(stream.number)
                self.respond(stream)
            else:
                processed[stream.name] += 1
                self.go_away(stream.number)
                self.flush()
                return self.writer.close()
            self.later(0.2, self.writer.close)
        elif parts[0] == "close":
            processed[stream.name] += 1
            self.writer.close() if "clean" in stream.query else self.writer.transport.abort()
        elif parts[0] == "broken":
            processed[stream.name] += 1
            self.flush()
            self.writer.write(broken_frame(parts[1], stream.number))
        elif parts[0] == "fields":
            self.respond(stream, fields=[(f"x-{i:03}", "y" * 96) for i in range(int(stream.query["count"]))])
        elif parts[0] == "settings":
            settings = h2.settings.SettingCodes
            changes = {settings.INITIAL_WINDOW_SIZE: "window", settings.MAX_CONCURRENT_STREAMS: "streams"}
            self.h2.update_settings({k: int(stream.query[v]) for k, v in changes.items() if v in stream.query})
            self.respond(stream)
        else:
            self.respond(stream)

    # A request that has met the fault often enough is spared, and the fault waits for the next stream.
    def live(self, stream, mode):
        if self.count >= int(stream.query["streams"]) and self.last is None:
            last = max(self.answered, stream.number - 2 * DROPPED) if mode == "goaway" else 0
            hit = [other for other in self.streams.values() if not other.is_settled and other.number > last]
            if mode in ("calm", "refuse"):
                hit = [stream]
            elif mode == "close":
                # The rest of the other requests hasn't been read, so nothing has been processed.
                hit = [other for other in hit if other.has_ended]
            if all(other.is_faulty for other in hit):
                self.count = 0
                if mode == "close":
                    for other in hit:
                        processed[other.name] += 1
                        other.is_settled = True
                    return self.writer.transport.abort()
                if mode != "goaway":
                    code = {"calm": "ENHANCE_YOUR_CALM", "refuse": "REFUSED_STREAM"}[mode]
                    return self.reset(stream, h2.errors.ErrorCodes[code])
                self.go_away(last)
                self.later(0.2 + stream.milliseconds(), self.writer.close)
        self.later(stream.milliseconds(), self.respond, stream)

    def respond(self, stream, status=200, fields=(), body=None):
        if stream.is_settled or self.is_ignored(stream):
            return
        stream.is_settled = True
        processed[stream.name] += 1
        self.answered = max(self.answered, stream.number)
        body = f"{stream.received}".encode() if body is None else body
        head = [(":status", str(status)), ("content-length", str(len(body))), *fields]
        self.h2.send_headers(stream.number, head)
        self.h2.send_data(stream.number, body, end_stream=True)

    def reset(self, stream, code=None):
        code = code or h2.errors.ErrorCodes[stream.action.split("/")[2]]
        # REFUSED_STREAM guarantees that nothing was processed (RFC 9113 §8.7), and so does HTTP_1_1_REQUIRED.
        if code not in (h2.errors.ErrorCodes.REFUSED_STREAM, h2.errors.ErrorCodes.HTTP_1_1_REQUIRED):
            processed[stream.name] += 1
        stream.is_settled = True
        self.h2.reset_stream(stream.number, code)

    # This bypasses h2, which sends nothing more after a GOAWAY.
    def go_away(self, last):
        self.last = max(last, 0)
        self.flush()
        self.writer.write(GoAwayFrame(0, last_stream_id=self.last).serialize())


# A frame that is a connection error or a stream error.
def broken_frame(error, stream):
    length, kind, number, payload = {
        "frame": (1, 0, 0, b"x"),
        "hpack": (2, 1, stream, b"\xff\xff"),
        "size": (0xFF0000, 0, stream, b""),
        "field": (6, 1, stream, b"\x88\x00\x01X\x01y"),
    }[error]
    return length.to_bytes(3, "big") + bytes([kind, 5 if kind == 1 else 0]) + number.to_bytes(4, "big") + payload


async def serve_tls(reader, writer):
    if writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2":
        await Connection(reader, writer).run()
    else:
        await serve_plain(reader, writer)


# HTTP/1.1, one request for each connection.
async def serve_plain(reader, writer):
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        await reader.readexactly(int(fields.get("content-length", 0)))
        body = await answer(head[0].split(" ")[1], fields.get("x-id", ""))
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


def counts(prefix):
    return json.dumps({k: [seen[k], processed[k]] for k in seen if k.startswith(prefix)}).encode()


async def answer(path, name):
    if path.startswith("/counts/"):
        return counts(path[len("/counts/") :])
    if path == "/nginx/reload":
        nginx.reload()
    elif path == "/nginx/kill":
        nginx.kill()
        nginx.start()
    elif path != "/":
        seen[name] += 1
        processed[name] += 1
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query))
        await asyncio.sleep(float(query.get("ms", 0)) / 1000)
    return b"ready"


class Nginx:
    """nginx with HTTP/2 in front of the plain port. Its processes are replaced when it is reloaded."""

    def __init__(self, directory, certificate, upstream):
        self.directory = pathlib.Path(directory).resolve() / "front"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.ports = {"FRONT": free_port(), "IDLE": free_port(), "IDLE_PLAIN": free_port()}
        front = self.directory
        temporary = "\n".join(f"{kind}_temp_path {front};" for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
        # An idle connection ends just when a paced request is sent, or a connection ends after a number of requests.
        idle = "keepalive_timeout 1s;"
        limits = {"FRONT": "keepalive_requests 200;", "IDLE": idle, "IDLE_PLAIN": idle}
        servers = "\n".join(
            f"""server {{
                listen 127.0.0.1:{port} {"" if name == "IDLE_PLAIN" else "ssl http2"};
                ssl_certificate {certificate}.pem;
                ssl_certificate_key {certificate}.key;
                {limits[name]}
                location / {{
                    proxy_pass http://127.0.0.1:{upstream};
                    proxy_next_upstream off;
                }}
            }}"""
            for name, port in self.ports.items()
        )
        (front / "nginx.conf").write_text(
            f"""{"user root;" if os.getuid() == 0 else ""}
            daemon off; worker_processes 2; pid {front}/pid; error_log stderr; worker_shutdown_timeout 10s;
            events {{}}
            http {{ access_log off; client_body_temp_path {front}; {temporary} {servers} }}"""
        )

    def start(self):
        command = ["nginx", "-p", str(self.directory), "-e", "stderr", "-c", str(self.directory / "nginx.conf")]
        self.process = subprocess.Popen(command, start_new_session=True)

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def kill(self, by=signal.SIGKILL):
        os.killpg(self.process.pid, by)
        self.process.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


async def main():
    global nginx
    directory, certificate, variables, port = sys.argv[1:]
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
    context.set_alpn_protocols(["h2", "http/1.1"])
    frames = await asyncio.start_server(serve_tls, "127.0.0.1", 0, ssl=context, backlog=1000)
    nginx = Nginx(directory, certificate, port)
    nginx.start()
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    try:
        with open(variables, "w") as file:
            file.write(f"export HTTPCHAIN_FRAMES=https://localhost:{frames.sockets[0].getsockname()[1]}\n")
            for name, front in nginx.ports.items():
                url = f"http://127.0.0.1:{front}" if name == "IDLE_PLAIN" else f"https://localhost:{front}"
                file.write(f"export HTTPCHAIN_NGINX_{name}={url}\n")
        await asyncio.start_server(serve_plain, "127.0.0.1", int(port), backlog=1000)
        await stopped.wait()
    finally:
        nginx.kill(signal.SIGTERM)


asyncio.run(main())
