/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions to be found on stacks, compiled in several ways: deep.c once per variant. */

#pragma once

#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

/* What the functions wait for: never there, so that each waits for its time-out. */
typedef struct
{
  int              pipe_fd;  /* readable never */
  int              timer_fd; /* readable every DEEP_WAIT_MS */
  int              epoll_fd;
  sem_t            sem;
  _Atomic uint32_t futex;
  atomic_bool      stop;
} DeepPlaces;

#define DEEP_WAIT_MS 5

/* Calls wait() until stop, two functions further in. */
typedef void (*DeepWait) (DeepPlaces *places);

typedef struct
{
  const char *name;
  long        number; /* of the system call */
  DeepWait    wait;
} DeepCall;

#define DEEP_N_CALLS 8

/* Every chain is root → outer → middle → what it is for. */
typedef struct
{
  const char *name;
  void (*root)   (DeepPlaces *places, DeepWait what);
  void (*outer)  (DeepPlaces *places, DeepWait what);
  void (*middle) (DeepPlaces *places, DeepWait what);

  DeepCall calls[DEEP_N_CALLS];

  DeepWait compute;  /* in its own body */
  DeepWait recurse;  /* 40 times itself, then compute */
  DeepWait allocate; /* alloca() of changing size, then compute */
  DeepWait sort;     /* compute as qsort()'s function */
  DeepWait clock;    /* clock_gettime(), which is in the vdso */
  DeepWait handle;   /* compute in a handler of SIGUSR1, that it raises; set by deep_catch() */
} DeepVariant;

extern const DeepVariant deep_o0, deep_o2_fp, deep_o2;

void deep_places_init  (DeepPlaces *places);
void deep_places_clear (DeepPlaces *places);

/* Makes variant's compute() the handler of SIGUSR1. */
void deep_catch        (const DeepVariant *variant, DeepPlaces *places);
