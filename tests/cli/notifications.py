# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A server of desktop notifications: notifications.py LOG [buttons] [press|close]. Prints a line when it serves, writes
what it is told to LOG, as JSON, and presses the button or closes the notification."""

import json
import sys

from gi.repository import Gio, GLib

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
INTERFACE = """<node><interface name="org.freedesktop.Notifications">
  <method name="GetCapabilities"><arg direction="out" type="as"/></method>
  <method name="Notify"><arg direction="in" type="s"/><arg direction="in" type="u"/><arg direction="in" type="s"/>
    <arg direction="in" type="s"/><arg direction="in" type="s"/><arg direction="in" type="as"/>
    <arg direction="in" type="a{sv}"/><arg direction="in" type="i"/><arg direction="out" type="u"/></method>
</interface></node>"""

log, words = sys.argv[1], sys.argv[2:]
shown = []
bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def emit(name, signature, *values):
    bus.emit_signal(None, PATH, NAME, name, GLib.Variant(signature, values))


def call(connection, sender, path, interface, method, parameters, invocation):
    if method == "GetCapabilities":
        invocation.return_value(GLib.Variant("(as)", (["body", "actions"] if "buttons" in words else ["body"],)))
        return
    _, _, _, summary, body, actions, _, _ = parameters.unpack()
    with open(log, "w") as file:
        json.dump({"summary": summary, "body": body, "actions": actions, "n": len(shown) + 1}, file)
    shown.append(summary)
    invocation.return_value(GLib.Variant("(u)", (7,)))
    emit("ActionInvoked", "(us)", 6, "open") # of another notification
    emit("ActivationToken", "(us)", 7, "a-token")
    if "press" in words:
        emit("ActionInvoked", "(us)", 7, "open")
    if "close" in words:
        emit("NotificationClosed", "(uu)", 7, 2)


bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], call, None, None)
Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.NONE, lambda *_: print("serves", flush=True), None)
GLib.MainLoop().run()
