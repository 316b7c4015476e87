/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "chain/jank-hop-draft-private.h"

#include <stdlib.h>

void
jank_kernel_clear (JankKernel *self)
{
  g_clear_pointer (&self->sockets, jank_sockets_free);
  g_clear_pointer (&self->holders, jank_holders_free);
  g_clear_pointer (&self->locks, g_array_unref);
}

JankSockets *
jank_kernel_get_sockets (JankKernel *self)
{
  if (self->sockets == NULL)
    self->sockets = jank_sockets_new ();
  return self->sockets;
}

JankHolders *
jank_kernel_get_holders (JankKernel *self)
{
  if (self->holders == NULL)
    self->holders = jank_holders_new ();
  return self->holders;
}

void
jank_hop_add_peer (JankHop *hop, pid_t pid, pid_t tid)
{
  for (guint i = 0; i < hop->n_peers; i++)
    if (hop->peers[i].pid == pid && hop->peers[i].tid == tid)
      return;
  if (pid > 0 && hop->n_peers < JANK_HOP_MAX_PEERS)
    hop->peers[hop->n_peers++] = (JankPeer) { pid, tid };
}

/* Of a file system that a process of this machine serves, the kernel tells the connection since Linux 6.15. */
static void
jank_hop_add_fuse (JankHopDraft *draft, const JankMount *mount)
{
  const GArray *servers = jank_holders_find (jank_kernel_get_holders (draft->kernel), "/dev/fuse");

  for (guint i = 0; servers != NULL && i < servers->len; i++)
    {
      const JankHolder *server = &g_array_index (servers, JankHolder, i);
      g_autofree char *connection = jank_holder_read_info (server, "fuse_connection:");

      if (connection != NULL && mount->major == 0 && strtoul (connection, NULL, 10) == mount->minor)
        jank_hop_add_peer (draft->hop, server->pid, 0);
    }
  if (draft->hop->n_peers != 0)
    draft->hop->kind = JANK_HOP_FUSE;
}

void
jank_hop_set_mount (JankHopDraft *draft, const JankMount *mount)
{
  gboolean is_remote = mount != NULL && jank_mounts_is_remote (mount->type);

  if (is_remote)
    draft->hop->kind = JANK_HOP_MOUNT;
  else if (draft->hop->kind == JANK_HOP_UNKNOWN && draft->look->state == 'D')
    draft->hop->kind = JANK_HOP_DISK;
  if (mount == NULL)
    return;
  g_strlcpy (draft->hop->filesystem, mount->type, sizeof draft->hop->filesystem);
  g_strlcpy (draft->hop->mount, mount->point, sizeof draft->hop->mount);
  if (is_remote && g_str_has_prefix (mount->type, "fuse"))
    jank_hop_add_fuse (draft, mount);
}
