#define _GNU_SOURCE
#include "CBench.h"
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
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
