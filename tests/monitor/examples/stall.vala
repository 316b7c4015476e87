/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

bool load_document ()
{
  Thread.usleep (300000);
  return Source.REMOVE;
}

int main ()
{
  var loop = new MainLoop ();
  var monitor = new Jank.Monitor ();

  monitor.stall.connect ((report) => {
    print ("stalled for %lld ms in %s\n", report.get_duration_ns () / 1000000, report.get_culprit ());
    loop.quit ();
  });
  try
    {
      monitor.threshold_ms = 50;
      monitor.start ();
    }
  catch (Error error)
    {
      printerr ("%s\n", error.message);
      return 1;
    }
  Timeout.add (500, load_document);
  loop.run ();
  return 0;
}
