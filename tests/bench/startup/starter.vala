// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As starter.c.

class Starter : Gtk.Application {
    public static string verb;
    public static int ms;

    public static void load_things () {
        Thread.usleep (ms * 1000);
        AtomicInt.add (ref ms, 0);
    }

    public static void slow_at (string place) {
        if (verb == place)
            load_things ();
    }

    static void call_service () {
        try {
            Bus.get_sync (BusType.SESSION).call_sync ("org.example.Mute", "/org/example/Mute", "org.example.Mute",
                                                      "ListAll", null, null, DBusCallFlags.NONE, ms);
        } catch (Error error) {
        }
    }

    public override void startup () {
        base.startup ();
        slow_at ("startup");
    }

    public override void activate () {
        slow_at ("activate");
        if (verb == "dbus")
            call_service ();
        new Gtk.ApplicationWindow (this).present ();
        slow_at ("presented");
        Timeout.add (700, () => { quit (); return false; });
    }

    public override int command_line (ApplicationCommandLine line) {
        activate ();
        return 0;
    }
}

int main (string[] words) {
    Starter.verb = words[1];
    Starter.ms = int.parse (words[2]);
    Starter.slow_at ("main");
    Gtk.init ();
    Starter.slow_at ("initialized");
    return ((Starter) Object.new (typeof (Starter), "application-id", "org.example.Starter", "flags",
            Starter.verb == "second" ? ApplicationFlags.HANDLES_COMMAND_LINE : ApplicationFlags.NON_UNIQUE)).run ({});
}
