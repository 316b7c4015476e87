/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads this process's own memory without ever faulting: memory that another thread unmaps or frees
 * in the meantime gives a short read instead of a crash. Any thread; no locks; not for handlers. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the smallest pages that Linux has. Larger ones, of 16 or 64 KB, consist of such: some are asked more than once. */
#define JANK_MEMORY_PAGE_BYTES 4096

/* Addresses of programs have no more bits, unless a program asks for it. */
#if defined (__x86_64__)
#define JANK_MEMORY_ADDRESS_BITS 47
#else
#define JANK_MEMORY_ADDRESS_BITS 48
#endif

/* For a thread that never forks: reads of its own ask the system for the process's ID no more. */
void   jank_memory_keep_pid  (void);

/* Copies up to n_bytes from address; returns the number copied before the first unreadable page. */
size_t jank_memory_read      (uint64_t address, void *buffer, size_t n_bytes);

/* All of n_bytes or false. */
bool   jank_memory_read_all  (uint64_t address, void *buffer, size_t n_bytes);

/* A NUL-terminated string, cut to n_bytes - 1; false when its first byte is unreadable. */
bool   jank_memory_read_text (uint64_t address, char *buffer, size_t n_bytes);
