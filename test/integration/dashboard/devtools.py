"""A headless Chromium, driven over the DevTools protocol through a pipe: no packages beyond Python's own."""
import json
import os
import select
import shutil
import subprocess
import tempfile

PATIENCE = 60  # seconds for an answer: for what hangs, not for what is slow


class Browser:
    @staticmethod
    def find():
        for name in (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"):
            path = shutil.which(name) if name else None
            if path:
                return path
        return None

    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="kubecoro-browser-")
        to_read, self.to = os.pipe()
        self.source, to_write = os.pipe()

        def connect():  # the browser reads from 3 and writes to 4
            first, second = os.dup(to_read), os.dup(to_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + self.folder],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest = b""
        self.number = 0
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            self.call(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _message(self):
        while b"\0" not in self.rest:
            if not select.select([self.source], [], [], PATIENCE)[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.source, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            got = self._message()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def run(self, script):
        """The value of an expression; a promise is awaited."""
        got = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(f"{script}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def until(self, condition):
        """Waits in the page until the expression is true."""
        return self.run(
            "new Promise(done => { const end = Date.now() + 30000; const look = () => { let is = false;"
            f" try {{ is = {condition}; }} catch {{}} if (is || Date.now() > end) done(Boolean(is)); else setTimeout(look, 20); }}; look(); }})")

    def press(self, key, code=0, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def screen(self, width, height, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
