/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Facts in, verdict out: what is changed in the handmade report, and what that means then. Its culprit,
 * compute_primes(), has 97 % of the stall; of its 1180 ms sample 1 has 400 ms. */

#include <string.h>

#include "base/jank-clock-private.h"
#include "report-fixture.h"
#include "report/jank-report-json-private.h"
#include "test.h"
#include "text/jank-text-report-private.h"
#include "verdict/jank-verdict-private.h"

#define NO_STATES "stall.computing_ns=0; stall.blocked_ns=0"
#define ALL(state) "samples.*.state=" state "; " NO_STATES
#define WAIT(n, what) "; samples." #n ".state=blocked; samples." #n ".wait={" what "}"
#define READ(n, path) WAIT (n, "\"kind\":\"file\",\"syscall\":\"read\",\"target\":\"" path "\"")
#define LOCK(n, owner) \
  WAIT (n, "\"kind\":\"lock\",\"syscall\":\"futex\",\"lock\":{\"kind\":\"mutex\",\"address\":4096,\"owner\":" owner "}")
#define COND(n, address) \
  WAIT (n, "\"kind\":\"lock\",\"syscall\":\"futex\",\"lock\":{\"kind\":\"GCond\",\"address\":" address "}")
/* What the main thread of the list waits for, without an owner; thread 1 reads a file, thread 2 computes. */
#define UNOWNED(kind) \
  ALL ("") WAIT (1, "\"kind\":\"lock\",\"lock\":{\"kind\":\"" kind "\",\"address\":94015777140224}") \
  "; threads.2.name=saver"
#define IDLE(n, how) "; threads." #n how
#define RESTS(n) IDLE (n, ".stall_cpu_ns=0")
#define ALONE(kind) UNOWNED (kind) IDLE (1, ".wait.kind=wake") IDLE (2, ".name=gmain") "; threads.0.stack=0; " \
                    "stall.outcome=ongoing"
#define KERNEL "; samples.*.kernel=munmap"
#define BRANCH(call, percent) \
  "; heaviest.branches.+={\"frame\":" #call ",\"from\":10,\"share\":0." #percent ",\"time_ns\":" #percent "0000000}"
#define COLLECTED "frames.10.symbol=Python's garbage collector; frames.10.name_from=collector; culprit.function="
#define NOBODY "contributors=[]; culprit.function=; heaviest.path=[]; " NO_STATES "; "
#define PUT_OFF "; after=9; culprit.function=slot GtkLabel.measure; culprit.module=/usr/lib/libgtk-4.so.1"
#define KIND(kind) "verdict.kind='" kind "'; verdict.doing='" kind "'"
#define WAKER(is) KIND ("lock") "; verdict.waker" is
#define OVER(kind, doing) "verdict.kind='" kind "'; verdict.doing='" doing "'"

typedef struct
{
  const char *name, *edits;
  gint        percent; /* the verdict's share */
  const char *expected;
} Row;

static const Row rows[] = {
  { "computing", ALL ("computing"), 97, KIND ("computing") },
  /* The kernel counts exactly. */
  { "computing-exact", "stall.computing_ns=620ms", 50, KIND ("computing") },
  { "kernel", ALL ("computing") KERNEL, 97, KIND ("kernel") "; verdict.kernel='munmap'" },
  { "kernel-half", ALL ("computing") KERNEL "; samples.1.kernel=; samples.1.weight_ns=1200ms", 97, KIND ("computing") },
  { "preempted-most", ALL ("preempted") READ (1, "/n/a") "; stall.preempted_ns=500ms; stall.computing_ns=320ms; "
    "stall.blocked_ns=420ms", 40, OVER ("starved-machine", "waiting") "; verdict.waits[0].wait.target='/n/a'" },
  { "preempted-waits-elsewhere", ALL ("preempted") "; stall.preempted_ns=500ms; stall.computing_ns=9ms; "
    "stall.blocked_ns=99ms", 40, OVER ("starved-machine", "computing") },
  { "preempted-hardly", ALL ("preempted") READ (1, "/n/a") "; stall.preempted_ns=500ms; stall.computing_ns=600ms", 47,
    KIND ("computing") },
  /* The few samples that found it waiting share what the kernel has counted as waiting; others have no stack. */
  { "preempted-waits", ALL ("preempted") READ (1, "/n/a") "; stall.preempted_ns=500ms; stall.blocked_ns=600ms; "
    "samples.3.weight_ns=1200ms", 47, KIND ("waiting") },
  { "preempted-two-waits", ALL ("preempted") READ (0, "/n/a") READ (1, "/n/b") "; samples.4.weight_ns=1000ms; "
    "stall.preempted_ns=300ms; stall.blocked_ns=900ms", 39, OVER ("two-waits", "waiting") "; verdict.second=1" },
  { "page-faults", ALL ("page-fault"), 97, KIND ("page-faults") },
  { "unknown", ALL (""), 97, KIND ("unknown") },
  { "no-samples", "samples=[]; heaviest.path=[]; culprit.function=; " NO_STATES, 97, KIND ("unknown") },
  { "idle", "kind=dump; stall.duration_ns=0; self.from_outside=false", 0, "verdict.kind='idle'" },
  { "waiting", ALL ("") READ (1, "/n/a"), 97, KIND ("waiting") "; verdict.waits[0].wait.target='/n/a'; "
    "verdict.wait=0" },
  { "waiting-unread", ALL ("") WAIT (0, "\"syscall\":\"read\"") READ (1, "/n/a"), 97, KIND ("waiting") "; "
    "verdict.waits[0].wait.target='/n/a'" },
  { "lock", ALL ("") LOCK (1, "4246"), 97, KIND ("lock") "; verdict.waits[0].wait.lock.owner=4246" },
  /* One, wherever the conditions are; a sample that had no CPU is no wait. */
  { "conditions", ALL ("") COND (0, "1") COND (1, "2") COND (2, "3") "; samples.2.state=preempted", 87,
    KIND ("lock") "; verdict.waits[*].time_ns=720000000,24000000" },
  { "two-waits", ALL ("") READ (0, "/n/a") READ (1, "/n/b") "; samples.0.weight_ns=600ms; samples.1.weight_ns=400ms",
    58, OVER ("two-waits", "waiting") "; verdict.wait=0; verdict.second=1; verdict.waits[1].wait.target='/n/b'" },
  { "little-wait", ALL ("") READ (0, "/n/a") READ (1, "/n/b") "; samples.0.weight_ns=800ms; samples.1.weight_ns=200ms",
    78, KIND ("waiting") },
  { "many-waits", ALL ("") READ (0, "/n/0") READ (1, "/n/1") READ (2, "/n/2") READ (3, "/n/3") READ (4, "/n/4")
    "; samples.*.weight_ns=100ms", 97, KIND ("many-waits") },
  { "deadlock", ALL ("") LOCK (1, "4245") "; locks.deadlock=true", 97, OVER ("deadlock", "lock") },
  /* Who is to wake it: the only one that has run since the threads were read, and was less busy before the stall. */
  { "waker", UNOWNED ("GCond") RESTS (1) IDLE (2, ".function=save"), 97,
    KIND ("lock") "; verdict.waker.tid=4246; verdict.waker.function='save'" },
  { "waker-of-two", UNOWNED ("event"), 97, WAKER ("=") },
  { "waker-idle", UNOWNED ("event") IDLE (1, ".wait.kind=wake"), 97, WAKER ("=") },
  { "waker-as-before", UNOWNED ("event") RESTS (1) IDLE (2, ".before_share=0.4"), 97, WAKER ("=") },
  { "waker-less-before", UNOWNED ("event") RESTS (1) IDLE (2, ".before_share=0.1"), 97, WAKER (".tid=4246") },
  { "waker-more-before", UNOWNED ("event") RESTS (1) IDLE (2, ".before_share=0.9") IDLE (2, ".share=0.04"), 97,
    WAKER (".tid=4246") },
  { "waker-asleep", UNOWNED ("event") RESTS (1) RESTS (2), 97, WAKER ("=") },
  { "waker-to-come", UNOWNED ("event") RESTS (1) IDLE (2, ".wait.kind=wake") "; stall.outcome=ongoing", 97,
    WAKER (".tid=4245") },
  { "waker-of-two-own", UNOWNED ("event") IDLE (1, ".function=load") IDLE (2, ".function=save"), 97, WAKER ("=") },
  { "waker-of-one-function", UNOWNED ("pool") IDLE (1, ".function=load") IDLE (2, ".function=load"), 97,
    WAKER (".function='load'") },
  { "waker-itself", ALONE ("GCond"), 97, KIND ("lock") "; verdict.waker.alone=true; verdict.waker.tid=" },
  { "waker-cannot-come", ALONE ("GCond") RESTS (1) RESTS (2) "; stall.outcome=recovered", 97, WAKER (".alone=true") },
  { "waker-came", ALONE ("GCond") "; stall.outcome=recovered", 97, WAKER ("=") },
  { "waker-did-not-come", ALONE ("GCond") "; stall.outcome=recovered; samples.1.wait.timeout_ns=900ms", 97,
    WAKER (".alone=true") },
  { "waker-hears", ALONE ("GCond") IDLE (1, ".wait.kind=poll"), 97, WAKER ("=") },
  { "waker-soon", ALONE ("GCond") "; stall.duration_ns=999ms", 97, WAKER ("=") },
  { "taker", ALONE ("Mutex"), 97,
    KIND ("lock") "; verdict.waker.tid=4242; verdict.waker.function='on_button_clicked'; verdict.waker.direct=true" },
  { "taker-known", ALONE ("mutex") "; samples.1.wait.lock.owner=4242", 97, WAKER (".tid=4242") },
  { "lock-of-nobody", ALONE ("mutex"), 97, WAKER ("=") },
  { "taker-reentered", ALONE ("Mutex") "; frames.9.module=2; frames.8.module=0", 97,
    KIND ("lock") "; verdict.waker.function='g_signal_emit'; verdict.waker.direct=" },
  { "taker-of-two", UNOWNED ("Mutex"), 97, WAKER ("=") },
  { "starved", "stall.preempted_ns=620ms; stall.computing_ns=400ms", 50, OVER ("starved-machine", "computing") },
  /* What the program dispatched before is to blame for work that GTK put off, and for no wait. */
  { "put-off", ALL ("computing") PUT_OFF, 97, KIND ("computing") "; verdict.after=9" },
  { "put-off-starved", "stall.preempted_ns=620ms; stall.computing_ns=400ms" PUT_OFF, 50, "verdict.after=9" },
  { "put-off-kernel", ALL ("computing") KERNEL PUT_OFF, 97, "verdict.after=9" },
  { "walks", ALL ("computing") "; culprit.function=g_main_context_prepare", 97, "verdict.walks=true" },
  { "not-put-off", ALL ("computing") "; after=9", 97, KIND ("computing") "; verdict.after=" },
  { "put-off-waits", ALL ("") READ (1, "/n/a") PUT_OFF, 97, KIND ("waiting") "; verdict.after=" },
  { "put-off-locks", ALL ("") LOCK (1, "4246") PUT_OFF, 97, KIND ("lock") "; verdict.after=" },
  { "put-off-two-waits", ALL ("") READ (0, "/n/a") READ (1, "/n/b") "; samples.*.weight_ns=400ms" PUT_OFF, 49,
    OVER ("two-waits", "waiting") "; verdict.after=" },
  { "starved-watcher", NO_STATES "; stall.watcher_late_ns=1240ms", 100, OVER ("starved-machine", "computing") },
  { "late-watcher", "stall.computing_ns=1240ms; stall.watcher_late_ns=1240ms", 97, KIND ("computing") },
  { "cpu", "kind=cpu; stall.preempted_ns=1240ms; stall.computing_ns=0", 97, KIND ("computing") },
  { "nobody-seen", NOBODY "kind=input; stall.watcher_late_ns=310ms", 25, OVER ("starved-machine", "computing") },
  { "nobody-seen-frame", NOBODY "kind=frame; stall.preempted_ns=310ms", 25, OVER ("starved-machine", "computing") },
  { "nobody-seen-less", NOBODY "kind=input; stall.watcher_late_ns=309ms", 95, KIND ("computing") },
  { "nobody-seen-computing", NOBODY "kind=input; stall.preempted_ns=310ms; stall.computing_ns=311ms", 25,
    KIND ("computing") },
  { "contributors", "kind=input; stall.duration_ns=620ms", 50, OVER ("contributors", "computing") },
  { "contributors-few", "kind=input; stall.duration_ns=622ms", 97, KIND ("computing") },
  { "frame-of-one", "kind=frame; stall.duration_ns=620ms", 97, KIND ("computing") },
  { "spin", "kind=spin", 0, OVER ("spin", "computing") },
  { "collector", COLLECTED "Python's garbage collector",
    97, OVER ("garbage-collector", "computing") "; verdict.begun.function='on_button_clicked'" },
  { "gc-asked", COLLECTED "on_button_clicked", 97, "verdict.kind='garbage-collector'; verdict.begun.asked=true" },
  { "parts", ALL ("computing") "; heaviest.branches=[]" BRANCH (11, 41) BRANCH (12, 48),
    97, KIND ("computing") "; verdict.parts[1].function='is_prime'" },
  { "parts-one", ALL ("computing") "; heaviest.branches=[]" BRANCH (11, 41), 97, KIND ("computing") },
};

/* No sentence has a number of its own. */
static void
check_words (JankReport *report)
{
  g_autofree char *before = jank_text_cause (report), *after = NULL;
  JankReportVerdict *verdict = report->verdict;

  if (before == NULL || strstr (before, " %") == NULL || verdict->kind == JANK_VERDICT_CONTRIBUTORS)
    return;
  verdict->share = 0.11;
  verdict->second_share = 0.13;
  verdict->stack_share = MIN (verdict->stack_share, 0.13);
  for (guint i = 0; i < verdict->parts->len; i++)
    ((JankReportVerdictPart *) g_ptr_array_index (verdict->parts, i))->share = 0.17;
  after = jank_text_cause (report);
  g_assert_nonnull (strstr (after, "11 %"));
  g_assert_cmpint (strstr (after, "13 %") != NULL, ==, verdict->kind == JANK_VERDICT_TWO_WAITS ||
                                                       verdict->stack_share > 0);
  g_assert_cmpint (strstr (after, "17 %") != NULL, ==, verdict->parts->len > 0);
  for (const char *at = strchr (after, '%'); at != NULL; at = strchr (at + 1, '%'))
    g_assert_true (at[-3] == '1' && strchr ("137", at[-2]) != NULL);
}

static void
check_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (JankReport) report = report_fixture_new_edited (row->edits), read = NULL;
  g_autofree char *text = jank_report_to_json (report), *older = NULL, *again = NULL, *redacted = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, NULL);

  g_test_message ("%s", text);
  report_fixture_check_json (root, row->expected);
  g_assert_cmpint ((gint) (report->verdict->share * 100 + 0.5), ==, row->percent);
  json_object_remove_member (json_object_get_object_member (json_node_get_object (root), "verdict"), "after");
  older = json_to_string (root, FALSE);
  read = jank_verdict_load (older, strlen (older), NULL);
  again = jank_report_to_json (read);
  g_assert_cmpstr (again, ==, text);
  check_words (report);
  jank_report_redact (read);
  redacted = jank_text_cause (read);
  g_assert_true (redacted == NULL || strstr (redacted, "(null)") == NULL);
}

/* An older report has none, one of a newer version may be of an unknown kind, and a file may say anything. */
TEST (loaded)
{
  static const char *const edits[] = {
    "", "kind=\"of-tomorrow\"", "doing=\"preempted\"", "wait=7", "kind=\"two-waits\"", "kind=\"kernel\"",
    "parts=[{\"function\":\"f\",\"share\":1}]", "waits=[{\"time_ns\":7}]; wait=0",
  };
  g_autofree char *json = report_fixture_dup_json ();

  for (guint i = 0; i < G_N_ELEMENTS (edits); i++)
    {
      g_autoptr (JsonNode) root = json_from_string (json, NULL);
      g_auto (GStrv) all = g_strsplit (edits[i], "; ", 0);
      JsonObject *verdict = json_object_get_object_member (json_node_get_object (root), "verdict");
      g_autofree char *text = NULL;
      g_autoptr (JankReport) report = NULL;

      for (guint k = 0; all[k] != NULL; k++)
        {
          g_auto (GStrv) halves = g_strsplit (all[k], "=", 2);

          json_object_set_member (verdict, halves[0], json_from_string (halves[1], NULL));
        }
      if (i == 0)
        json_object_remove_member (json_node_get_object (root), "verdict");
      text = json_to_string (root, FALSE);
      report = jank_verdict_load (text, strlen (text), NULL);
      g_assert_cmpint (report->verdict->kind, ==, JANK_VERDICT_COMPUTING);
      g_assert_cmpint (report->verdict->wait, ==, -1);
      g_assert_cmpint (report->verdict->waits->len, ==, 1);
    }
}

TESTS_AND_ROWS ("/verdict/verdict", rows, check_row)
