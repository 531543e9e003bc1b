#define _GNU_SOURCE
#include "CStrata.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

void strata_futex_wait(uint32_t *word, uint32_t expected, int64_t nanoseconds) {
  struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT, expected, &limit, NULL, 0);
}

void strata_futex_wake(uint32_t *word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

// A program whose standard streams are closed would write its output into our files.
static int past_standard_streams(int descriptor) {
  if (descriptor < 0 || descriptor > 2) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  int code = errno;
  close(descriptor);
  errno = code;
  return moved;
}

int strata_open(const char *path, int flags, uint32_t mode) {
  int descriptor;
  do descriptor = open(path, flags | O_CLOEXEC, mode);
  while (descriptor < 0 && errno == EINTR);
  return past_standard_streams(descriptor);
}

int strata_make_feed(void) {
  return past_standard_streams(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
}

void strata_yield(void) { sched_yield(); }

size_t strata_usable_size(const void *memory) { return malloc_usable_size((void *)memory); }

int strata_rename(const char *from, const char *to, unsigned flags) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, flags);
}

int strata_bytes_waiting(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

int strata_lock_byte(int descriptor, int64_t offset, int probe) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  if (fcntl(descriptor, probe ? F_OFD_GETLK : F_OFD_SETLK, &lock) == 0)
    return probe && lock.l_type != F_UNLCK;
  return errno == EAGAIN || errno == EACCES ? 1 : -1;
}

void strata_unlock_byte(int descriptor, int64_t offset) {
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  fcntl(descriptor, F_OFD_SETLK, &lock);
}

// Nonzero also where the kernel has no random bytes yet.
uint64_t strata_seed_of_hashes = 0x9E3779B97F4A7C15;

__attribute__((constructor)) static void choose_seed(void) {
  uint64_t seed;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed) strata_seed_of_hashes = seed | 1;
}
