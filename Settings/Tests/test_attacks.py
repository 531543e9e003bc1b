"""What those get who are not meant to use the page: 403 or a closed connection, and no change."""

import http.client
import json
import os
import re
import resource
import socket
import subprocess
import sys
import time
import unittest

import bundles
from harness import Home, Server

KEY = "fontSize"
BODY = json.dumps({"page": "p", "key": KEY, "value": {"type": "integer", "value": "20"}})
CONNECTIONS = 10_000


class AttackTest(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.remove)
        self.server = Server(self.home, bundles.EDITOR)
        self.addCleanup(self.server.stop)
        self.host = self.server.origin.removeprefix("http://")
        self.port = int(self.host.split(":")[1])

    def ask(self, method, path, headers=None, body=None):
        """The status and headers of the answer to one request."""
        return self.answer(method, path, headers, body)[:2]

    def answer(self, method, path, headers=None, body=None):
        """The same with the content."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=6000)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        headers = {"Host": self.host, **(headers or {})}
        if body is not None:
            headers.setdefault("Content-Length", str(len(body)))
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(None if body is None else body.encode())
        answer = connection.getresponse()
        content = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, content

    def enter(self):
        """What a page sends with each request, once the printed address was used."""
        path = self.server.address.removeprefix(self.server.origin)
        status, headers, page = self.answer("GET", path)
        self.assertEqual(status, 200)
        return {
            "Cookie": headers["Set-Cookie"].split(";")[0],
            "Origin": self.server.origin,
            "Content-Type": "application/json",
            "X-Settings-Page": re.search(r"#key=(\w+)", page).group(1),
        }

    def is_unchanged(self):
        self.assertIsNone(self.home.stored(bundles.EDITOR, KEY))

    def resident(self):
        """The server's memory in megabytes."""
        with open(f"/proc/{self.server.process.pid}/status", encoding="utf-8") as status:
            line = next(line for line in status if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def test_no_token(self):
        """Without the token's cookie nothing is shown and nothing is changed (B-7)."""
        for path in ("/", "/page.js", "/api/state", "/api/events", "/none", "/../etc/passwd"):
            self.assertEqual(self.ask("GET", path)[0], 403, path)
        for path in ("/open", "/open?token=", "/open?token=x", "/open?token=x&token=y"):
            self.assertEqual(self.ask("GET", path)[0], 403, path)
        allowed = self.enter()
        for name in ("Cookie", "X-Settings-Page"):
            headers = {key: value for key, value in allowed.items() if key != name}
            self.assertEqual(self.ask("POST", "/api/set", headers, BODY)[0], 403)
        self.is_unchanged()

    def test_old_token(self):
        """The printed address works once (B-7)."""
        self.enter()
        path = self.server.address.removeprefix(self.server.origin)
        self.assertEqual(self.ask("GET", path)[0], 403)

    def test_other_sites(self):
        """Another Host, a cross-site form or fetch, and Origin: null are refused (B-7)."""
        allowed = self.enter()
        attacks = [
            {"Host": "evil.example"},
            {"Host": f"evil.example:{self.port}"},
            {"Host": f"127.0.0.1:{self.port}@evil.example"},
            {"Host": f"127.0.0.1.evil.example:{self.port}"},
            {"Origin": "null"},
            {"Origin": "http://evil.example"},
            {"Origin": f"http://127.0.0.1:{self.port}.evil.example"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Content-Type": "text/plain"},
            {"Content-Type": "application/x-www-form-urlencoded"},
            {"X-Settings-Page": ""},
        ]
        for attack in attacks:
            status, headers = self.ask("POST", "/api/set", {**allowed, **attack}, BODY)
            self.assertEqual(status, 403, attack)
            self.assertNotIn("Access-Control-Allow-Origin", headers)
        self.assertEqual(self.ask("OPTIONS", "/api/set", {"Origin": "http://evil.example"})[0], 403)
        self.is_unchanged()
        self.assertEqual(self.ask("POST", "/api/set", allowed, BODY)[0], 200)
        self.assertEqual(self.home.stored(bundles.EDITOR, KEY), ("integer", "20"))

    def test_paths(self):
        """No path leads to a file (B-7)."""
        allowed = self.enter()
        for path in ("/../../etc/passwd", "/%2e%2e/etc/passwd", "/page.js/..", "//etc/passwd"):
            self.assertEqual(self.ask("GET", path, allowed)[0], 404, path)

    def test_large_body(self):
        """A body of a gigabyte is refused before it is received, declared or not (B-7)."""
        allowed = self.enter()
        before = self.resident()
        headers = {**allowed, "Content-Length": str(1 << 30)}
        self.assertEqual(self.ask("POST", "/api/set", headers)[0], 413)
        with socket.create_connection(("127.0.0.1", self.port), timeout=6000) as connection:
            lines = [f"{name}: {value}" for name, value in allowed.items()]
            head = ["POST /api/set HTTP/1.1", f"Host: {self.host}", *lines]
            head += ["Transfer-Encoding: chunked", "", ""]
            connection.sendall("\r\n".join(head).encode())
            sent = 0
            try:
                while sent < 1 << 30:
                    connection.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
                    sent += 0x10000
            except OSError:
                pass
        self.assertLess(sent, 64 << 20)
        self.assertLess(self.resident() - before, 32)
        self.is_unchanged()
        self.assertEqual(self.ask("GET", "/api/state", allowed)[0], 200)

    def test_bodies_of_strangers(self):
        """What nobody may send is refused before its content is received (B-7)."""
        before = self.resident()
        size = (1 << 20) - 10
        connections = []
        for _ in range(300):
            connection = socket.create_connection(("127.0.0.1", self.port), timeout=6000)
            self.addCleanup(connection.close)
            head = f"POST /api/set HTTP/1.1\r\nHost: evil\r\nContent-Length: {size + 10}\r\n\r\n"
            connection.sendall(head.encode())
            try:
                connection.sendall(b"x" * size)
            except OSError:
                pass  # refused by now
            connections.append(connection)
        self.assertLess(self.resident() - before, 32)
        self.assertEqual(self.ask("GET", "/api/state", self.enter())[0], 200)

    def test_idle_connections(self):
        """Ten thousand connections that send nothing keep nobody from using the page (B-7)."""
        allowed = self.enter()
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        count = min(CONNECTIONS, most - 200)
        if count < CONNECTIONS:
            print(f"\n  only {count} connections: this user may have {most} files open")
        before = self.resident()
        idle = []
        try:
            for _ in range(count):
                idle.append(socket.create_connection(("127.0.0.1", self.port), timeout=6000))
            start = time.monotonic()
            self.assertEqual(self.ask("GET", "/api/state", allowed)[0], 200)
            self.assertEqual(self.ask("POST", "/api/set", allowed, BODY)[0], 200)
            seconds, used = time.monotonic() - start, self.resident() - before
            print(
                f"\n  beside {count} idle connections two requests took {seconds * 1000:.0f} ms,"
                f" the server {used:.0f} MB more ({before:.0f} MB before)"
            )
            self.assertLess(seconds, 60)
        finally:
            for connection in idle:
                connection.close()
        self.assertEqual(self.home.stored(bundles.EDITOR, KEY), ("integer", "20"))

    def test_slow_senders(self):
        """Whoever sends a request byte by byte is given up after some seconds (B-7)."""
        slow = [socket.create_connection(("127.0.0.1", self.port), timeout=6000) for _ in range(200)]
        closed, start = set(), time.monotonic()
        try:
            for connection in slow:
                connection.sendall(b"GET / HTTP/1.1\r\nX: ")
            while len(closed) < len(slow) and time.monotonic() - start < 600:
                time.sleep(1)
                for connection in slow:
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        closed.add(connection)
            self.assertEqual(len(closed), len(slow))
        finally:
            for connection in slow:
                connection.close()

    def test_stalled_pages(self):
        """Pages that take no events cost the server a bounded amount of memory (B-7)."""
        self.server.stop()
        self.server = Server(self.home, "com.example.plain")
        self.addCleanup(self.server.stop)
        self.host = self.server.origin.removeprefix("http://")
        self.port = int(self.host.split(":")[1])
        allowed = self.enter()
        stalled = []
        try:
            for _ in range(4):
                connection = socket.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", self.port))
                head = f"GET /api/events?key={allowed['X-Settings-Page']} HTTP/1.1\r\n"
                head += f"Host: {self.host}\r\nCookie: {allowed['Cookie']}\r\n\r\n"
                connection.sendall(head.encode())
                stalled.append(connection)
                self.assertIn(b" 200 ", connection.recv(100))
            before = self.resident()
            for number in range(30):
                text = str(number) + "x" * 500_000
                body = {"page": "p", "key": "k", "value": {"type": "string", "value": text}}
                self.assertEqual(self.ask("POST", "/api/set", allowed, json.dumps(body))[0], 200)
            self.assertLess(self.resident() - before, 120)
        finally:
            for connection in stalled:
                connection.close()

    def test_other_user(self):
        """Another user of the machine finds no token, and is refused without one (B-7)."""
        if os.geteuid() != 0:
            print("\n  only root can become another user to try that")
            return
        program = (
            "import http.client, sys\n"
            f"c = http.client.HTTPConnection('127.0.0.1', {self.port}, timeout=6000)\n"
            "c.request('GET', '/api/state'); print(c.getresponse().status)\n"
            f"print(open('/proc/{self.server.process.pid}/cmdline').read())\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            user=65534,
            capture_output=True,
            text=True,
            timeout=600,
            check=True,
            env={"PATH": os.environ["PATH"]},
        )
        token = self.server.address.split("=")[1]
        self.assertEqual(done.stdout.split("\n")[0], "403")
        self.assertNotIn(token, done.stdout)


if __name__ == "__main__":
    unittest.main()
