#define _GNU_SOURCE
#include "CStrata.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
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
  return strata_open_at(AT_FDCWD, path, flags, mode);
}

int strata_open_at(int directory, const char *name, int flags, uint32_t mode) {
  int descriptor;
  do descriptor = openat(directory, name, flags | O_CLOEXEC, mode);
  while (descriptor < 0 && errno == EINTR);
  return past_standard_streams(descriptor);
}

// A kernel before 5.6 has no such call, and filters of containers refuse what they don't know.
// Ordering: relaxed, as who does not see it yet asks the kernel once more.
static int has_no_openat2;

int strata_open_directory_without_links(const char *path) {
  if (__atomic_load_n(&has_no_openat2, __ATOMIC_RELAXED)) {
    errno = ELOOP;
    return -1;
  }
  struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                         .resolve = RESOLVE_NO_SYMLINKS};
  int descriptor;
  do descriptor = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  while (descriptor < 0 && (errno == EINTR || errno == EAGAIN));
  if (descriptor < 0 && (errno == ENOSYS || errno == EPERM)) {
    __atomic_store_n(&has_no_openat2, 1, __ATOMIC_RELAXED);
    errno = ELOOP;
  }
  return past_standard_streams(descriptor);
}

int strata_path_flag(void) { return O_PATH; }

int strata_is_missing(const char *directory, const char *name) {
  char path[PATH_MAX];
  size_t length = strlen(directory);
  if (length + strlen(name) + 2 > sizeof path) return 0;
  memcpy(path, directory, length);
  path[length] = '/';
  strcpy(path + length + 1, name);
  struct stat status;
  return lstat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

int strata_is_of_processes(const char *directory) {
  struct statfs status;
  return statfs(directory, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

int64_t strata_file_system_magic(const char *directory) {
  struct statfs status;
  return statfs(directory, &status) == 0 ? (int64_t)(uint32_t)status.f_type : -1;
}

uint64_t strata_open_files_max(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

uint64_t strata_file_size_max(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

int strata_make_feed(void) {
  return past_standard_streams(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
}

void strata_yield(void) { sched_yield(); }

static int is_of_no_room(int reason) {
  return reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EIO;
}

// After a call that found no room: whether others have added what was missing meanwhile.
static int is_long_enough(int descriptor, int64_t known, int64_t size) {
  int reason = errno;
  if (!is_of_no_room(reason)) return 0;
  struct stat status;
  int is_long = fstat(descriptor, &status) == 0 && status.st_size >= (known > size ? known : size);
  errno = reason;
  return is_long;
}

static int extend(int descriptor, int64_t known, int64_t size, int64_t piece) {
  // Zeros that are written, not only promised: else each first sync of a page would have to turn an
  // unwritten extent into a written one, which costs half as much again.
  static const char zeros[4096];
  struct iovec pages[16];
  int is_promised = 0;
  if (piece > (int64_t)sizeof zeros * 16) piece = (int64_t)sizeof zeros * 16;
  while (1) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    // Zeros must not take the place of what was cut off.
    if (status.st_size < known) {
      errno = ESTALE;
      return -1;
    }
    if (status.st_size >= size) return 0;
    int64_t rest = size - status.st_size;
    // A promise where the file system makes one. Where it has no room, nothing is written: zeros
    // would take what room there is, and nobody would give it back.
    if (!is_promised && fallocate(descriptor, FALLOC_FL_KEEP_SIZE, status.st_size, rest) != 0 &&
        is_of_no_room(errno))
      return is_long_enough(descriptor, status.st_size, size) ? 0 : -1;
    is_promised = 1;
    if (rest > piece) rest = piece;
    long count = 0;
    for (; rest > 0; rest -= (int64_t)sizeof zeros)
      pages[count++] = (struct iovec){
          (void *)zeros, rest < (int64_t)sizeof zeros ? (size_t)rest : sizeof zeros};
    // As calls of the kernel, this and `renameat2`: musl and older Bionics have no functions.
    ssize_t part = syscall(SYS_pwritev2, descriptor, pages, count, -1L, -1L, RWF_APPEND);
    known = status.st_size;
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return is_long_enough(descriptor, known, size) ? 0 : -1;
    // They were added where the file ended, which the call has moved the descriptor past: if that
    // is before the end that it had, it was cut off in between, and somebody else may have made it
    // longer again.
    off_t end = lseek(descriptor, 0, SEEK_CUR);
    if (end >= 0 && end - part < known) {
      errno = ESTALE;
      return -1;
    }
    known += part;
  }
}

int strata_extend(int descriptor, int64_t known, int64_t size, int64_t piece) {
  if (strata_file_size_max() == UINT64_MAX) return extend(descriptor, known, size, piece);
  // Where others add up to the limit just before, the kernel ends a process by a signal.
  const struct timespec now = {0, 0};
  sigset_t limit, before;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  int result = extend(descriptor, known, size, piece);
  int reason = errno;
  sigtimedwait(&limit, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = reason;
  return result;
}

int strata_rename(int from_directory, const char *from, int to_directory, const char *to,
                  unsigned flags) {
  return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
}

int strata_open_lookout(int queue) {
  int lookout = past_standard_streams(epoll_create1(EPOLL_CLOEXEC));
  struct epoll_event event = {.events = EPOLLIN};
  if (lookout < 0 || epoll_ctl(lookout, EPOLL_CTL_ADD, queue, &event) == 0) return lookout;
  close(lookout);
  return -1;
}

int strata_bytes_waiting(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

int strata_lock_byte(int descriptor, int64_t offset) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  if (fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return 0;
  return errno == EAGAIN || errno == EACCES ? 1 : -1;
}

void strata_unlock_byte(int descriptor, int64_t offset) {
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  fcntl(descriptor, F_OFD_SETLK, &lock);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STRATA_SANITIZED 1
#endif
#endif
#ifdef STRATA_SANITIZED
const bool strata_is_sanitized = true;
#else
const bool strata_is_sanitized = false;
#endif

// Nonzero also where the kernel has no random bytes yet.
uint64_t strata_seed_of_hashes = 0x9E3779B97F4A7C15;

__attribute__((constructor)) static void choose_seed(void) {
  uint64_t seed;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed) strata_seed_of_hashes = seed | 1;
}
