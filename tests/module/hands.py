# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A person's hands at a display of their own: xdotool's at Xvfb, and those of headless mutter's RemoteDesktop
interface. What they do returns from when to when the display may have stamped it."""

import contextlib
import shutil
import subprocess
import time

from gi.repository import Gio, GLib

import desktop
import tap
import watched

DISPLAY = "jankwatch-hands"
BUTTON_LEFT = 0x110
KEY_SHIFT = 42
KEY_X = 45
START = """export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS
echo "$DBUS_SESSION_BUS_ADDRESS" >"$HOME/bus.new"
mv "$HOME/bus.new" "$HOME/bus"
exec mutter --headless --wayland --no-x11 --virtual-monitor 1024x768@60 --wayland-display=%s""" % DISPLAY


def timed(function):
    def run(*words):
        began_ns = time.monotonic_ns()
        function(*words)
        return began_ns, time.monotonic_ns()
    return run


class X11:
    """Windows are at the upper left there, since nobody manages them. It answers once it has stamped what was done."""

    is_exact = True

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.display = self.stack.enter_context(desktop.new_session(is_managed=False))
        self.extra = {**dict.fromkeys(desktop.NO_BUS), "DISPLAY": self.display, **desktop.of(self.display)}
        self.xdotool = self.stack.enter_context(
            subprocess.Popen(["stdbuf", "-oL", "xdotool", "-"], env={"PATH": "/usr/bin:/bin", "DISPLAY": self.display},
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return self

    def __exit__(self, *exception):
        self.xdotool.stdin.close()
        self.stack.close()

    def tell(self, words):
        """The question behind it is answered once the server has done it."""
        self.xdotool.stdin.write(f"{words}\ngetmouselocation\n")
        self.xdotool.stdin.flush()
        self.xdotool.stdout.readline()

    def reach(self, title):
        """The window gets the keyboard."""
        self.tell(f"search --sync --onlyvisible --name {title} windowfocus")
        for step in range(10):
            self.tell(f"mousemove {100 + 2 * step} 90")
            time.sleep(0.05)

    @timed
    def press(self):
        self.tell("mousedown 1")

    @timed
    def release(self):
        self.tell("mouseup 1")

    @timed
    def key(self):
        self.tell("key --delay 0 x")

    @timed
    def scroll(self):
        self.tell("mousedown 5\nmouseup 5")


class Wayland:
    """Nobody can tell where a window is: it fills the screen. mutter may answer before it stamps what was done."""

    is_exact = False

    SERVICE = "org.gnome.Mutter.RemoteDesktop"
    PICTURES = "org.gnome.Mutter.ScreenCast"

    def __enter__(self):
        if shutil.which("mutter") is None:
            raise tap.Skip("mutter is not installed")
        self.program = watched.Program("dbus-run-session", "--", "sh", "-c", START, watched=False,
                                       extra={"DBUS_SESSION_BUS_ADDRESS": None, "DISPLAY": None, "GDK_BACKEND": None})
        home = self.program.home
        self.extra = {"GDK_BACKEND": "wayland", "WAYLAND_DISPLAY": home / DISPLAY}
        self.program.wait_for("mutter", (home / DISPLAY).exists)
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync((home / "bus").read_text().strip(), flags, None, None)
        self.session = None
        self.program.wait_for("its RemoteDesktop", self.begin)
        self.move(-3000, -3000)
        self.screen = None
        with contextlib.suppress(GLib.Error):
            self.screen = self.find_screen()
        return self

    def __exit__(self, *exception):
        self.program.__exit__(*exception)

    def call(self, service, path, interface, method, *values):
        return self.bus.call_sync(service, path, interface, method, *(values or (None,)), None,
                                  Gio.DBusCallFlags.NONE, 10000, None)

    def begin(self):
        with contextlib.suppress(GLib.Error):
            path = "/" + self.SERVICE.replace(".", "/")
            self.session = self.call(self.SERVICE, path, self.SERVICE, "CreateSession").unpack()[0]
            self.notify("Start")
        return self.session

    def find_screen(self):
        """What touches are given the place in. A stream that is added to a session after its start, as mutter 43 lets
        one do and 48 does not, is never started itself, and so needs no PipeWire."""
        names = GLib.Variant("(ss)", (f"{self.SERVICE}.Session", "SessionId"))
        name = self.call(self.SERVICE, self.session, "org.freedesktop.DBus.Properties", "Get", names).unpack()[0]
        options = GLib.Variant("(a{sv})", ({"remote-desktop-session-id": GLib.Variant("s", name)},))
        path = "/" + self.PICTURES.replace(".", "/")
        session = self.call(self.PICTURES, path, self.PICTURES, "CreateSession", options).unpack()[0]
        return self.call(self.PICTURES, session, f"{self.PICTURES}.Session", "RecordMonitor",
                         GLib.Variant("(sa{sv})", ("", {}))).unpack()[0]

    def notify(self, method, *values):
        self.call(self.SERVICE, self.session, f"{self.SERVICE}.Session", method, *values)

    def move(self, x, y):
        self.notify("NotifyPointerMotionRelative", GLib.Variant("(dd)", (x, y)))

    def reach(self, title):
        """Until there is a window below the pointer, what is done is nobody's. The first finger makes mutter's touch
        screen, of which programs learn then, as the first key its keyboard; it takes the pointer away, too."""
        if self.screen is not None:
            self.touch()
            self.lift()
        for is_down in True, False:
            self.notify("NotifyKeyboardKeycode", GLib.Variant("(ub)", (KEY_SHIFT, is_down)))
        for step in range(30):
            time.sleep(0.1)
            self.move(20, 12)

    @timed
    def press(self):
        self.notify("NotifyPointerButton", GLib.Variant("(ib)", (BUTTON_LEFT, True)))

    @timed
    def release(self):
        self.notify("NotifyPointerButton", GLib.Variant("(ib)", (BUTTON_LEFT, False)))

    @timed
    def key(self):
        self.notify("NotifyKeyboardKeycode", GLib.Variant("(ub)", (KEY_X, True)))
        self.notify("NotifyKeyboardKeycode", GLib.Variant("(ub)", (KEY_X, False)))

    @timed
    def scroll(self):
        self.notify("NotifyPointerAxisDiscrete", GLib.Variant("(ui)", (0, 1)))

    @timed
    def touch(self):
        self.notify("NotifyTouchDown", GLib.Variant("(sudd)", (self.screen, 0, 300.0, 200.0)))

    @timed
    def lift(self):
        self.notify("NotifyTouchUp", GLib.Variant("(u)", (0,)))
