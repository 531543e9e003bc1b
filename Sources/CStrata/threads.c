// Threads, whose types differ between C libraries.
#define _GNU_SOURCE
#include "CStrata.h"
#include <signal.h>
#include <stdlib.h>

struct start {
  void (*body)(void *argument);
  void *argument;
};

static void *run(void *start) {
  struct start own = *(struct start *)start;
  free(start);
  sigset_t bus;
  sigemptyset(&bus);
  sigaddset(&bus, SIGBUS);
  pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
  own.body(own.argument);
  return NULL;
}

int strata_thread_start(void (*body)(void *argument), void *argument) {
  struct start *start = malloc(sizeof *start);
  if (!start) return 0;
  *start = (struct start){body, argument};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  pthread_t thread;
  int code = pthread_create(&thread, &attributes, run, start);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  if (code != 0) free(start);
  return code == 0;
}

uintptr_t strata_thread_number(void) { return (uintptr_t)pthread_self(); }
