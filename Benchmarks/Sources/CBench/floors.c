#define _GNU_SOURCE
#include "CBench.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint64_t sink;

void bench_stay(int processor) {
  static cpu_set_t all;
  cpu_set_t one;
  if (CPU_COUNT(&all) == 0) sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int i = 0, place = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &all) && place++ == processor) CPU_SET(i, &one);
  sched_setaffinity(0, sizeof one, processor < 0 || CPU_COUNT(&one) == 0 ? &all : &one);
}

void bench_consume(uint64_t result) { sink = result; }

void bench_clock(long operations) {
  for (; operations > 0; operations--) sink = (uint64_t)bench_now();
}

void bench_coarse_clock(long operations) {
  struct timespec now;
  for (; operations > 0; operations--) {
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    sink = (uint64_t)now.tv_nsec;
  }
}

void bench_system_call(long operations) {
  for (; operations > 0; operations--) sink = (uint64_t)syscall(SYS_getppid);
}

void bench_lock_word(long operations) {
  static uint32_t word;
  for (; operations > 0; operations--) {
    uint32_t expected = 0;
    while (!__atomic_compare_exchange_n(&word, &expected, 7, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      expected = 0;
    __atomic_exchange_n(&word, 0, __ATOMIC_ACQ_REL);
  }
}

void bench_allocate(long operations) {
  for (; operations > 0; operations--) {
    void *volatile memory = malloc(64);
    free(memory);
  }
}

void bench_arithmetic(long operations) {
  uint64_t state = (uint64_t)operations;
  for (; operations > 0; operations--) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(state));
  }
  sink = state;
}

int bench_make_queue(const char *directory) {
  int queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (queue < 0 || inotify_add_watch(queue, directory, IN_MOVED_TO | IN_DELETE) < 0) return -1;
  return queue;
}

int bench_ask_queue(int queue, long operations) {
  int count = 0;
  for (; operations > 0; operations--)
    if (ioctl(queue, FIONREAD, &count) != 0) return -1;
  sink = (uint64_t)count;
  return 0;
}

int bench_make_file(const char *path, long size, int is_written) {
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || posix_fallocate(file, 0, size) != 0) return -1;
  if (is_written) {
    char *zeros = calloc(1, (size_t)size);
    if (!zeros || pwrite(file, zeros, (size_t)size, 0) != size) return -1;
    free(zeros);
  }
  return fsync(file) == 0 ? file : -1;
}

static long place;

static int write_next(int file, long size) {
  static uint64_t bytes[6];
  if (place + (long)sizeof bytes > size) place = 0;
  bytes[0]++;
  int isWhole = pwrite(file, bytes, sizeof bytes, place) == (ssize_t)sizeof bytes;
  place += (long)sizeof bytes;
  return isWhole ? 0 : -1;
}

int bench_write(int file, long size, long operations) {
  for (; operations > 0; operations--)
    if (write_next(file, size) != 0) return -1;
  return 0;
}

int bench_write_synchronize(int file, long size, long operations) {
  for (; operations > 0; operations--)
    if (write_next(file, size) != 0 || fdatasync(file) != 0) return -1;
  return 0;
}

struct waking {
  int64_t start;
  long seen;
  int is_ready;
  int64_t times[];
};

static _Noreturn void be_woken(const char *path, long count, struct waking *shared) {
  char events[4096];
  int queue = inotify_init1(IN_CLOEXEC);
  if (queue < 0 || inotify_add_watch(queue, path, IN_ACCESS) < 0) _exit(1);
  __atomic_store_n(&shared->is_ready, 1, __ATOMIC_RELEASE);
  while (shared->seen < count && read(queue, events, sizeof events) > 0) {
    shared->times[shared->seen] = bench_now() - __atomic_load_n(&shared->start, __ATOMIC_ACQUIRE);
    __atomic_add_fetch(&shared->seen, 1, __ATOMIC_RELEASE);
  }
  _exit(0);
}

long bench_wake(const char *path, unsigned pause, long count, int64_t times[]) {
  size_t size = sizeof(struct waking) + (size_t)count * sizeof *times;
  struct waking *shared =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  char byte = 0;
  if (shared == MAP_FAILED || pwrite(file, &byte, 1, 0) != 1) return -1;
  pid_t child = fork();
  if (child == 0) be_woken(path, count, shared);
  if (child < 0) return -1;
  for (int i = 0; i < 1000 && !__atomic_load_n(&shared->is_ready, __ATOMIC_ACQUIRE); i++)
    usleep(1000);
  for (long i = 0; i < count; i++) {
    usleep(pause);
    __atomic_store_n(&shared->start, bench_now(), __ATOMIC_RELEASE);
    if (pread(file, &byte, 1, 0) != 1) break;
  }
  usleep(100000);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  long seen = shared->seen;
  memcpy(times, shared->times, (size_t)seen * sizeof *times);
  munmap(shared, size);
  close(file);
  return seen;
}
