# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Opens pages in headless Chromium, over the pipe of its DevTools protocol."""

import contextlib
import fcntl
import json
import os
import subprocess
import time

PATIENCE = 200  # seconds: a busy machine starts a browser slowly


def start(program, folder):
    """A browser that does not come up says nothing of the page."""
    for attempt in range(3):
        with contextlib.suppress(RuntimeError, OSError):
            return Browser(program, os.path.join(folder, str(attempt)))
    with open(os.path.join(folder, "2", "chromium.log")) as log:
        raise RuntimeError(f"{program} does not start: {log.read()[-2000:]}")


class Browser:
    def __init__(self, program, folder):
        self.requests, self.errors, self.number, self.session = [], [], 0, None
        os.makedirs(folder, exist_ok=True)
        ends = os.pipe() + os.pipe()
        to_browser, self.out, self.inward, from_browser = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in ends)
        for fd in ends:
            os.close(fd)

        def give():  # the browser reads from 3 and writes to 4
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-breakpad", "--hide-scrollbars",
             f"--user-data-dir={folder}/chromium", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=give, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(f"{folder}/chromium.log", "w"),
            env=os.environ | {"HOME": folder, "XDG_CONFIG_HOME": f"{folder}/config",
                              "XDG_CACHE_HOME": f"{folder}/cache"})
        for fd in (to_browser, from_browser):
            os.close(fd)
        self.buffer = b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def close(self):
        os.close(self.out)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.inward)

    def _read(self):
        while b"\0" not in self.buffer:
            data = os.read(self.inward, 1 << 16)
            if not data:
                raise RuntimeError("the browser ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            about = answer.get("params", {})
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(about["request"]["url"])
            elif answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(str(about["exceptionDetails"]))
            elif answer.get("method") == "Log.entryAdded" and about["entry"]["level"] == "error":
                self.errors.append(about["entry"]["text"])

    def show(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.wait(f"innerWidth === {width} && matchMedia('(prefers-color-scheme: dark)').matches === "
                  f"{str(dark).lower()}")

    def open(self, url):
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression):
        """Until it is true; while a page is loaded there is nothing to evaluate it in."""
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(RuntimeError):
                if value := self.evaluate(expression):
                    return value
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"never: {expression}; errors: {self.errors}")
            time.sleep(0.1)

    def press(self, key):
        text = "\r" if key == "Enter" else ""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, text=text,
                  windowsVirtualKeyCode={"Enter": 13, "Tab": 9}.get(key, 0))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)
