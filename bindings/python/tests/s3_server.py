"""An S3 server of this process that writes down what it is asked for."""

import threading
from dataclasses import dataclass

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server


@dataclass
class Request:
    """A request, and the number of bytes of its answer."""

    method: str
    path: str
    range: str | None
    sent: int = 0


class _Quiet(WSGIRequestHandler):
    # The connections of a client are kept.
    protocol_version = "HTTP/1.1"

    def log(self, *args, **kwargs):
        pass


class S3Server:
    """moto's S3 on a free port of 127.0.0.1, for this process and for its workers."""

    def __init__(self):
        self.requests: list[Request] = []
        self._application = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=_Quiet)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        #: The options of s3fs.
        self.options = {
            "key": "test",
            "secret": "test",
            "endpoint_url": f"http://127.0.0.1:{self._server.server_port}",
            "client_kwargs": {"region_name": "eu-central-1"},
        }

    def _answer(self, environ, start_response):
        request = Request(environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("HTTP_RANGE"))
        self.requests.append(request)
        chunks = list(self._application(environ, start_response))
        if request.method != "HEAD":
            request.sent = sum(map(len, chunks))
        return chunks

    def gets(self, path):
        """Returns the requests for the contents of an object, whose path is ``bucket/key``."""
        return [one for one in self.requests if one.method == "GET" and one.path == f"/{path}"]

    def stop(self):
        self._server.shutdown()
        self._thread.join(timeout=30)
        self._server.server_close()
