// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As stalls.c, with the C++ standard library between the functions and what they do.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gio/gio.h>

using Length = std::chrono::duration<double>;

namespace ledger
{

class Window
{
public:
  explicit Window (Length length) : length (length) {}

  [[gnu::noinline]] void stall_compute ()
  {
    std::map<std::string, int> sums;

    for (auto until = std::clock () + CLOCKS_PER_SEC * length.count (); std::clock () < until;)
      for (int i = 0; i < 1000; i++)
        sums[std::to_string (i)] += i;
    sink = sums["7"];
  }

  [[gnu::noinline]] void stall_sleep ()
  {
    std::this_thread::sleep_for (length);
    sink = sink + 1;
  }

  [[gnu::noinline]] void stall_library ()
  {
    std::vector<int> numbers (20000);

    for (auto until = std::clock () + CLOCKS_PER_SEC * length.count (); std::clock () < until;)
      {
        std::generate (numbers.begin (), numbers.end (), std::rand);
        std::sort (numbers.begin (), numbers.end (), [] (int a, int b) { return a % 1000 < b % 1000; });
      }
  }

  [[gnu::noinline]] void stall_loop ()
  {
    GMainContext *context = g_main_context_new ();
    GMainLoop *own = g_main_loop_new (context, FALSE);
    GSource *source = g_timeout_source_new (static_cast<guint> (1000 * length.count ()));

    g_source_set_callback (source,
                           [] (gpointer data) { g_main_loop_quit (static_cast<GMainLoop *> (data)); return FALSE; },
                           own, nullptr);
    g_source_attach (source, context);
    g_main_loop_run (own);
    g_source_unref (source);
    g_main_loop_unref (own);
    g_main_context_unref (context);
  }

private:
  Length length;
  volatile int sink = 0;
};

}

static gboolean
turn_cb (gpointer data)
{
  static std::size_t n;
  auto &turns = *static_cast<std::vector<std::function<void ()>> *> (data);

  turns[n++] ();
  return G_SOURCE_CONTINUE;
}

int
main (int, char **argv)
{
  GMainLoop *loop = g_main_loop_new (nullptr, FALSE);
  ledger::Window window (Length (std::atof (argv[1])));
  std::vector<std::function<void ()>> turns = {
    [&] { window.stall_compute (); }, [&] { window.stall_sleep (); }, [&] { window.stall_library (); },
    [&] { window.stall_loop (); }, [&] { g_main_loop_quit (loop); },
  };

  // Loads GIO's modules.
  g_vfs_get_default ();
  g_timeout_add (100, turn_cb, &turns);
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  return 0;
}
