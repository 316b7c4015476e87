/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a sanitizer's build cannot show. */

#pragma once

#if defined (__SANITIZE_THREAD__)
#define HAS_TSAN 1
#elif defined (__has_feature)
#if __has_feature (thread_sanitizer)
#define HAS_TSAN 1
#endif
#endif

#if defined (__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined (__has_feature)
#if __has_feature (address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

/* Clang's thread sanitizer delivers a signal at the next call that it intercepts, with the registers of when
 * it came: stacks read then are of no moment at all, and a call that the signal ended cannot be put back. */
#ifndef HAS_TSAN
#define HAS_TSAN 0
#endif

#ifndef HAS_ASAN
#define HAS_ASAN 0
#endif

/* Either puts functions of its own between a program and the C library. */
#define HAS_INTERCEPTORS (HAS_TSAN || HAS_ASAN)
