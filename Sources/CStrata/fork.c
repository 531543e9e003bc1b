#include "CStrata.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// A child of `fork` has one thread. Whatever lock another thread of the parent held in the Swift
// runtime stays locked in the child for ever, so that no Swift runs in the handlers after a fork:
// what they do is said here, and everything else waits until the child asks for it.

uint32_t strata_fork_count;

static void (*prepare)(void);

// Touched between `before` and `after` only, by the thread that forks.
static pthread_mutex_t **held;
static size_t held_count, held_room;

static pthread_mutex_t files_mutex = PTHREAD_MUTEX_INITIALIZER;
static int *files;
static size_t files_count, files_room;

void strata_fork_hold(pthread_mutex_t *mutex) {
  pthread_mutex_lock(mutex);
  if (held_count == held_room) {
    held_room = held_room ? 2 * held_room : 64;
    held = realloc(held, held_room * sizeof *held);
    if (!held) abort();
  }
  held[held_count++] = mutex;
}

static void before(void) {
  prepare();
  strata_fork_hold(&files_mutex);
}

static void after(void) {
  while (held_count > 0) pthread_mutex_unlock(held[--held_count]);
}

static void after_in_child(void) {
  while (files_count > 0) close(files[--files_count]);
  __atomic_add_fetch(&strata_fork_count, 1, __ATOMIC_RELEASE);
  after();
}

void strata_fork_prepare(void (*body)(void)) {
  prepare = body;
  pthread_atfork(before, after, after_in_child);
}

void strata_file_keep_from_child(int descriptor) {
  pthread_mutex_lock(&files_mutex);
  if (files_count == files_room) {
    files_room = files_room ? 2 * files_room : 64;
    files = realloc(files, files_room * sizeof *files);
    if (!files) abort();
  }
  files[files_count++] = descriptor;
  pthread_mutex_unlock(&files_mutex);
}

void strata_file_close(int descriptor) {
  pthread_mutex_lock(&files_mutex);
  for (size_t index = 0; index < files_count; index++) {
    if (files[index] != descriptor) continue;
    files[index] = files[--files_count];
    close(descriptor);
    break;
  }
  pthread_mutex_unlock(&files_mutex);
}
