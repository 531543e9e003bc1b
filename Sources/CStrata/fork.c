#include "CStrata.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// A child of `fork` has one thread. Whatever lock another thread of the parent held in the Swift
// runtime stays locked in the child for ever, so that no Swift runs in the handlers after a fork:
// what they do is said here, and everything else waits until the child asks for it.

uint32_t strata_fork_count;

// Guards the list of locks and that of files; taken before all of ours at a fork.
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct strata_lock *locks;
static int *files;
static size_t files_count, files_room;

static void before(void) {
  pthread_mutex_lock(&registry);
  for (int rank = 0; rank < STRATA_LOCK_RANKS; rank++)
    for (struct strata_lock *lock = locks; lock; lock = lock->next)
      if (lock->rank == rank) pthread_mutex_lock(&lock->mutex);
}

static void after(void) {
  for (struct strata_lock *lock = locks; lock; lock = lock->next) pthread_mutex_unlock(&lock->mutex);
  pthread_mutex_unlock(&registry);
}

static void after_in_child(void) {
  while (files_count > 0) close(files[--files_count]);
  __atomic_add_fetch(&strata_fork_count, 1, __ATOMIC_RELEASE);
  after();
}

static void start(void) { pthread_atfork(before, after, after_in_child); }

struct strata_lock *strata_lock_make(int rank) {
  pthread_once(&once, start);
  struct strata_lock *lock = calloc(1, sizeof *lock);
  if (!lock || rank < 0 || rank >= STRATA_LOCK_RANKS) abort();
  pthread_mutex_init(&lock->mutex, NULL);
  lock->rank = rank;
  pthread_mutex_lock(&registry);
  lock->next = locks;
  lock->link = &locks;
  if (locks) locks->link = &lock->next;
  locks = lock;
  pthread_mutex_unlock(&registry);
  return lock;
}

void strata_lock_end(struct strata_lock *lock) {
  pthread_mutex_lock(&registry);
  *lock->link = lock->next;
  if (lock->next) lock->next->link = lock->link;
  pthread_mutex_unlock(&registry);
  pthread_mutex_destroy(&lock->mutex);
  free(lock);
}

void strata_file_keep_from_child(int descriptor) {
  pthread_mutex_lock(&registry);
  if (files_count == files_room) {
    files_room = files_room ? 2 * files_room : 64;
    files = realloc(files, files_room * sizeof *files);
    if (!files) abort();
  }
  files[files_count++] = descriptor;
  pthread_mutex_unlock(&registry);
}

void strata_file_close(int descriptor) {
  pthread_mutex_lock(&registry);
  for (size_t index = 0; index < files_count; index++) {
    if (files[index] != descriptor) continue;
    files[index] = files[--files_count];
    close(descriptor);
    break;
  }
  pthread_mutex_unlock(&registry);
}
