// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As stalls.c.

[CCode (cname = "clock", cheader_filename = "time.h")]
extern long clock ();

public class Window : Object {
    private int64 length_us;
    private double sink = 1.0;

    public Window (int64 length_us) {
        this.length_us = length_us;
    }

    public void stall_compute () {
        for (int64 until_us = clock () + length_us; clock () < until_us;)
            for (int i = 0; i < 10000; i++)
                sink = sink * 1.0000001 + 0.5;
    }

    public void stall_sleep () {
        Thread.usleep ((ulong) length_us);
        sink += 1.0;
    }

    public void stall_library () {
        for (int64 until_us = clock () + length_us; clock () < until_us;) {
            var sums = new HashTable<string, string> (str_hash, str_equal);
            for (int i = 0; i < 2000; i++)
                sums.insert (i.to_string (), "");
            sink += sums.size ();
        }
    }

    public void stall_loop () {
        var context = new MainContext ();
        var own = new MainLoop (context);
        var source = new TimeoutSource ((uint) (length_us / 1000));

        source.set_callback (() => {
            own.quit ();
            return Source.REMOVE;
        });
        source.attach (context);
        own.run ();
        sink += 1.0;
    }
}

int main (string[] args) {
    var loop = new MainLoop ();
    var window = new Window ((int64) (double.parse (args[1]) * TimeSpan.SECOND));
    int n = 0;

    // Loads GIO's modules.
    Vfs.get_default ();
    Timeout.add (100, () => {
        if (n == 0)
            window.stall_compute ();
        else if (n == 1)
            window.stall_sleep ();
        else if (n == 2)
            window.stall_library ();
        else if (n == 3)
            window.stall_loop ();
        else
            loop.quit ();
        n++;
        return Source.CONTINUE;
    });
    loop.run ();
    return 0;
}
