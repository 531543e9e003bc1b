#include "CStrata.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// A child of `fork` has one thread. Whatever lock another thread of the parent held in the Swift
// runtime stays locked in the child for ever, so that no Swift runs in the handlers after a fork:
// what they do is said here, and everything else waits until the child asks for it.

uint32_t strata_fork_count;

// Every lock that was ever made, newest first. None is ever freed, and one that ended is made again
// only with its rank: so that a fork can take them all without a lock on the list. What was made
// after a fork has passed its rank, nobody can reach in the child: it is found by way of something
// of a lower rank, which the fork holds.
// Ordering: published by releasing, followed by acquiring.
static struct strata_lock *locks;
// Those of each rank that have ended.
static struct strata_lock *spare[STRATA_LOCK_RANKS];

// Of files, and of spare locks: the innermost lock of all.
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static int *files;
static size_t files_count, files_room;

static struct strata_lock *first_lock(void) { return __atomic_load_n(&locks, __ATOMIC_ACQUIRE); }

// Ordering: a hint to be patient, relaxed: the mutexes order everything else.
uint32_t strata_fork_waits;

// Mutexes are not fair: threads that take and give back one all the time would keep a fork, or
// another thread, waiting for seconds. A short nap of theirs is enough, and whoever holds another
// lock is late by no more.
void strata_lock_let_others_pass(void) {
  struct timespec nap = {0, 200000};
  nanosleep(&nap, NULL);
}

// Ordering: whether a thread is late is a hint.
void strata_lock_wait(struct strata_lock *lock) {
  const long patience = 2000000;
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += patience;
  if (end.tv_nsec >= 1000000000) {
    end.tv_nsec -= 1000000000;
    end.tv_sec++;
  }
  if (pthread_mutex_timedlock(&lock->mutex, &end) == 0) return;
  __atomic_add_fetch(&lock->late, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock->mutex);
  __atomic_sub_fetch(&lock->late, 1, __ATOMIC_RELAXED);
}

static void before(void) {
  __atomic_add_fetch(&strata_fork_waits, 1, __ATOMIC_RELAXED);
  for (int rank = 0; rank < STRATA_LOCK_RANKS; rank++) {
    for (struct strata_lock *lock = first_lock(); lock; lock = lock->next) {
      if (lock->rank != rank) continue;
      pthread_mutex_lock(&lock->mutex);
      lock->is_held = 1;
    }
  }
  pthread_mutex_lock(&registry);
}

static void after(void) {
  __atomic_store_n(&strata_fork_waits, 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&registry);
  for (struct strata_lock *lock = first_lock(); lock; lock = lock->next) {
    if (!lock->is_held) continue;
    lock->is_held = 0;
    pthread_mutex_unlock(&lock->mutex);
  }
}

static void after_in_child(void) {
  while (files_count > 0) close(files[--files_count]);
  // The threads that were late are the parent's.
  for (struct strata_lock *lock = first_lock(); lock; lock = lock->next) lock->late = 0;
  // Ordering: the child has one thread; those that it starts begin after this.
  __atomic_add_fetch(&strata_fork_count, 1, __ATOMIC_RELEASE);
  after();
}

// As the program is loaded: before any other handler that may use defaults, and for no call of the
// kernel's at a first read.
STRATA_FIRST static void start(void) {
  pthread_atfork(before, after, after_in_child);
}

static struct strata_lock *used_again(int rank) {
  pthread_mutex_lock(&registry);
  struct strata_lock *lock = spare[rank];
  if (lock) spare[rank] = lock->next_spare;
  pthread_mutex_unlock(&registry);
  return lock;
}

struct strata_lock *strata_lock_make(int rank) {
  if (rank < 0 || rank >= STRATA_LOCK_RANKS) abort();
  struct strata_lock *lock = used_again(rank);
  if (lock) return lock;
  lock = calloc(1, sizeof *lock);
  if (!lock) abort();
  pthread_mutex_init(&lock->mutex, NULL);
  lock->rank = rank;
  lock->next = first_lock();
  while (!__atomic_compare_exchange_n(&locks, &lock->next, lock, 0, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {}
  return lock;
}

void strata_lock_end(struct strata_lock *lock) {
  pthread_mutex_lock(&registry);
  lock->next_spare = spare[lock->rank];
  spare[lock->rank] = lock;
  pthread_mutex_unlock(&registry);
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
