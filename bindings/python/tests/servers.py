"""Servers for tests, behind a gate that records requests and can call a function for each."""

import contextlib
import http.client
import io
import os
import re
import signal
import socket
import subprocess
import threading
import time
from dataclasses import dataclass

from werkzeug.serving import WSGIRequestHandler, make_server

REGION = "us-east-1"
S3_KEYS = {"AWS_ACCESS_KEY_ID": "test-access", "AWS_SECRET_ACCESS_KEY": "test-secret", "AWS_DEFAULT_REGION": REGION}


@dataclass
class Request:
    method: str
    path: str
    query: str
    headers: dict
    #: The numbers of bytes in the bodies: `received` in the request, `sent` in the response.
    received: int
    port: int
    sent: int = 0
    status: str = ""

    @property
    def range(self):
        return self.headers.get("RANGE")

    def __str__(self):
        return f"{self.method} {self.path}?{self.query}"


class Gate:
    """Passes requests on to a WSGI application."""

    def __init__(self, app):
        self.app, self.requests = app, []
        #: Called with each request before it is passed on, and before it is answered. They may
        #: return a different status, and a body after a line break.
        self.before = self.after = lambda request: None

    def __call__(self, environ, start_response):
        headers = {name[5:].replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
        request = Request(
            environ["REQUEST_METHOD"],
            environ["PATH_INFO"],
            environ["QUERY_STRING"],
            headers,
            int(environ.get("CONTENT_LENGTH") or 0),
            int(environ["REMOTE_PORT"]),
        )
        self.requests.append(request)
        # The whole body is read first, because the client reads no response before it has sent all.
        environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(request.received))
        answer = self.before(request)
        if answer is not None:
            return self._answer(answer, start_response)
        started = []
        body = self.app(environ, lambda *args: started.append(args[:2]))
        data = b"".join(body) if request.method != "HEAD" else b""
        request.status, request.sent = started[0][0], len(data)
        answer = self.after(request)
        if answer is not None:
            return self._answer(answer, start_response)
        start_response(*started[0])
        return [data]

    @staticmethod
    def _answer(answer, start_response):
        status, _, body = answer.partition("\n")
        start_response(status, [("Content-Length", str(len(body)))])
        return [body.encode()]

    def bytes(self):
        """The total number of bytes in all bodies."""
        return sum(request.received + request.sent for request in self.requests)


class _Quiet(WSGIRequestHandler):
    # Keeps connections open between requests.
    protocol_version = "HTTP/1.1"

    def log(self, *args):
        pass


@contextlib.contextmanager
def served(app):
    """Serves an application on this machine, and yields its gate and its address."""
    gate = Gate(app)
    server = make_server("127.0.0.1", 0, gate, threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield gate, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def proxy(port):
    """An application that forwards requests to a server on this machine."""

    def app(environ, start_response):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        headers = {n[5:].replace("_", "-"): v for n, v in environ.items() if n.startswith("HTTP_")}
        headers.pop("EXPECT", None)
        if environ.get("CONTENT_TYPE"):
            headers["Content-Type"] = environ["CONTENT_TYPE"]
        headers["Content-Length"] = str(length)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(environ["REQUEST_METHOD"], environ["RAW_URI"], environ["wsgi.input"].read(length), headers)
        answer = connection.getresponse()
        body = answer.read()
        kept = [(n, v) for n, v in answer.getheaders() if n.lower() not in ("transfer-encoding", "connection")]
        start_response(f"{answer.status} {answer.reason}", kept)
        connection.close()
        return [body]

    return app


def listens(port, is_running):
    """Waits until a server listens. Returns False if it ends or takes more than a minute."""
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return True
        except OSError:
            if not is_running() or time.monotonic() > deadline:
                return False
            time.sleep(0.1)


@contextlib.contextmanager
def _process(command, **options):
    """Runs the server whose command line `command` returns for a port. Yields the port, on which it listens."""
    # Another program may take a free port before the server does, which ends the server.
    for _ in range(3):
        port = free_port()
        with subprocess.Popen(command(port), stdout=subprocess.DEVNULL, **options) as process:
            try:
                if listens(port, lambda: process.poll() is None):
                    yield port
                    return
            finally:
                process.terminate()
    raise AssertionError(f"no server listens: {command(port)}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class _Conditional:
    """moto, with the conditions of two requests that S3 supports and moto ignores."""

    def __init__(self):
        from moto.s3.models import s3_backends
        from moto.server import DomainDispatcherApplication, create_backend_app

        self._backends, self._app = s3_backends, DomainDispatcherApplication(create_backend_app)
        self._writing = threading.Lock()

    def __call__(self, environ, start_response):
        if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            return self._app(environ, start_response)
        # moto checks a condition before it writes. No other request may write in between.
        with self._writing:
            return self._write(environ, start_response)

    def _write(self, environ, start_response):
        wanted = environ.get("HTTP_IF_MATCH") if environ["REQUEST_METHOD"] == "POST" else None
        wanted = wanted or environ.get("HTTP_X_AMZ_COPY_SOURCE_IF_MATCH")
        if wanted:
            _, bucket, key = environ["PATH_INFO"].split("/", 2)
            [backend] = [regions["aws"] for regions in self._backends.values()]
            found = backend.buckets[bucket].keys.get(key)
            if found is None or found.etag.strip('"') != wanted.strip('"'):
                code = b"<Error><Code>PreconditionFailed</Code><Message>changed</Message></Error>"
                start_response("412 Precondition Failed", [("Content-Length", str(len(code)))])
                return [code]
        return self._app(environ, start_response)


@contextlib.contextmanager
def versitygw(folder):
    """The versitygw that SEALANE_VERSITYGW names, with its objects in a folder. Yields its port."""
    keys = {
        "ROOT_ACCESS_KEY": S3_KEYS["AWS_ACCESS_KEY_ID"],
        "ROOT_SECRET_KEY": S3_KEYS["AWS_SECRET_ACCESS_KEY"],
    }
    program = os.environ["SEALANE_VERSITYGW"]

    def command(port):
        return [program, "--port", f"127.0.0.1:{port}", "--region", REGION, "posix", folder]

    with _process(command, env=os.environ | keys) as port:
        yield port


@contextlib.contextmanager
def s3(folder):
    """moto, or the versitygw that SEALANE_VERSITYGW names. Yields the gate and the address."""
    with contextlib.ExitStack() as stack:
        if os.environ.get("SEALANE_VERSITYGW"):
            (folder / "versitygw").mkdir()
            app = proxy(stack.enter_context(versitygw(folder / "versitygw")))
        else:
            app = _Conditional()
        yield stack.enter_context(served(app))


@contextlib.contextmanager
def azurite(folder):
    """The Azurite that SEALANE_AZURITE names. Yields the gate and the address."""

    def command(port):
        server = ["node", os.environ["SEALANE_AZURITE"], "--blobHost", "127.0.0.1", "--blobPort", str(port)]
        return [*server, "--location", folder, "--silent", "--skipApiVersionCheck", "--disableTelemetry"]

    with _process(command) as port, served(proxy(port)) as found:
        yield found


def kill_client(request):
    """Kills the process that sent a request, and waits until it is gone."""
    # Only the tests that kill processes need it.
    import psutil

    for connection in psutil.net_connections("tcp4"):
        if connection.laddr and connection.laddr.port == request.port and connection.pid != os.getpid():
            os.kill(connection.pid, signal.SIGKILL)
            # The process may be the child of another process, which reaps it.
            with contextlib.suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):
                psutil.Process(connection.pid).wait(10)
            return connection.pid
    raise AssertionError(f"nobody has port {request.port}")


def matches(pattern):
    """Returns a function that tests whether a request's method, path and query match a pattern."""
    return lambda request: re.search(pattern, str(request)) is not None
