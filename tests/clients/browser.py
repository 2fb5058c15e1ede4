"""A headless Chromium, driven by the DevTools protocol over two pipes: no package but the browser itself.

    with Browser() as browser:
        page = browser.page(1280, 900)
        page.open(path)
        page.evaluate("document.title")
        page.errors  # what the page's console and the network complained about
"""
import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
LIMIT = 60  # seconds that any one answer may take, generous for a busy machine


def find():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="hexec-browser-", ignore_cleanup_errors=True)
        reads, their_write = os.pipe()
        their_read, writes = os.pipe()
        # out of the way of 3 and 4, which the browser wants
        theirs = [fcntl.fcntl(one, fcntl.F_DUPFD, 20) for one in (their_read, their_write)]
        os.close(their_read)
        os.close(their_write)

        def hand_over():
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=hand_over, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile.name})
        for one in theirs:
            os.close(one)
        self.reads, self.writes = reads, writes
        self.number, self.buffer, self.pages = 0, b"", {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(LIMIT)
        except (OSError, EOFError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.reads)
        os.close(self.writes)
        self.profile.cleanup()

    def receive(self, until):
        """The next message; events of pages go to them."""
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.reads], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.reads, 1 << 16)
            if not data:
                raise EOFError("the browser has ended")
            self.buffer += data
        raw, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(raw)
        if "method" in message and message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].hear(message["method"], message["params"])
        return message

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.writes, data):]
        until = time.monotonic() + LIMIT
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def page(self, width, height, scheme="light"):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        self.pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return page


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        self.errors, self.requests, self.loaded = [], [], False

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def hear(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(self, path, ready="document.querySelector('main > *:not(noscript)')"):
        """Opens a file, and waits until `ready` is true."""
        self.loaded = False
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        until = time.monotonic() + LIMIT
        while not self.loaded:
            self.browser.receive(until)
        while not self.evaluate(f"!!({ready})"):
            if self.errors or time.monotonic() > until:
                raise RuntimeError("the page does not get ready: " + "; ".join(self.errors))
            time.sleep(0.02)

    def becomes(self, expression, seconds=10):
        """Does JavaScript become true? What follows from an event may take a moment."""
        until = time.monotonic() + seconds
        while not self.evaluate(f"!!({expression})"):
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def evaluate(self, expression):
        """The value of JavaScript, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def press(self, key, **more):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        code = codes.get(key, ord(key[0]) if len(key) == 1 else 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, **more)

    def click(self, selector):
        """A real press of the pointer in the middle of an element."""
        x, y = self.evaluate(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{block: "center", behavior: "instant"}}); const r = e.getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2]; }})()""")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self, path, whole=False):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}} if whole else {}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **clip)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def pdf(self):
        data = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)["data"]
        return base64.b64decode(data)
