# SPDX-License-Identifier: BSD-2-Clause
"""
Drives Debian's Chromium without a window: opens files, moves the mouse, presses keys, asks pages, and notes
what they say, load and ask. Speaks the DevTools protocol (chromedevtools.github.io/devtools-protocol) over
two pipes: JSON messages that end with a zero byte.
"""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
import urllib.parse

PROGRAM = "chromium"
OPTIONS = ("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--no-default-browser-check",
           "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-breakpad",
           "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-lcd-text",
           "--disable-backgrounding-occluded-windows", "--force-color-profile=srgb", "--hide-scrollbars",
           "--font-render-hinting=none", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")

# What takes longer hangs. It is many times what a busy machine needs.
LIMIT_S = 120

# Pixels of height in one picture.
TILE = 3000

# Code and number of the keys that tests press (UI Events, DOM_VK_*). Others are letters and digits.
KEYS = {"Tab": ("Tab", 9), "Enter": ("Enter", 13), "Escape": ("Escape", 27), " ": ("Space", 32), "End": ("End", 35),
        "Home": ("Home", 36), "ArrowLeft": ("ArrowLeft", 37), "ArrowUp": ("ArrowUp", 38),
        "ArrowRight": ("ArrowRight", 39), "ArrowDown": ("ArrowDown", 40), "+": ("Equal", 187), "-": ("Minus", 189)}
TEXTS = {"Enter": "\r"}  # of keys that write something else than their name
SHIFT = 8


class BrowserError(AssertionError):
    """The browser ended, hangs, or refuses what it was asked."""


def address_of(path):
    """The URL of a file."""
    return "file://" + urllib.parse.quote(os.path.realpath(path))


class Connection:
    """The protocol: a message out, its answer in. What comes meanwhile unasked goes to listeners."""

    def __init__(self, reader, writer, log):
        self.reader = reader
        self.writer = writer
        self.log = log
        self.number = 0
        self.rest = b""
        self.answers = {}
        self.listeners = {}  # by session; "": the browser itself

    def call(self, method, session=None, **parameters):
        """The result of a command."""
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.write(json.dumps(message).encode() + b"\0")
        self.read_until(lambda: number in self.answers, method)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise BrowserError(f"{method} {parameters}: {answer['error']}")
        return answer["result"]

    def write(self, data):
        """Reads meanwhile, as both would wait for each other if both pipes were full."""
        end = time.monotonic() + LIMIT_S
        while data:
            readable, writable, _ = select.select([self.reader], [self.writer], [], max(0, end - time.monotonic()))
            if readable:
                self.read()
            if writable:
                try:
                    data = data[os.write(self.writer, data):]
                except BrokenPipeError:
                    raise self.ended() from None
            elif not readable:
                raise BrowserError(f"Chromium has read nothing for {LIMIT_S} s")

    def ended(self):
        """The error that it has ended, with what it said last. It complains of every bus that is not there."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            said = [line for line in file if "dbus/" not in line]
        return BrowserError("Chromium has ended; it said:\n" + "".join(said[-10:]))

    def read_until(self, condition, what, limit_s=LIMIT_S):
        end = time.monotonic() + limit_s
        while not condition():
            if not select.select([self.reader], [], [], max(0, end - time.monotonic()))[0]:
                raise BrowserError(f"no answer in {limit_s} s: {what}")
            self.read()

    def read(self):
        """Takes what is there, at least a byte."""
        data = os.read(self.reader, 1 << 20)
        if not data:
            raise self.ended()
        *messages, self.rest = (self.rest + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                listener = self.listeners.get(message.get("sessionId", ""))
                if listener:
                    listener(message["method"], message["params"])


class Browser:
    """A Chromium with a new profile. It ends with the block: `with Browser() as browser:`."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="test-chromium-")
        self.pid = None
        try:
            self.start()
            self.version = self.connection.call("Browser.getVersion")["product"]
        except BaseException:
            self.close()
            raise

    def start(self):
        path = shutil.which(PROGRAM)
        if not path:
            raise BrowserError(f"no {PROGRAM}: run sudo scripts/setup test")
        (reader, its_writer), (its_reader, writer) = os.pipe(), os.pipe()
        # The two that it reads and writes as 3 and 4 must not have these numbers before.
        its = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (its_reader, its_writer)]
        os.close(its_reader)
        os.close(its_writer)
        self.log = os.path.join(self.folder, "log")
        # It writes below its home and prints what it does not find on a bare machine.
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": self.folder, "TMPDIR": self.folder,
                       "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        actions = [(os.POSIX_SPAWN_DUP2, its[0], 3), (os.POSIX_SPAWN_DUP2, its[1], 4),
                   (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_OPEN, 1, self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                   (os.POSIX_SPAWN_DUP2, 1, 2)]
        command = [path, *OPTIONS, f"--user-data-dir={self.folder}/profile"]
        self.pid = os.posix_spawn(path, command, environment, file_actions=actions, setsid=True)
        for fd in its:
            os.close(fd)
        self.connection = Connection(reader, writer, self.log)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()

    def close(self):
        """Ends all of its processes, which are of one session, and removes what they wrote."""
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = None
            os.close(self.connection.reader)
            os.close(self.connection.writer)
        # A process of it that dies just now may still write there.
        for _ in range(20):
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder):
                break
            time.sleep(0.1)

    @contextlib.contextmanager
    def page(self, path=None, **how):
        """A page with this file, or an empty one, until the block ends."""
        page = Page(self.connection)
        try:
            page.shape(**how)
            if path:
                page.open(path)
            yield page
        finally:
            page.close()


class Page:
    """A window with one page: the picture of a tab behind another one may never come."""

    def __init__(self, connection):
        self.connection = connection
        self.problems = []  # errors, warnings and dialogs, as text
        self.requests = []  # addresses of all that was asked for
        self.loads = 0
        self.mouse = (0, 0)
        self.scripts = True
        self.target = connection.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        self.session = connection.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        connection.listeners[self.session] = self.notice
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def call(self, method, **parameters):
        return self.connection.call(method, self.session, **parameters)

    def close(self):
        self.connection.listeners.pop(self.session, None)
        with contextlib.suppress(BrowserError):
            self.connection.call("Target.closeTarget", targetId=self.target)

    def notice(self, method, event):
        """Takes what the page says."""
        if method == "Runtime.consoleAPICalled":
            words = " ".join(str(value.get("value", value.get("description"))) for value in event["args"])
            self.problems.append(f"console.{event['type']}: {words}")
        elif method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.problems.append(f"exception: {details.get('exception', {}).get('description', details['text'])}")
        elif method == "Log.entryAdded":
            self.problems.append(f"{event['entry']['source']} {event['entry']['level']}: {event['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loads += 1
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(f"dialog: {event['message']}")
            # Nothing waits for the answer of this command: the listener must not call.
            self.connection.number += 1
            self.connection.write(json.dumps({
                "id": self.connection.number, "sessionId": self.session,
                "method": "Page.handleJavaScriptDialog", "params": {"accept": False}}).encode() + b"\0")

    def shape(self, width=1200, height=900, dark=False, calm=True, printed=False, scripts=True):
        """The window, and what its user has chosen. `calm`: without motion."""
        self.size(width, height)
        features = [("prefers-color-scheme", "dark" if dark else "light"),
                    ("prefers-reduced-motion", "reduce" if calm else "no-preference")]
        self.call("Emulation.setEmulatedMedia", media="print" if printed else "",
                  features=[{"name": name, "value": value} for name, value in features])
        self.scripts = scripts
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)

    def size(self, width, height):
        """Of the window, in pixels."""
        self.width, self.height = width, height
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path):
        """Loads a file, and waits until it was drawn."""
        loads = self.loads
        answer = self.call("Page.navigate", url=address_of(path))
        if answer.get("errorText"):
            raise BrowserError(f"{path}: {answer['errorText']}")
        self.connection.read_until(lambda: self.loads > loads, f"loading {path}")
        self.settle()

    def before_scripts(self, script):
        """Runs this script in every page that is opened from now on, before those of the page."""
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def settle(self):
        """Waits until the page was drawn anew twice: what it does at once is done. Without scripts nothing is."""
        if self.scripts:
            self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, expression):
        """The value of an expression of JavaScript, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
                           userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(f"{expression[:200]}: {details.get('exception', {}).get('description', details)}")
        return answer["result"].get("value")

    def ask(self, function, *values):
        """Calls a function, which is given as text, with values that JSON can hold."""
        return self.evaluate(f"({function})({', '.join(map(json.dumps, values))})")

    def wait_until(self, expression, limit_s=20):
        """The first true value of an expression."""
        end = time.monotonic() + limit_s
        while True:
            value = self.evaluate(expression)
            if value:
                return value
            if time.monotonic() > end:
                raise BrowserError(f"it did not become true in {limit_s} s: {expression}")
            time.sleep(0.02)

    def move(self, x, y, buttons=0):
        """Moves the mouse to a place of the window."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, buttons=buttons,
                  button="left" if buttons else "none")
        self.mouse = (x, y)

    def press(self, is_down, clicks=1):
        x, y = self.mouse
        self.call("Input.dispatchMouseEvent", type="mousePressed" if is_down else "mouseReleased", x=x, y=y,
                  button="left", buttons=int(is_down), clickCount=clicks)

    def click(self, x, y, clicks=1):
        """With 2 clicks it is a double click."""
        self.move(x, y)
        for number in range(1, clicks + 1):
            self.press(True, number)
            self.press(False, number)
        self.settle()

    def drag(self, begin, end, steps=4):
        """From one place to another, with the button held."""
        self.move(*begin)
        self.press(True)
        for step in range(1, steps + 1):
            self.move(*(a + (b - a) * step / steps for a, b in zip(begin, end)), buttons=1)
        self.press(False)
        self.settle()

    def wheel(self, x, y, down):
        """Turns the wheel by so many pixels."""
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=down)
        self.settle()

    def key(self, key, shift=False):
        code, number = KEYS.get(key) or (f"Key{key.upper()}", ord(key.upper()))
        text = TEXTS.get(key, key if len(key) == 1 else "")
        parameters = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": SHIFT if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **parameters,
                  **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)
        self.settle()

    def screenshot(self, path=None, clip=None):
        """A PNG of the window, or of a part of it (x, y, width, height)."""
        part = {}
        if clip:  # the protocol counts from the top of the page
            (x, y, width, height), scrolled = clip, self.evaluate("[scrollX, scrollY]")
            part["clip"] = {"x": x + scrolled[0], "y": y + scrolled[1], "width": width, "height": height, "scale": 1}
        image = base64.b64decode(self.call("Page.captureScreenshot", format="png", **part)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(image)
        return image

    def tiles(self):
        """The whole page, from top to bottom: (where a picture begins, its PNG)."""
        before, height = self.height, self.evaluate("document.documentElement.scrollHeight")
        self.size(self.width, min(height, TILE))
        self.settle()
        for top in range(0, height, TILE):
            self.evaluate(f"scrollTo(0, {top})")
            self.settle()
            yield self.evaluate("scrollY"), self.screenshot()
        self.size(self.width, before)
