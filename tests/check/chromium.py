"""Drives a headless Chromium through its debugging pipe, without a port or a package."""
import base64
import json
import os
import shutil
import subprocess
import tempfile


def program():
    """The browser's path, or None if there is none."""
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


class Failed(Exception):
    """An exception that the page threw."""


class Page:
    """One page in its own browser; a context manager."""

    def __init__(self, width=1280, height=800, dark=False):
        self.home = tempfile.mkdtemp(prefix="profutils-chromium.")
        down, up = os.pipe(), os.pipe()
        command = [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--disable-extensions", "--hide-scrollbars", f"--user-data-dir={self.home}",
                   f"--window-size={width},{height}", "--remote-debugging-pipe", "about:blank"]
        # the browser reads commands from descriptor 3 and answers on 4
        self.browser = subprocess.Popen(["sh", "-c", f'exec "$@" 3<&{down[0]} 4>&{up[1]}', "sh", *command], pass_fds=(down[0], up[1]),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down[0])
        os.close(up[1])
        self.commands, self.answers = os.fdopen(down[1], "wb"), os.fdopen(up[0], "rb")
        self.number, self.buffer, self.events = 0, b"", []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.scheme(dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.terminate()
        try:
            self.browser.wait(20)
        except subprocess.TimeoutExpired:  # the tests are done: how the browser ends says nothing about our files
            self.browser.kill()
            self.browser.wait()
        self.commands.close()
        self.answers.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self):
        while b"\0" not in self.buffer:
            some = os.read(self.answers.fileno(), 1 << 20)
            if not some:
                raise Failed("the browser is gone")
            self.buffer += some
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if hasattr(self, "session"):
            request["sessionId"] = self.session
        self.commands.write(json.dumps(request).encode() + b"\0")
        self.commands.flush()
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise Failed(method + ": " + message["error"]["message"])
                return message["result"]
            self.events.append(message)

    def wait(self, method):
        while True:
            for k, message in enumerate(self.events):
                if message.get("method") == method:
                    return self.events.pop(k)
            self.events.append(self.message())

    def scheme(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, place=""):
        self.call("Page.navigate", url="about:blank")
        self.wait("Page.loadEventFired")
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + place)
        self.wait("Page.loadEventFired")
        self.settle()

    def run(self, script):
        """The value of a JavaScript expression; waits if it is a promise."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failed(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def settle(self):
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left", clickCount=1)
        self.settle()

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def key(self, key, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def complaints(self):
        """Exceptions, errors in the log, and network requests since the page was opened."""
        found = []
        for message in self.events:
            params = message.get("params", {})
            if message.get("method") == "Runtime.exceptionThrown":
                found.append(json.dumps(params)[:1000])
            if message.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(params["entry"]["text"])
            if message.get("method") == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:")):
                found.append("asked for " + params["request"]["url"])
        return found

    def picture(self, path):
        self.settle()
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
