"""A headless browser for tests of pages, driven over the DevTools protocol."""

import json
import shutil
import subprocess
import time
import urllib.request
from contextlib import contextmanager

import pytest
import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SECONDS = 60


def wait_until(done, message, pause=0.02):
    """Call `done` until it returns what is true; fail after a minute."""
    end = time.monotonic() + _SECONDS
    while not done():
        assert time.monotonic() < end, message
        time.sleep(pause)


class Page:
    """A page in the browser."""

    def __init__(self, address):
        self._socket = websocket.create_connection(address, timeout=_SECONDS, suppress_origin=True)
        self._calls = 0
        self.asked = []  # addresses of all requests

    def call(self, method, **params):
        """Call a method of the DevTools protocol; return its result."""
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("method") == "Network.requestWillBeSent":
                self.asked.append(message["params"]["request"]["url"])
            if message.get("id") == self._calls:
                assert "error" not in message, message
                return message["result"]

    def run(self, script):
        """Return the value of a JavaScript expression; wait for a promise."""
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def open(self, path, width, height=900):
        """Open a file in a window of this size in CSS pixels."""
        self.call("Page.enable")
        self.call("Network.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setTouchEmulationEnabled", enabled=width < 700)
        self.call("Page.navigate", url=path.as_uri())
        self.wait_for("document.readyState === 'complete'")

    def wait_for(self, script):
        """Wait until a JavaScript expression is true."""
        wait_until(lambda: self.run(script), f"never true: {script}")

    def key(self, key, code=None, text=""):
        """Press and release a key."""
        named = {"key": key, "code": code or key}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def mouse(self, kind, x, y, **more):
        """Move, press or release the mouse at a place in CSS pixels."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click_until(self, script, place):
        """Click 5 pixels inside the rectangle `place`, while it is there, until `script` is true.

        A click that falls between two layouts of a page is lost.
        """

        def true_after_a_click():
            if self.run(script):
                return True
            if corner := self.run(f"((box) => box && [box.x + 5, box.y + 5])({place})"):
                for kind in ("mousePressed", "mouseReleased"):
                    self.mouse(kind, *corner, button="left", clickCount=1)
            return False

        wait_until(true_after_a_click, f"never true: {script}", pause=0.5)


@contextmanager
def browser(folder):
    """Start a browser with its profile in `folder`; yield its page. Skip where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed (apt install chromium)")
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    options += ["--no-first-run", "--disable-dev-shm-usage", f"--user-data-dir={folder}"]
    process = subprocess.Popen(
        [found, *options, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    port = folder / "DevToolsActivePort"

    def started():
        assert process.poll() is None, f"{found} ended with {process.returncode}"
        return port.exists() and port.read_text().count("\n")

    try:
        wait_until(started, f"{found} does not start")
        address = f"http://127.0.0.1:{port.read_text().split()[0]}/json"
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer:
            pages = [target for target in json.load(answer) if target["type"] == "page"]
        yield Page(pages[0]["webSocketDebuggerUrl"])
    finally:
        process.terminate()
        process.wait()
