// Runs CStrata's own source on the processor and the C library that it is built for: the checksums,
// readers beside a writer that frees what they have left, and what others do to a file at the very
// moment at which it grows. Scripts/test builds it, with `syscall` wrapped.
#define _GNU_SOURCE
#include "CStrata.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect(int is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "failed: %s\n", what);
  exit(1);
}

// -- Checksums

static uint32_t by_definition(const uint8_t *bytes, size_t length) {
  uint32_t crc = ~(uint32_t)0;
  for (; length > 0; bytes++, length--) {
    crc ^= *bytes;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc;
}

static void check_sums(void) {
  uint8_t bytes[120];
  for (int index = 0; index < 120; index++) bytes[index] = (uint8_t)(index * index * 7 + 3);
  expect(strata_crc32c(0, "123456789", 9) == 0xe3069283, "the published sum");
  for (size_t start = 0; start < 9; start++) {
    for (size_t length = 0; length <= 100; length++) {
      uint32_t sum = by_definition(bytes + start, length);
      expect(strata_crc32c(0, bytes + start, length) == sum, "a sum");
      expect(strata_crc32c_portable(0, bytes + start, length) == sum, "a portable sum");
    }
  }
}

// -- Readers, as in Readers.swift

enum { READERS = 3, ALIVE = 1, FREED = 2 };
static uint64_t *current;
static int is_done;
static struct {
  uint64_t count;
  uint64_t line[7];  // one cache line each, so that the readers don't wait for one another
} reads[READERS];

static void *read_all_the_time(void *number) {
  uint64_t *own = &reads[(intptr_t)number].count;
  while (!__atomic_load_n(&is_done, __ATOMIC_RELAXED)) {
    struct strata_reader *self = strata_reader_self();
    __atomic_store_n(&self->count, self->count + 1, __ATOMIC_RELAXED);
    strata_reader_fence();
    uint64_t *object = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    expect(__atomic_load_n(object, __ATOMIC_RELAXED) == ALIVE, "what is reached is not freed");
    __atomic_store_n(&self->count, self->count + 1, __ATOMIC_RELEASE);
    __atomic_store_n(own, *own + 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

static int have_left(void) {
  strata_barrier_in_all_threads();
  for (struct strata_reader *reader = strata_reader_first(); reader; reader = reader->next) {
    uint64_t seen = __atomic_load_n(&reader->count, __ATOMIC_ACQUIRE);
    int tries = 1000;
    while (seen & 1 && __atomic_load_n(&reader->count, __ATOMIC_ACQUIRE) == seen)
      if (tries-- == 0) return 0;
  }
  return 1;
}

static uint64_t all_reads(void) {
  uint64_t sum = 0;
  for (int index = 0; index < READERS; index++)
    sum += __atomic_load_n(&reads[index].count, __ATOMIC_RELAXED);
  return sum;
}

// -- When the kernel is asked for barriers in all threads, which takes long if there are several

static void *wait_for_ever(void *unused) {
  for (;;) pause();
  return unused;
}

static void read_often(int count) {
  for (; count > 0; count--) {
    struct strata_reader *self = strata_reader_self();
    __atomic_store_n(&self->count, self->count + 1, __ATOMIC_RELAXED);
    strata_reader_fence();
    __atomic_store_n(&self->count, self->count + 1, __ATOMIC_RELEASE);
  }
}

static int needs_fence(void) {
  return __atomic_load_n(&strata_reader_needs_fence, __ATOMIC_ACQUIRE);
}

enum { AT_FIRST = 1, SOON = 2, LATER = 4 };

// An emulator may know none.
static int lacks_barriers(void) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
}

// When a process needs fences that reads alone, or beside a thread that does nothing.
static int needs_fences(int has_other_thread) {
  pid_t child = fork();
  if (child == 0) {
    pthread_t other;
    if (has_other_thread) pthread_create(&other, NULL, wait_for_ever, NULL);
    read_often(1);
    int found = needs_fence() ? AT_FIRST : 0;
    read_often(20);
    if (needs_fence()) found |= SOON;
    read_often(20000);
    int most = lacks_barriers() ? 1 : 600000;
    for (int tries = 0; needs_fence() && tries < most; tries++) usleep(1000);
    _exit(found | (needs_fence() ? LATER : 0));
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status), "a process that reads ends");
  return WEXITSTATUS(status);
}

static void check_when_barriers_are_used(void) {
  int has_none = lacks_barriers();
  int later = has_none ? LATER : 0;
#ifdef __GLIBC__  // others don't say that there is one thread
  expect(needs_fences(0) == (has_none ? AT_FIRST | SOON | LATER : AT_FIRST),
         "one thread needs fences for its first reads only");
#else
  expect((needs_fences(0) & LATER) == later, "a thread that reads often needs no fence");
#endif
  expect(needs_fences(1) == (AT_FIRST | SOON | later),
         "beside another thread, reads have fences for long, and not for ever");
}

static void check_readers(int rounds) {
  static uint64_t objects[2] = {ALIVE, FREED};
  current = objects;
  pthread_t threads[READERS];
  for (int index = 0; index < READERS; index++)
    expect(!pthread_create(&threads[index], NULL, read_all_the_time, (void *)(intptr_t)index),
           "a thread starts");
  while (all_reads() == 0) strata_yield();
  for (int round = 0; round < rounds; round++) {
    uint64_t *old = &objects[round % 2], *new = &objects[1 - round % 2];
    __atomic_store_n(new, ALIVE, __ATOMIC_RELAXED);
    __atomic_store_n(&current, new, __ATOMIC_RELEASE);
    while (!have_left()) strata_yield();
    __atomic_store_n(old, FREED, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&is_done, 1, __ATOMIC_RELAXED);
  for (int index = 0; index < READERS; index++) pthread_join(threads[index], NULL);
}

// -- Users

static void check_users(void) {
  struct strata_user user;
  pid_t child = fork();
  if (child == 0) {
    // Nothing can be opened, so nobody can say who there is.
    struct rlimit none = {0, 0};
    expect(setrlimit(RLIMIT_NOFILE, &none) == 0, "a limit");
    _exit(strata_user_with_id(12345678, &user) < 0 ? 0 : 1);
  }
  int status = 1;
  expect(child > 0 && waitpid(child, &status, 0) == child, "a child");
  expect(status == 0, "a lookup that fails is no missing user");
  expect(strata_user_named("no such user", &user) == 0, "a user who does not exist");
}

// -- Growing

enum { KNOWN = 128 << 10, CUT = 100 << 10, TARGET = 192 << 10 };
static int changed_file = -1;
static int has_room;

// What the linker makes of calls of `syscall`.
long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
  int file = changed_file;
  if (number != SYS_pwritev2 || file < 0) return __real_syscall(number, a, b, c, d, e, f);
  changed_file = -1;
  long added = -1;
  if (has_room) {
    // Somebody cuts it off just before, and another one makes it longer just after.
    expect(ftruncate(file, CUT) == 0, "a cut");
    added = __real_syscall(number, a, b, c, d, e, f);
  }
  expect(ftruncate(file, TARGET) == 0, "a growth");
  if (!has_room) errno = ENOSPC;
  return added;
}

static void check_growth(void) {
  char path[] = "/tmp/strata-checks-XXXXXX";
  int file = mkstemp(path), other = open(path, O_RDWR);
  expect(file >= 0 && other >= 0 && unlink(path) == 0, "a file");
  if (strata_extend(file, 0, 100000, 5000) != 0 && errno == ENOSYS) {
    puts("growing files is not checked: there is no pwritev2 here, as in QEMU");
    return;
  }
  expect(lseek(file, 0, SEEK_END) == 100000, "the length that was asked for");
  for (has_room = 0; has_room < 2; has_room++) {
    expect(ftruncate(file, KNOWN) == 0, "its length");
    changed_file = other;
    int result = strata_extend(file, KNOWN, TARGET, 1 << 16);
    if (has_room) {
      expect(result == -1 && errno == ESTALE, "who makes a file longer sees that it was cut off");
    } else {
      expect(result == 0, "a file that others made long enough needs no room");
    }
    expect(changed_file == -1, "the moment");
  }
}

// -- Lookouts

static char directory[] = "/tmp/strata-checks-XXXXXX";
enum { EDITS = 2000 };
static int edits, wanted;

static void edit(int number) {
  char old[64], new[64];
  snprintf(old, sizeof old, "%s/%d", directory, number % 2);
  snprintf(new, sizeof new, "%s/%d", directory, 1 - number % 2);
  expect(rename(old, new) == 0, "a renamed file");
}

// Another thread edits when it is asked to, and says so.
static void *edit_often(void *unused) {
  for (int number = 0; number < EDITS; number++) {
    while (__atomic_load_n(&wanted, __ATOMIC_ACQUIRE) <= number) strata_yield();
    edit(number);
    __atomic_store_n(&edits, number + 1, __ATOMIC_RELEASE);
  }
  return unused;
}

static void empty(int queue) {
  char events[4096];
  while (read(queue, events, sizeof events) > 0) {}
}

static int has_word(struct strata_lookout *lookout) {
  return __atomic_load_n(&lookout->word, __ATOMIC_RELAXED) != NULL;
}

// Whether looks at a queue in which nothing happens find a word sooner or later.
static int gets_word(struct strata_lookout *lookout) {
  // The word is tried by events of one's own.
  for (int look = 0; look < 1000 && !has_word(lookout); look++)
    if (strata_lookout_is_raised(lookout)) empty(lookout->queue);
  for (int look = 0; look < 100; look++)
    expect(!strata_lookout_is_raised(lookout), "nothing where nothing happened");
  return has_word(lookout);
}

static struct strata_lookout *make_lookout(void) {
  int queue = strata_make_feed();
  expect(queue >= 0 && inotify_add_watch(queue, directory, IN_MOVE) >= 0, "a queue");
  struct strata_lookout *lookout = strata_lookout_make(queue);
  expect(lookout != NULL, "a lookout");
  return lookout;
}

static void end_lookout(struct strata_lookout *lookout) {
  int descriptor = lookout->descriptor, queue = lookout->queue;
  strata_lookout_end(lookout);
  expect(close(descriptor) == 0 && close(queue) == 0, "the end of a lookout");
}

// What a child looks at: its parent's word is none of its own, and it gets one, but not where calls
// are filtered.
static void check_lookout_in_child(struct strata_lookout *parents, int is_filtered) {
  pid_t child = fork();
  if (child == 0) {
    expect(parents->word == NULL, "a child without its parent's word");
    struct sock_filter allow = {.code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW};
    struct sock_fprog filter = {.len = 1, .filter = &allow};
    if (is_filtered)
      expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                 prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0,
             "a filter");
    struct strata_lookout *lookout = make_lookout();
    expect(gets_word(lookout) != is_filtered, "a child's own word, unless it is filtered");
    edit(0);
    expect(strata_lookout_is_raised(lookout), "what a child did");
    edit(1);
    _exit(0);
  }
  int status = 1;
  expect(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child that looks");
}

static void check_lookouts(void) {
  expect(mkdtemp(directory) != NULL, "a directory");
  char path[64];
  snprintf(path, sizeof path, "%s/0", directory);
  expect(close(open(path, O_CREAT | O_RDWR, 0600)) == 0, "a file");
  strata_lookout_patience = 10;
  struct strata_lookout *lookout = make_lookout(), *other = make_lookout();
  int is_told = gets_word(lookout);
  // An emulator may know no asynchronous I/O.
  if (!is_told) puts("lookouts without a call are not checked: there is no io_setup here");
  expect(gets_word(other) == is_told && !has_word(lookout), "one word in a process");
  int at_word = 0;
  pthread_t editor;
  expect(pthread_create(&editor, NULL, edit_often, NULL) == 0, "a thread that edits");
  for (int number = 0; number < EDITS; number++) {
    // After an edit, it takes some looks until the kernel waits again.
    if (number % 2 == 0) gets_word(lookout);
    __atomic_store_n(&wanted, number + 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&edits, __ATOMIC_ACQUIRE) <= number) strata_yield();
    at_word += has_word(lookout);
    expect(strata_lookout_is_raised(lookout), "an edit that is over");
    expect(strata_lookout_is_raised(other), "the same, by a call");
    empty(lookout->queue);
    empty(other->queue);
  }
  pthread_join(editor, NULL);
  expect(!is_told || at_word >= EDITS / 2, "edits that the word told of");
  if (is_told) {
    expect(gets_word(lookout), "the word once more");
    check_lookout_in_child(lookout, 0);
    check_lookout_in_child(lookout, 1);
    expect(strata_lookout_is_raised(lookout), "what children did");
    empty(lookout->queue);
    empty(other->queue);
  }
  end_lookout(lookout);
  expect(!is_told || gets_word(other), "the word, given back");
  end_lookout(other);
  expect(unlink(path) == 0 && rmdir(directory) == 0, "an empty directory");
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 100000;
  check_sums();
  check_growth();
  check_users();
  check_when_barriers_are_used();
  check_readers(rounds);
  check_lookouts();
  printf("909 sums in two ways, %d objects freed beside %llu reads\n", rounds,
         (unsigned long long)all_reads());
  return 0;
}
