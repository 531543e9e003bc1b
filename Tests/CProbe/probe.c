#define _GNU_SOURCE
#include "CProbe.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PROBE_SANITIZED 1
#endif
#endif

static uint64_t allocations;

uint64_t probe_allocations(void) { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }

pid_t probe_fork(void) { return fork(); }

void probe_end_after(unsigned seconds) {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
  alarm(seconds);
}

#ifndef PROBE_SANITIZED
// The executable's functions take the place of the C library's for every library in the process.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size) {
  __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_realloc(old, size);
}
#endif
