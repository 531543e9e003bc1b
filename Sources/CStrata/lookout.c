#define _GNU_SOURCE
#include "CStrata.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A queue of changes hangs in an epoll descriptor: the kernel raises that before the call returns
// that makes the change, and it answers in two thirds of the time that the queue takes.
//
// Who looks often need not even ask. The kernel's asynchronous I/O waits for descriptors, and
// writes down in memory of this process what has happened: before the call returns that makes it
// happen. (It does so for an epoll descriptor, which says what has happened to it. For a queue,
// which does not, it would do it later, by a thread of its own.) So where what it writes ends is a
// word that tells, as long as somebody waits: the bell.
//
// That it is moved before the call returns is how the kernel does it, and no promise. So it is
// tried first, by events that this process makes itself; and nothing but the order of an edit and a
// set that follows at once depends on it, since reads ask by a call.
//
// To take that memory down, at the end of the process, takes the kernel some 30 ms. So it is set up
// only after so many looks that these took longer.

uint32_t strata_lookout_patience = 1 << 18;

// After an event looks ask again for so long: to wait for each of many would cost more.
enum { PAUSE = 64, TRIALS = 8 };

// What the kernel maps, at the address that is the context's number; libaio reads it likewise.
struct ring {
  uint32_t id, count, head, tail, magic;
};
static const uint32_t ring_magic = 0xa10a10a1;

// The bare call: the C library's may be cancelled, which nobody may be under a lock, and in a
// process of several threads it says so before and after.
int strata_is_anything_readable(int lookout) {
  struct epoll_event event;
#ifdef SYS_epoll_wait
  return syscall(SYS_epoll_wait, lookout, &event, 1, 0) != 0;
#else
  return syscall(SYS_epoll_pwait, lookout, &event, 1, 0, NULL, 0) != 0;
#endif
}

// Ordering: whoever has made `is_busy` 1 uses the rest.
static struct {
  int is_busy, is_none;
  aio_context_t context;
  struct strata_lookout *user;
  // Whether the kernel was asked to wait, and the answer is yet to be taken.
  int is_pending;
  // Where the tail was when it was asked.
  uint32_t tail;
  // How often the kernel has moved the word in time.
  int trials;
  struct iocb request;
} bell;

static struct ring *ring(void) { return (struct ring *)(uintptr_t)bell.context; }

static int try_to_begin(void) {
  return !__atomic_exchange_n(&bell.is_busy, 1, __ATOMIC_ACQUIRE);
}

static void end(void) { __atomic_store_n(&bell.is_busy, 0, __ATOMIC_RELEASE); }

// A filter of system calls may end the process for a call that it does not expect, and these would
// come late in its life. By bare calls, since the C library's may be cancelled.
static int may_be_filtered(void) {
  char text[4096];
  int status =
      (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/status", O_RDONLY | O_CLOEXEC, 0);
  if (status < 0) return 1;
  long count = syscall(SYS_read, status, text, sizeof text - 1);
  syscall(SYS_close, status);
  if (count <= 0 || count == sizeof text - 1) return 1;
  text[count] = 0;
  const char *line = strstr(text, "\nSeccomp:");
  return line && strncmp(line, "\nSeccomp:\t0\n", 12) != 0;
}

// The child has no context, though it has the memory until the parent ends.
static void after_fork_in_child(void) {
  if (bell.user) __atomic_store_n(&bell.user->word, NULL, __ATOMIC_RELAXED);
  memset(&bell, 0, sizeof bell);
}

STRATA_FIRST static void start(void) {
  pthread_atfork(NULL, NULL, after_fork_in_child);
}

static int has_context(void) {
  if (bell.is_none) return 0;
  bell.is_none = 1;
  // Each time: a filter may have come since.
  if (may_be_filtered()) return 0;
  if (!bell.context && syscall(SYS_io_setup, 1, &bell.context) != 0) return 0;
  bell.is_none = ring()->magic != ring_magic;
  return !bell.is_none;
}

static int take_answer(struct timespec patience) {
  struct io_event event;
  long count = 0;
  if (!bell.is_pending) return 1;
  do count = syscall(SYS_io_getevents, bell.context, 1, 1, &event, &patience);
  while (count < 0 && errno == EINTR);
  bell.is_pending = count != 1;
  return !bell.is_pending;
}

// Whether there is an event in the queue, or one that a thread has taken from it and has not told.
// Ordering: who finds the queue empty sees that somebody took what was in it; who finds that nobody
// tells any more acquires what was told.
static int is_anything_untold(struct strata_lookout *lookout) {
  if (strata_is_anything_readable(lookout->descriptor)) return 1;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return __atomic_load_n(&lookout->tellers, __ATOMIC_ACQUIRE) != 0;
}

void strata_lookout_begin_telling(struct strata_lookout *lookout) {
  __atomic_add_fetch(&lookout->tellers, 1, __ATOMIC_SEQ_CST);
}

void strata_lookout_end_telling(struct strata_lookout *lookout) {
  __atomic_sub_fetch(&lookout->tellers, 1, __ATOMIC_RELEASE);
}

// Makes an event, which somebody has to take from the queue.
// Returns whether the kernel tells of it.
static int try_bell(struct strata_lookout *lookout) {
  int watch = inotify_add_watch(lookout->queue, "/dev/zero", IN_DELETE_SELF);
  int has_event = watch >= 0 && inotify_rm_watch(lookout->queue, watch) == 0;
  return has_event && __atomic_load_n(&ring()->tail, __ATOMIC_ACQUIRE) != bell.tail;
}

// From now on who used it asks by a call. (Whoever has already found the word finds it moved: to
// give up waiting is an answer, too.)
static void take_bell_from_user(void) {
  struct io_event event;
  __atomic_store_n(&bell.user->word, NULL, __ATOMIC_RELEASE);
  bell.user = NULL;
  if (!bell.is_pending) return;
  bell.is_none = bell.is_none || may_be_filtered();
  if (bell.is_none) return;
  syscall(SYS_io_cancel, bell.context, &bell.request, &event);
  if (!take_answer((struct timespec){1, 0})) bell.is_none = 1;
}

// Has the kernel wait for the lookout, so that its word tells from then on.
// Returns whether there was something already.
static int hang_bell(struct strata_lookout *lookout) {
  if (!has_context()) return 0;
  // It is the newest queue that sets look at.
  if (bell.user && bell.user != lookout) take_bell_from_user();
  if (bell.is_none) return 0;
  bell.user = lookout;
  // There may be no answer yet: another thread was late to say that there was one before.
  if (take_answer((struct timespec){0, 0})) {
    struct iocb *requests[] = {&bell.request};
    bell.request = (struct iocb){.aio_lio_opcode = IOCB_CMD_POLL,
                                 .aio_fildes = (uint32_t)lookout->descriptor,
                                 .aio_buf = POLLIN};
    bell.tail = __atomic_load_n(&ring()->tail, __ATOMIC_RELAXED);
    if (syscall(SYS_io_submit, bell.context, 1, requests) != 1) {
      bell.is_none = 1;
      return 0;
    }
    bell.is_pending = 1;
  }
  // Only now: what comes while the kernel begins to wait it may write down late.
  if (is_anything_untold(lookout)) return 1;
  if (bell.trials < TRIALS) {
    bell.trials++;
    bell.is_none = !try_bell(lookout);
    return 1;
  }
  // Ordering: releases what was told; whoever finds the tail there sees that.
  __atomic_store_n(&lookout->known_tail, bell.tail, __ATOMIC_RELEASE);
  __atomic_store_n(&lookout->word, &ring()->tail, __ATOMIC_RELEASE);
  return 0;
}

// Ordering: counts and limits only say when to do what may be done at any time.
int strata_lookout_ask(struct strata_lookout *lookout) {
  if (__atomic_load_n(&lookout->word, __ATOMIC_RELAXED)) {
    __atomic_store_n(&lookout->looks_left, PAUSE, __ATOMIC_RELAXED);
    __atomic_store_n(&lookout->word, NULL, __ATOMIC_RELEASE);
    return 1;
  }
  if (is_anything_untold(lookout)) return 1;
  uint32_t left = __atomic_load_n(&lookout->looks_left, __ATOMIC_RELAXED);
  __atomic_store_n(&lookout->looks_left, left ? left - 1 : PAUSE, __ATOMIC_RELAXED);
  if (left || !try_to_begin()) return 0;
  int is_raised = __atomic_load_n(&lookout->word, __ATOMIC_RELAXED) ? 0 : hang_bell(lookout);
  end();
  return is_raised;
}

struct strata_lookout *strata_lookout_make(int queue) {
  struct strata_lookout *lookout = calloc(1, sizeof *lookout);
  if (!lookout) return NULL;
  lookout->queue = queue;
  lookout->descriptor = strata_open_lookout(queue);
  int is_set_up = __atomic_load_n(&bell.context, __ATOMIC_RELAXED) != 0;
  lookout->looks_left = is_set_up ? PAUSE : strata_lookout_patience;
  if (lookout->descriptor >= 0) return lookout;
  free(lookout);
  return NULL;
}

void strata_lookout_end(struct strata_lookout *lookout) {
  while (!try_to_begin()) strata_yield();
  if (bell.user == lookout) take_bell_from_user();
  end();
  free(lookout);
}
