#define _GNU_SOURCE
#include "CStrata.h"
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread struct strata_reader *strata_this_reader;
int strata_reader_needs_fence = 1;

// Ordering: the list is published by releasing and followed by acquiring; a record that is free was
// released by its last thread, whose even count the next one acquires and goes on from.
static struct strata_reader *first;
static pthread_key_t exit_key;

// Whether the kernel makes barriers in all threads of this process, and whether it was asked to.
static int has_barriers, is_asked;

// How often a thread reads with a fence of its own before barriers are worth a call, and a thread.
enum { FIRST_READS = 16, FENCED_READS = 10000 };

// The C library's word on whether this is the process's only thread; not every C library has it.
extern char __libc_single_threaded __attribute__((weak));

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

// Has the kernel make barriers in all threads, instead of a fence in every read. In a process of
// one thread that takes it 0.3 us; if there are more, it waits until every processor has scheduled:
// 12 ms and more.
static void use_barriers(void *unused) {
  (void)unused;
  if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0) return;
  __atomic_store_n(&has_barriers, 1, __ATOMIC_RELAXED);
  // Pairs with the fence in `is_alone`: whoever reads without a fence from now on sees what was
  // unlinked by a writer that did not know yet.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&strata_reader_needs_fence, 0, __ATOMIC_RELAXED);
}

static int is_only_thread(void) { return &__libc_single_threaded && __libc_single_threaded; }

void strata_reader_full_fence(void) {
  __sync_synchronize();
  if (strata_this_reader->count < 2 * FIRST_READS) return;
  if (__atomic_load_n(&is_asked, __ATOMIC_RELAXED)) return;
  int is_cheap = is_only_thread();
  if (!is_cheap && strata_this_reader->count < 2 * FENCED_READS) return;
  if (__atomic_exchange_n(&is_asked, 1, __ATOMIC_RELAXED)) return;
  if (is_cheap) use_barriers(NULL);
  else strata_thread_start(use_barriers, NULL);
}

static void leave(void *record) {
  struct strata_reader *reader = record;
  strata_this_reader = NULL;
  __atomic_store_n(&reader->taken, 0, __ATOMIC_RELEASE);
}

// The child has one thread: what the others were reading, nobody reads there.
static void after_fork_in_child(void) {
  for (struct strata_reader *reader = first; reader; reader = reader->next) {
    if (reader == strata_this_reader) continue;
    reader->count &= ~(uint64_t)1;
    reader->taken = 0;
  }
  if (__atomic_load_n(&is_asked, __ATOMIC_RELAXED)) use_barriers(NULL);
}

STRATA_FIRST static void start(void) {
  pthread_key_create(&exit_key, leave);
  pthread_atfork(NULL, NULL, after_fork_in_child);
}

struct strata_reader *strata_reader_first(void) {
  return __atomic_load_n(&first, __ATOMIC_ACQUIRE);
}

// Records of threads that ended are used again; none is ever freed, so that the list needs no lock.
struct strata_reader *strata_reader_register(void) {
  struct strata_reader *reader;
  for (reader = strata_reader_first(); reader; reader = reader->next) {
    uint32_t free_record = 0;
    if (__atomic_compare_exchange_n(&reader->taken, &free_record, 1, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      break;
  }
  if (!reader) {
    reader = aligned_alloc(64, 64);
    if (!reader) abort();
    *reader = (struct strata_reader){.taken = 1, .next = strata_reader_first()};
    while (!__atomic_compare_exchange_n(&first, &reader->next, reader, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {}
  }
  // Pairs with the fence in `is_alone`: whoever is not seen there sees what was unlinked before.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  strata_this_reader = reader;
  pthread_setspecific(exit_key, reader);
  return reader;
}

// Whether no other thread has ever read: then there is none to wait for, and none to interrupt.
static int is_alone(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  struct strata_reader *reader = strata_reader_first();
  return !reader || (reader == strata_this_reader && !reader->next);
}

void strata_barrier_in_all_threads(void) {
  if (is_alone()) return;
  // Else every read has a fence.
  if (__atomic_load_n(&has_barriers, __ATOMIC_RELAXED))
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
