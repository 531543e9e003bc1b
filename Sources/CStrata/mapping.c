#define _GNU_SOURCE
#include "CStrata.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct strata_mapping *first;
// How many records are free, and one that may be: so that nobody searches for long.
// Ordering: hints; who takes a record claims it by its base.
static size_t free_count;
static struct strata_mapping *last_freed;
static struct sigaction previous;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Runs in a signal handler: only atomic loads and system calls.
// Ordering: acquires the base before the length, and the length before the second look at the base;
// they are released in that order.
static int replace_with_zeros(uintptr_t address) {
  struct strata_mapping *mapping = __atomic_load_n(&first, __ATOMIC_ACQUIRE);
  for (; mapping; mapping = mapping->next) {
    uintptr_t base = __atomic_load_n(&mapping->base, __ATOMIC_ACQUIRE);
    size_t length = __atomic_load_n(&mapping->length, __ATOMIC_ACQUIRE);
    // Safety: whoever takes a record again stores another base before the length, so that a length
    // of a later mapping is never used with the base of an earlier one.
    if (__atomic_load_n(&mapping->base, __ATOMIC_ACQUIRE) != base) continue;
    if (base <= 1 || address < base || address - base >= length) continue;
    // Before the bytes change: whoever reads zeros, and then asks, is told.
    __atomic_store_n(&mapping->lost, 1, __ATOMIC_SEQ_CST);
    void *zeros = mmap((void *)base, length, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    return zeros != MAP_FAILED;
  }
  return 0;
}

static void on_bus_error(int signal, siginfo_t *info, void *context) {
  int is_access = info->si_code > 0;  // else somebody sent it, and there is no address
  if (is_access && replace_with_zeros((uintptr_t)info->si_addr)) return;
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    // Not ours: the access is repeated, or the signal sent again, and ends as it would have.
    sigaction(SIGBUS, &previous, NULL);
    if (!is_access) raise(signal);
  } else {
    previous.sa_handler(signal);
  }
}

static void start(void) {
  struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previous);
}

// Records are used again and never freed, and claimed without a lock: the handler and a child after
// fork find the list sound at any moment. A base of 1 marks a record that is being filled.
static int claim(struct strata_mapping *mapping) {
  uintptr_t free_record = 0;
  int is_mine = __atomic_compare_exchange_n(&mapping->base, &free_record, 1, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED);
  if (is_mine) __atomic_sub_fetch(&free_count, 1, __ATOMIC_RELAXED);
  return is_mine;
}

static struct strata_mapping *used_again(void) {
  struct strata_mapping *mapping = __atomic_exchange_n(&last_freed, NULL, __ATOMIC_ACQ_REL);
  if (mapping && claim(mapping)) return mapping;
  mapping = __atomic_load_n(&first, __ATOMIC_ACQUIRE);
  for (; mapping && __atomic_load_n(&free_count, __ATOMIC_RELAXED) > 0; mapping = mapping->next)
    if (claim(mapping)) return mapping;
  return NULL;
}

struct strata_mapping *strata_mapping_guard(void *base, size_t length) {
  pthread_once(&once, start);
  struct strata_mapping *mapping = used_again();
  if (!mapping) {
    mapping = calloc(1, sizeof *mapping);
    if (!mapping) abort();
    mapping->base = 1;
    mapping->next = __atomic_load_n(&first, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&first, &mapping->next, mapping, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {}
  }
  __atomic_store_n(&mapping->length, length, __ATOMIC_RELEASE);
  __atomic_store_n(&mapping->lost, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&mapping->base, (uintptr_t)base, __ATOMIC_RELEASE);
  return mapping;
}

void strata_mapping_release(struct strata_mapping *mapping) {
  // First: the count is never less than nothing.
  __atomic_add_fetch(&free_count, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&mapping->base, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&last_freed, mapping, __ATOMIC_RELEASE);
}

void strata_prefer_large_pages(void *memory, size_t size) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = ((uintptr_t)memory + page - 1) & ~(page - 1);
  uintptr_t end = ((uintptr_t)memory + size) & ~(page - 1);
  if (start < end) madvise((void *)start, end - start, MADV_HUGEPAGE);
}
