#define _GNU_SOURCE
#include "CStrata.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void strata_futex_wait(uint32_t *word, uint32_t expected, int64_t nanoseconds) {
  struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT, expected, &limit, NULL, 0);
}

void strata_futex_wake(uint32_t *word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

int strata_open(const char *path, int flags, uint32_t mode) {
  int descriptor;
  do descriptor = open(path, flags | O_CLOEXEC, mode);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

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
