/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What tests must know of the processor. */

#pragma once

#include <sys/syscall.h>

#if defined (__x86_64__)
#define PROCESSOR_PAUSE() __builtin_ia32_pause ()
#else
#define PROCESSOR_PAUSE() __asm__ volatile ("yield")
#endif

/* Processors younger than these calls have only their successors, which the C library makes in their place. */
#ifndef SYS_poll
#define SYS_poll SYS_ppoll
#endif
#ifndef SYS_select
#define SYS_select SYS_pselect6
#endif
#ifndef SYS_epoll_wait
#define SYS_epoll_wait SYS_epoll_pwait
#endif
