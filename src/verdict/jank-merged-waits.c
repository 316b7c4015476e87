/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "verdict/jank-merged-waits-private.h"

#include <string.h>

#include "json/jank-json-private.h"

struct _JankMergedWaits
{
  GPtrArray *of_samples; /* (element-type JankReportWait) (nullable): the report's or one of made */
  GPtrArray *made;       /* (owned) (element-type JankReportWait) */
};

/* The samples with one path, or with paths of one mount. */
typedef struct Group Group;

struct Group
{
  JankReportWait *wait;    /* (nullable): the one that stands for all, if they are different ones */
  const JankReportWait *first;
  gboolean        differ;
  gint64          weight_ns, heaviest_ns; /* of all, and of one path */
  guint           n_paths;
  gint            n_calls;
  Group          *mount;   /* (nullable): of a path */
};

gboolean
jank_merged_waits_are_same (const JankReportWait *a, const JankReportWait *b)
{
  return g_strcmp0 (a->kind, b->kind) == 0 && g_strcmp0 (a->syscall, b->syscall) == 0 &&
         g_strcmp0 (a->target, b->target) == 0 && g_strcmp0 (a->mount, b->mount) == 0 &&
         g_strcmp0 (a->peer, b->peer) == 0 &&
         g_strcmp0 (a->dbus.name, b->dbus.name) == 0 && g_strcmp0 (a->dbus.path, b->dbus.path) == 0 &&
         g_strcmp0 (a->dbus.property, b->dbus.property) == 0 && g_strcmp0 (a->lock.kind, b->lock.kind) == 0 &&
         a->lock.owner == b->lock.owner;
}

/* Uses a file, and does not wait for somebody to unlock it. */
static gboolean
jank_merged_waits_uses_file (const JankReportWait *wait)
{
  static const char *const locks[] = { "flock", "fcntl", "fcntl64", "clock_nanosleep", "nanosleep", NULL };

  return wait != NULL && (g_strcmp0 (wait->kind, "file") == 0 || g_strcmp0 (wait->kind, "page") == 0) &&
         wait->target != NULL && *wait->target != '\0' &&
         (wait->syscall == NULL || !g_strv_contains (locks, wait->syscall));
}

static Group *
jank_merged_waits_get_group (GHashTable *groups, const char *key)
{
  Group *group = g_hash_table_lookup (groups, key);

  if (group == NULL)
    {
      group = g_new0 (Group, 1);
      g_hash_table_insert (groups, g_strdup (key), group);
    }
  return group;
}

static JankReportWait *
jank_merged_waits_make_wait (JankMergedWaits *self, Group *group)
{
  group->wait = jank_report_wait_new ();
  group->wait->kind = g_strdup ("file");
  group->wait->filesystem = g_strdup (group->first->filesystem);
  group->wait->mount = g_strdup (group->first->mount);
  group->wait->n_calls = group->n_calls;
  g_ptr_array_add (self->made, group->wait);
  return group->wait;
}

/* Returns: (transfer full) (owned) path → (owned) Group */
static GHashTable *
jank_merged_waits_merge_by_path (JankMergedWaits *self, JankReport *report)
{
  GHashTable *paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer value;

  JANK_EACH (const JankReportSample, sample, report->samples)
    {
      Group *group = jank_merged_waits_uses_file (sample->wait)
                     ? jank_merged_waits_get_group (paths, sample->wait->target) : NULL;

      if (group == NULL)
        continue;
      group->differ |= group->first != NULL && !jank_merged_waits_are_same (group->first, sample->wait);
      /* That of an open file says more of it than a path. */
      if (group->first == NULL || (group->first->mount == NULL && sample->wait->mount != NULL))
        group->first = sample->wait;
      jank_json_sum (&group->weight_ns, sample->weight_ns);
      group->n_calls += MAX (sample->wait->n_calls, 0);
    }
  g_hash_table_iter_init (&iter, paths);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((Group *) value)->differ)
      jank_merged_waits_make_wait (self, value)->target = g_strdup (((Group *) value)->first->target);
  return paths;
}

static gboolean
jank_merged_waits_is_synced (const Group *path)
{
  return !path->differ && path->first->syscall != NULL && strstr (path->first->syscall, "sync") != NULL;
}

/* Files that are synced one after the other are those of their folder. Returns: (transfer full) (nullable): it is
 * alone */
static char *
jank_merged_waits_name_place (const Group *path)
{
  g_autofree char *folder = jank_merged_waits_is_synced (path) ? g_path_get_dirname (path->first->target) : NULL;

  return folder != NULL ? g_build_filename (folder, "*", NULL) : g_strdup (path->first->mount);
}

/* Where no path took half of a mount's or folder's time, it is that. */
static void
jank_merged_waits_merge_by_mount (JankMergedWaits *self, GHashTable *paths)
{
  g_autoptr (GHashTable) mounts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, paths);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Group *path = value;
      g_autofree char *place = jank_merged_waits_name_place (path);

      if (place == NULL)
        continue;
      path->mount = jank_merged_waits_get_group (mounts, place);
      path->mount->first = path->first;
      jank_json_sum (&path->mount->weight_ns, path->weight_ns);
      path->mount->heaviest_ns = MAX (path->mount->heaviest_ns, path->weight_ns);
      path->mount->n_calls += path->n_calls;
      path->mount->n_paths++;
    }
  g_hash_table_iter_init (&iter, paths);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Group *path = value, *mount = path->mount;

      if (mount != NULL && mount->n_paths >= 3 && mount->heaviest_ns < mount->weight_ns / 2)
        path->wait = mount->wait != NULL ? mount->wait : jank_merged_waits_make_wait (self, mount);
      if (path->wait != NULL && path->wait == (mount != NULL ? mount->wait : NULL) &&
          jank_merged_waits_is_synced (path) && path->wait->target == NULL)
        {
          path->wait->syscall = g_strdup (path->first->syscall);
          path->wait->target = jank_merged_waits_name_place (path);
        }
    }
}

JankMergedWaits *
jank_merged_waits_new (JankReport *report)
{
  JankMergedWaits *self = g_new (JankMergedWaits, 1);
  g_autoptr (GHashTable) paths = NULL;

  self->of_samples = g_ptr_array_new ();
  self->made = g_ptr_array_new_with_free_func (jank_report_wait_free);
  paths = jank_merged_waits_merge_by_path (self, report);
  jank_merged_waits_merge_by_mount (self, paths);
  JANK_EACH (const JankReportSample, sample, report->samples)
    {
      /* One that was ready for most of its time is counted as being without CPU. */
      JankReportWait *wait = sample->state != JANK_STATE_PREEMPTED ? sample->wait : NULL;
      const Group *path = jank_merged_waits_uses_file (wait) ? g_hash_table_lookup (paths, wait->target) : NULL;

      g_ptr_array_add (self->of_samples, path != NULL && path->wait != NULL ? path->wait : wait);
    }
  return self;
}

void
jank_merged_waits_free (JankMergedWaits *self)
{
  g_ptr_array_unref (self->of_samples);
  g_ptr_array_unref (self->made);
  g_free (self);
}

const JankReportWait *
jank_merged_waits_get (JankMergedWaits *self, guint sample)
{
  return g_ptr_array_index (self->of_samples, sample);
}
