# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium, driven over the pipe of its DevTools protocol: file descriptors 3 and 4, JSON ended by NUL."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..api.binaries import Unavailable, find

__all__ = ["Browser", "Page"]

_SECONDS = 60.0
_HEIGHT = 900
_PROGRAMS = ("chromium-headless-shell", "chromium")
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
)


class Browser:
    """A headless Chromium. A context manager. Raises Unavailable where there is none."""

    def __init__(self) -> None:
        program = _program()
        self._profile = tempfile.mkdtemp(prefix="configok-browser-")
        command_end, self._to = os.pipe()
        self._from, answer_end = os.pipe()
        # The shell puts the pipes where Chromium looks for them: Popen cannot renumber descriptors.
        script = f'exec "$0" "$@" 3<&{command_end} 4>&{answer_end}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, str(program), *_OPTIONS, f"--user-data-dir={self._profile}"],
            pass_fds=(command_end, answer_end),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_end)
        os.close(answer_end)
        self._buffer = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self._to)  # Chromium ends when its pipe is closed
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, parameters: Mapping[str, Any] | None = None, *, session: str = "") -> dict[str, Any]:
        """Call a method of the protocol, and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": dict(parameters or {})}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def receive(self) -> dict[str, Any]:
        """Return the next message of the browser."""
        deadline = time.monotonic() + _SECONDS
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"the browser has said nothing for {_SECONDS:.0f} s")
            data = os.read(self._from, 1 << 20)
            if not data:
                raise RuntimeError(f"the browser ended with {self._process.wait()}")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def open(self, path: Path, *, width: int = 1280, dark: bool = False, scripts: bool = True) -> Page:
        """Open a file in a page of this width, and wait until it is loaded and drawn."""
        return Page(self, path, width=width, dark=dark, scripts=scripts)


class Page:
    """A page of the browser. seconds: how long it took to load and be drawn. A context manager."""

    def __init__(self, browser: Browser, path: Path, *, width: int, dark: bool, scripts: bool) -> None:
        self._browser = browser
        self.width = width
        self._target = browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = browser.call("Target.attachToTarget", {"targetId": self._target, "flatten": True})
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        size = {"width": width, "height": _HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", {"features": [scheme]})
        self._call("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        began = time.monotonic()
        self._call("Page.navigate", {"url": path.resolve().as_uri()})
        while not any(event.get("method") == "Page.loadEventFired" for event in self._events()):
            browser.events.append(browser.receive())
        if scripts:
            self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        self.seconds = time.monotonic() - began

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_error: object) -> None:
        self._browser.call("Target.closeTarget", {"targetId": self._target})

    def _call(self, method: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return self._browser.call(method, parameters, session=self._session)

    def _events(self) -> list[dict[str, Any]]:
        return [event for event in self._browser.events if event.get("sessionId") == self._session]

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, or of its promise."""
        options = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = self._call("Runtime.evaluate", options)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"].get("exception", {}).get("description")))
        return answer["result"].get("value")

    @property
    def complaints(self) -> list[str]:
        """What the browser wrote to its console: exceptions, errors, and what the page's policy blocked."""
        texts = []
        for event in self._events():
            parameters = event.get("params", {})
            if event["method"] == "Log.entryAdded":
                texts.append(str(parameters["entry"]["text"]))
            elif event["method"] == "Runtime.exceptionThrown":
                texts.append(str(parameters["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled":
                texts.append(str(parameters["args"]))
        return texts

    @property
    def requested(self) -> list[str]:
        """The addresses that the page asked for, without its own and data: addresses."""
        addresses = [
            str(event["params"]["request"]["url"])
            for event in self._events()
            if event["method"] == "Network.requestWillBeSent"
        ]
        return [address for address in addresses[1:] if not address.startswith("data:")]

    def printed(self) -> bytes:
        """Return the page as it is printed: a PDF."""
        return base64.b64decode(self._call("Page.printToPDF", {"printBackground": False})["data"])

    def screenshot(self, path: Path, *, height: int = 0) -> None:
        """Write a picture of the whole page, or of its first so many pixels."""
        height = height or int(self.evaluate("document.documentElement.scrollHeight"))
        clip = {"x": 0, "y": 0, "width": self.width, "height": height, "scale": 1}
        options = {"format": "png", "captureBeyondViewport": True, "clip": clip}
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", options)["data"]))


def _program() -> Path:
    for name in _PROGRAMS[:-1]:
        try:
            return find(name, made_by="prepare-chromium")
        except Unavailable:
            continue
    return find(_PROGRAMS[-1], made_by="prepare-chromium")
