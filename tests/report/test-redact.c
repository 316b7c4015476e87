/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is left of a report that was redacted. That nothing private is left in any text: export/hostile. */

#include <string.h>

#include "report-fixture.h"
#include "test.h"
#include "report/jank-report-json-private.h"

#define ID "20261121-153012-4242-1"

static const struct { const char *kind, *target, *family, *redacted; } waits[] = {
  { "file", "/home/alice/Secret plans/budget.ods", "nfs4", "budget.ods" },
  { "device", "/dev/alice/ttyUSB0", NULL, "ttyUSB0" },
  { "pipe", "/home/alice/fifo", NULL, "pipe" },
  { "socket", "alice.example.org:443", "tcp", "TCP peer" },
  { "socket", "alice-agent[812]", "unix", "unix socket" },
  { "socket", "alice.example.org:53", "udp", "UDP peer" },
  { "socket", "alice.example.org", NULL, "peer" },
  { "child", "mail to alice", NULL, "removed" },
  { "dbus", "org.example.Slow.Wait", NULL, "org.example.Slow.Wait" },
  { "dbus", "org.example.Slow /home/alice", NULL, NULL },
  { "poll", "alice.example.org:443", NULL, NULL },
  { "poll", "eventfd", NULL, "eventfd" },
  { "call", "inotify", NULL, "inotify" },
  { "something else", "alice", NULL, NULL },
  { NULL, "alice", NULL, NULL },
};

static JankReportWait *
new_wait (guint i)
{
  JankReportWait *wait = jank_report_wait_new ();

  wait->kind = g_strdup (waits[i].kind);
  wait->syscall = g_strdup ("read");
  wait->target = g_strdup (waits[i].target);
  wait->filesystem = g_strdup (waits[i].family);
  wait->detail = g_strdup_printf ("read of 12 bytes from %s by alice", waits[i].target);
  return wait;
}

/* Whose process and which folder stays with the user; what kind of wait it was does not. */
TEST (chain)
{
  static const struct { JankHopKind kind; const char *target, *redacted; } targets[] = {
    { JANK_HOP_FILE_LOCK, "/home/alice/secret/x.db", "x.db" }, { JANK_HOP_SOCKET, "/run/user/1000/alice.socket", NULL },
    { JANK_HOP_SOCKET, "@alice", NULL }, { JANK_HOP_HOST, "192.0.2.7:443", NULL },
    { JANK_HOP_DBUS, "org.example.Printers.ListAll", "org.example.Printers.ListAll" },
  };
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-1");
  const JankReportLink *last;

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      JankReportLink *first;

      g_clear_pointer (&report->chain, jank_report_chain_free);
      report->chain = report_fixture_new_chain ();
      first = g_ptr_array_index (report->chain->links, 0);
      first->kind = targets[i].kind;
      jank_set_text (&first->target, targets[i].target);
      jank_report_redact (report);
      g_assert_cmpstr (first->target, ==, targets[i].redacted);
    }
  last = jank_report_chain_get_end (report->chain);
  g_assert_cmpstr (last->name, ==, "backup");
  g_assert_cmpint (last->pid, ==, 812);
  g_assert_null (last->user);
  g_assert_null (last->unit);
  g_assert_cmpstr (last->file, ==, "ask.c");
  g_assert_cmpstr (report->chain->cause, ==, "deadlock");
}

TEST (waits)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  guint first = report->samples->len;

  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      JankReportSample *sample = jank_report_sample_new ();

      sample->wait = new_wait (i);
      g_ptr_array_add (report->samples, sample);
    }
  jank_report_redact (report);
  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, first + i);

      g_assert_cmpstr (sample->wait->target, ==, waits[i].redacted);
      g_assert_cmpstr (sample->wait->syscall, ==, "read");
      g_assert_null (sample->wait->detail);
    }
}

/* Of threads and sources only the platform's own names are known to be harmless. */
TEST (names)
{
  static const struct { const char *source, *thread, *left_source, *left_thread; } names[] = {
    { "[gtk] gdk_frame_clock_paint_idle", "gmain", "[gtk] gdk_frame_clock_paint_idle", "gmain" },
    { "[gio] complete_in_idle_cb", "dconf worker", "[gio] complete_in_idle_cb", "dconf worker" },
    { "[alice] secret_plan", "pool-viewer", "", NULL },
    { "secret_plan", "alice", "", NULL },
    { "[plan of alice]", "alice", "", NULL },
    { "[file descriptor]", "alice", "[file descriptor]", NULL },
    { "GFileMonitorSource: monitor of “/home/alice/plan”", "gdbus", "", "gdbus" },
    { "", "", "", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (JankReport) report = report_fixture_new (ID);
      JankReportSource *source = g_ptr_array_index (report->sources, 0);
      JankReportThread *thread = g_ptr_array_index (report->threads, 0);

      jank_set_text (&report->source.name, names[i].source);
      jank_set_text (&source->name, names[i].source);
      jank_set_text (&thread->name, names[i].thread);
      jank_report_redact (report);
      g_assert_cmpstr (report->source.name, ==, names[i].left_source);
      g_assert_cmpstr (source->name, ==, names[i].left_source);
      g_assert_cmpstr (thread->name, ==, names[i].left_thread);
    }
}

TEST (paths)
{
  static const struct { const char *path, *left; } paths[] = {
    { "/home/alice/src/main.c", "main.c" }, { "/home/alice", "~" }, { "/home/alice/", "~" }, { "/home", "~" },
        { "/root", "~" },
    { "/run/user/1000", "~" }, { "/run/user/1000/bus", "bus" }, { "/var/home/alice//", "~" }, { "/media/alice", "~" },
    { "/run/user/1000/gvfs/smb-share:server=nas,share=privat,user=bob", "smb-share" }, { "~alice", "~" },
    { "/usr/lib/libc.so.6", "libc.so.6" }, { "[vdso]", "[vdso]" }, { "/", "/" }, { "", "." },
  };
  static const struct { const char *function, *left; } functions[] = {
    { "handler of GtkButton::clicked on “SECRET will.odt”", "handler of GtkButton::clicked" },
    { "callback of GTask “load”", "callback of GTask" }, { "compute_primes", "compute_primes" },
    { "monitor of /home/alice/plan.txt", "monitor of plan.txt" }, { "Ratio::operator/(int)", "Ratio::operator/(int)" },
    { "file:/home/alice", "file:~" }, { "in /home/alice/My plans/a letter/b.c", "in b.c" },
    { "f (/home/alice/My plans/b.js:3) 2", "f (b.js:3) 2" }, { "open ~alice/My plans/b", "open b" },
    { "in /run/user/1000/gvfs/sftp:host=nas,user=bob", "in sftp" }, { "Plan::~Plan()", "Plan::~Plan()" },
    { "get https://alice:secret@nas/plan?token=secret", "get https:plan" },
    { "libgtk-4.so.1+0x24cb10", "libgtk-4.so.1+0x24cb10" },
  };

  static const struct { const char *name, *left; } programs[] = {
    { "gedit", "gedit" }, { "/home/alice/a_b-c+d.py", "a_b-c+d.py" }, { "import os; token=1", "removed" },
    { "“a”", "removed" },
    { "0123456789012345678901234567890123456789012345678901234567890123x", "removed" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *left = jank_redact_text (programs[i].name, JANK_REDACT_NAME, NULL);

      g_assert_cmpstr (left, ==, programs[i].left);
    }
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autofree char *left = jank_redact_text (paths[i].path, JANK_REDACT_PATH, NULL);

      g_assert_cmpstr (left, ==, paths[i].left);
    }
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autofree char *left = jank_redact_text (functions[i].function, JANK_REDACT_FUNCTION, NULL);

      g_assert_cmpstr (left, ==, functions[i].left);
    }
}

/* Names of services and methods are the programs'; an object may be a person's account, and a bus lies in a home. */
TEST (dbus)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  JankReportWait *wait = ((JankReportThread *) report->threads->pdata[1])->wait;

  jank_set_text (&wait->kind, "dbus");
  jank_set_text (&wait->target, "org.example.Mail.Fetch");
  jank_set_text (&wait->peer, "tab of alice");
  jank_set_text (&wait->dbus.name, "org.example.Mail");
  jank_set_text (&wait->dbus.owner, ":1.7");
  jank_set_text (&wait->dbus.path, "/org/example/Mail/SECRET");
  jank_set_text (&wait->dbus.property, "org.example.Mail.*");
  jank_set_text (&wait->dbus.method, "org.example.Mail.Fetch SECRET");
  jank_set_text (&wait->dbus.bus, "unix:path=/home/alice/bus");
  jank_report_redact (report);
  g_assert_cmpstr (wait->target, ==, "org.example.Mail.Fetch");
  g_assert_cmpstr (wait->peer, ==, "removed");
  g_assert_cmpstr (wait->dbus.name, ==, "org.example.Mail");
  g_assert_cmpstr (wait->dbus.owner, ==, ":1.7");
  g_assert_null (wait->dbus.path);
  g_assert_cmpstr (wait->dbus.property, ==, "org.example.Mail.*");
  g_assert_null (wait->dbus.method);
  g_assert_null (wait->dbus.bus);
}

/* A child's name stays, also where its end is waited for; a sentence is none. */
TEST (child_output)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  JankReportWait *wait = ((JankReportThread *) report->threads->pdata[1])->wait;

  jank_set_text (&wait->kind, "pipe");
  jank_set_text (&wait->target, "convert");
  jank_report_redact (report);
  g_assert_cmpstr (wait->target, ==, "convert");
}

/* Whoever has a folder in a path is named nowhere, nor is this machine; no longer name becomes shorter for it. */
TEST (users)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *host = g_strndup (g_get_host_name (), strcspn (g_get_host_name (), ".")),
      *text = g_strconcat ("on-", host, NULL);

  jank_set_text (&report->app.exe, "/home/alice/bin/tool");
  jank_set_text (&report->app.id, "org.alice.Tool");
  jank_set_text (&report->app.version, "Dear?Bob"); /* a line each, before it was cleaned */
  jank_set_text (&report->culprit.function, "alice_load_alices_malice");
  jank_set_text (&report->toolkit.renderer, text);
  jank_report_redact (report);
  g_assert_cmpstr (report->app.id, ==, "org.~.Tool");
  g_assert_null (report->app.version);
  g_assert_cmpstr (report->culprit.function, ==, "~_load_alices_malice");
  g_assert_cmpstr (report->toolkit.renderer, ==, g_str_equal (host, "localhost") ? text : "on-~");
}

/* Whoever else is named, also as the ninth; of a report that names hundreds nothing is left. */
static void
check_many_users (guint n_users, const char *left)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n_users; i++)
    g_string_append_printf (text, " ~person%u/x", i);
  jank_set_text (&report->culprit.function, text->str);
  jank_set_text (&report->app.id, "org.person8.Tool");
  jank_report_redact (report);
  g_assert_cmpstr (report->app.id, ==, left);
}

TEST (many_users)
{
  check_many_users (9, "org.~.Tool");
  check_many_users (1000, "removed");
}

/* The number of a user is also that of a process, and stays in IDs. */
TEST (user_number)
{
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-1000-1");

  jank_set_text (&report->app.exe, "/run/user/1000/tool");
  jank_report_redact (report);
  g_assert_cmpstr (report->id, ==, "20261121-153012-1000-1");
}

/* A sentence of ours has no other letters and marks than these. */
TEST (reason)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  jank_set_text (&report->culprit.reason, "deepest function of the program on the heaviest path");
  jank_report_redact (report);
  g_assert_cmpstr (report->culprit.reason, ==, "deepest function of the program on the heaviest path");
  jank_set_text (&report->culprit.reason, "deepest function of /home/alice/plan.odt");
  jank_report_redact (report);
  g_assert_null (report->culprit.reason);
}

/* What a developer needs is still there. */
TEST (rest)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autoptr (JankReport) read = NULL;
  g_autofree char *text = NULL;

  jank_report_redact (report);
  text = jank_report_to_json (report);
  read = jank_report_from_json (text, strlen (text), NULL);
  g_assert_nonnull (read);
  g_assert_cmpstr (read->culprit.function, ==, "compute_primes");
  g_assert_cmpstr (read->culprit.file, ==, "demo.c");
  g_assert_cmpstr (read->app.exe, ==, "jankwatch-demo");
  g_assert_cmpstr (read->app.id, ==, "org.jankwatch.Demo");
  g_assert_cmpstr (((JankReportModule *) read->modules->pdata[1])->path, ==, "libgtk-4.so.1.800.3");
  g_assert_nonnull (((JankReportModule *) read->modules->pdata[1])->build_id);
  g_assert_cmpstr (((JankReportTag *) read->tags->pdata[1])->value, ==, "GtkButton");
  g_assert_cmpstr (((JankReportTag *) read->tags->pdata[2])->value, ==, "app.compute");
  g_assert_cmpstr (((JankReportThread *) read->threads->pdata[1])->wait->filesystem, ==, "nfs4");
  g_assert_cmpint (read->stall.duration_ns, ==, report->stall.duration_ns);
  g_assert_cmpuint (read->samples->len, ==, 6);

  /* Again changes nothing. */
  jank_report_redact (read);
  g_free (text);
  text = jank_report_to_json (read);
  g_assert_nonnull (strstr (text, "\"exe\":\"jankwatch-demo\""));
}

TESTS ("/report/redact")
