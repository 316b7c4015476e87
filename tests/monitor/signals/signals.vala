/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* See ../test-signals.py. */

FileStream file;

void note (string name)
{
  print ("%s\n", name);
  printerr ("%s\n", name);
  file.puts (name + "\n");
  file.flush ();
}

void compute (int ms)
{
  var until = get_monotonic_time () + ms * 1000;
  while (get_monotonic_time () < until);
}

int main (string[] args)
{
  var loop = new MainLoop ();
  var monitor = new Jank.Monitor ();

  file = FileStream.open (args[1], "w");
  Gtk.init ();
  monitor.stall.connect ((report) => {
    note ("jankwatch: " in report.to_json () ? "own stall" : "stall");
    compute (150);
  });
  monitor.report.connect ((report) => note ("report"));
  monitor.report["stall"].connect ((report) => note ("report::stall"));
  monitor.notify["running"].connect (() => note ("notify::running"));
  monitor.notify["threshold-ms"].connect (() => note ("notify::threshold-ms"));
  monitor.notify["paused"].connect (() => note ("notify::paused"));
  try
    {
      monitor.threshold_ms = 100;
      monitor.start ();
    }
  catch (Error error)
    {
      printerr ("%s\n", error.message);
      return 1;
    }
  var window = new Gtk.Window ();
  window.add_tick_callback ((widget, clock) => {
    widget.queue_draw ();
    return Source.CONTINUE;
  });
  window.present ();
  for (int i = 0; i < 3; i++)
    Timeout.add (300 + 600 * i, () => {
      compute (250);
      return Source.REMOVE;
    });
  Timeout.add (3500, () => {
    monitor.threshold_ms = 90;
    monitor.set_paused (true);
    monitor.set_paused (false);
    monitor.stop ();
    loop.quit ();
    return Source.REMOVE;
  });
  loop.run ();
  note ("end");
  return 0;
}
