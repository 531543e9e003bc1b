// What Swift can't do without being measured itself: floors, counted allocations, plug-ins.
#ifndef CBENCH_H
#define CBENCH_H

#include "peer.h"
#include <stdint.h>
#include <time.h>

static inline int64_t bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Takes a result, so that the optimizer can't drop what made it.
void bench_consume(uint64_t result);

static inline void bench_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Keeps the calling thread on one of two processors, or (negative) lets it go.
void bench_stay(int processor);

/// How often this thread has allocated memory.
uint64_t bench_allocations(void);
/// Bytes in use, as the C library counts them.
uint64_t bench_bytes_in_use(void);

/// Loads a plug-in; NULL, and the reason, when it can't be.
const struct bench_peer *bench_load(const char *path, char *reason, size_t reason_size);

/// Nanoseconds from before a command is started, its output thrown away, until it has ended.
int64_t bench_command(char *const arguments[], int *status);

// -- Floors: each does one thing, `operations` times ------------------------------------------

void bench_clock(long operations);
void bench_coarse_clock(long operations);
void bench_system_call(long operations);
void bench_lock_word(long operations);
void bench_allocate(long operations);
void bench_arithmetic(long operations);
/// An inotify descriptor that watches `directory`, and asking it for events.
int bench_make_queue(const char *directory);
int bench_ask_queue(int queue, long operations);
/// A file of `size` bytes, its space reserved, or written to and made durable.
int bench_make_file(const char *path, long size, int is_written);
/// Writes 48 bytes after another into the file, from the start again at its end.
int bench_write(int file, long size, long operations);
int bench_write_synchronize(int file, long size, long operations);
/// Wakes another process by reading a byte, `count` times, with a pause of so many microseconds
/// before each. How many wake-ups there were, and what each took, in nanoseconds.
long bench_wake(const char *path, unsigned pause, long count, int64_t times[]);

#endif
