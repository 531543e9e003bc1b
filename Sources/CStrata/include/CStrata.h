// What Swift cannot say: hardware checksums, thread-local storage, futexes, signal handlers,
// variadic system calls.
#ifndef CSTRATA_H
#define CSTRATA_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/// CRC-32C (Castagnoli) of `length` bytes: start with 0, pass a result on to continue.
uint32_t strata_crc32c(uint32_t seed, const void *bytes, size_t length);

/// The same as a processor without an instruction for it computes it, so that both can be compared.
uint32_t strata_crc32c_portable(uint32_t seed, const void *bytes, size_t length);

/// The first 128 bits of a SHA-256.
struct strata_hash {
  uint64_t high;
  uint64_t low;
};

struct strata_hash strata_sha256(const void *bytes, size_t length);

/// For a function that runs as the program is loaded, before those of others, who may use defaults.
#define STRATA_FIRST __attribute__((constructor(101)))

// -- Readers that take no lock ---------------------------------------------------------------

/// One thread that reads. `count` is odd while it is inside a read; only its thread writes it.
struct strata_reader {
  uint64_t count;
  struct strata_reader *next;
  uint32_t taken;
};

extern __thread struct strata_reader *strata_this_reader
    __attribute__((tls_model("initial-exec")));

/// Whether each read needs a fence, since the kernel makes no barriers in this process's threads:
/// it was not asked yet, or knows none.
extern int strata_reader_needs_fence;

/// The fence; after many of them, the kernel is asked for barriers.
void strata_reader_full_fence(void);

struct strata_reader *strata_reader_register(void);

/// This thread's record, made at its first read.
static inline struct strata_reader *strata_reader_self(void) {
  struct strata_reader *reader = strata_this_reader;
  return __builtin_expect(reader != NULL, 1) ? reader : strata_reader_register();
}

/// The first of all threads' records; follow `next`.
struct strata_reader *strata_reader_first(void);

/// Returns once every thread of this process that reads, or is about to, has passed a full memory
/// barrier, or will pass one before it loads a pointer.
void strata_barrier_in_all_threads(void);

/// Keeps the compiler from moving memory accesses across; a real fence only where needed. The load
/// acquires: who finds that no fence is needed sees what was unlinked before the kernel was asked.
static inline void strata_reader_fence(void) {
  __asm__ volatile("" ::: "memory");
  if (__builtin_expect(__atomic_load_n(&strata_reader_needs_fence, __ATOMIC_ACQUIRE), 0))
    strata_reader_full_fence();
}

// -- Mappings that outlive their file ----------------------------------------------------------

/// A mapped file. When someone truncates it, touching it maps zeros instead of raising SIGBUS,
/// and `lost` is set.
struct strata_mapping {
  uintptr_t base;
  size_t length;
  uint32_t lost;
  struct strata_mapping *next;
};

struct strata_mapping *strata_mapping_guard(void *base, size_t length);
void strata_mapping_release(struct strata_mapping *mapping);

// Ordering: acquires for the thread that has touched the mapping: the handler ran on it, or the
// zeros that it read were mapped before.
static inline int strata_mapping_is_lost(const struct strata_mapping *mapping) {
  return __atomic_load_n(&mapping->lost, __ATOMIC_ACQUIRE) != 0;
}

// -- Around a fork -----------------------------------------------------------------------------

/// How many forks lie between this process and the one that loaded the library.
// Ordering: see `after_in_child`.
extern uint32_t strata_fork_count;

static inline uint32_t strata_forks(void) {
  return __atomic_load_n(&strata_fork_count, __ATOMIC_ACQUIRE);
}

/// A lock that is taken before each fork and given back after it by parent and child, so that the
/// child finds whole what it guards. Those of lower ranks are taken first.
struct strata_lock {
  pthread_mutex_t mutex;
  struct strata_lock *next;
  struct strata_lock *next_spare;
  int rank;
  uint32_t is_held;  // by a fork
  uint32_t late;     // threads that have waited for long
};

#define STRATA_LOCK_RANKS 16

extern uint32_t strata_fork_waits;
void strata_lock_let_others_pass(void);
void strata_lock_wait(struct strata_lock *lock);

static inline void strata_lock_take(struct strata_lock *lock) {
  if (__builtin_expect(__atomic_load_n(&strata_fork_waits, __ATOMIC_RELAXED), 0) ||
      __builtin_expect(__atomic_load_n(&lock->late, __ATOMIC_RELAXED), 0))
    strata_lock_let_others_pass();
  if (pthread_mutex_trylock(&lock->mutex) != 0) strata_lock_wait(lock);
}

static inline bool strata_lock_try(struct strata_lock *lock) {
  return pthread_mutex_trylock(&lock->mutex) == 0;
}

static inline void strata_lock_give(struct strata_lock *lock) {
  pthread_mutex_unlock(&lock->mutex);
}

struct strata_lock *strata_lock_make(int rank);
void strata_lock_end(struct strata_lock *lock);

/// A child's copy of `descriptor` is closed before `fork` returns there.
void strata_file_keep_from_child(int descriptor);

/// Closes a descriptor that is kept from children, in the process that opened it.
void strata_file_close(int descriptor);

// -- Threads -----------------------------------------------------------------------------------

/// Runs `body` on a new detached thread with all signals but SIGBUS blocked, so that the program's
/// handlers run where the program expects them. 0: the system has no thread to give.
int strata_thread_start(void (*body)(void *argument), void *argument);

/// A number that no other thread has while this one runs; not 0.
uintptr_t strata_thread_number(void);

// -- System calls ------------------------------------------------------------------------------

/// Nanoseconds of the monotonic clock, as of the last timer tick: no system call.
static inline int64_t strata_coarse_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Sleeps while `*word` is `expected`, at most `nanoseconds`.
void strata_futex_wait(uint32_t *word, uint32_t expected, int64_t nanoseconds);
void strata_futex_wake(uint32_t *word, int count);

/// How many files this process may have open, and how large it may make one; UINT64_MAX if nothing
/// limits that.
uint64_t strata_open_files_max(void);
uint64_t strata_file_size_max(void);

/// A queue for changes in directories.
int strata_make_feed(void);

/// Lets other threads and processes run first.
void strata_yield(void);

int strata_open(const char *path, int flags, uint32_t mode);
/// Adds zeros at the end of a file until it is that long; 0, or -1 with a reason in errno, which is
/// ESTALE if it is shorter than `known`. Where the file system says that there is no room for all,
/// none are added. Only ever adds, so that any number of processes may do it while others write
/// what is there. They are written in pieces of so many bytes, 64 KiB at most.
int strata_extend(int descriptor, int64_t known, int64_t size, int64_t piece);
int strata_open_at(int directory, const char *name, int flags, uint32_t mode);

/// Opens a directory, for its place only; -1 with ELOOP where a link is on the way, or where the
/// kernel can't tell.
int strata_open_directory_without_links(const char *path);

/// What opens a file, directory or link for its place only.
int strata_path_flag(void);

/// Nonzero if nothing has this name in a directory, not even a link, whoever made the way to it.
int strata_is_missing(const char *directory, const char *name);

/// Nonzero where a directory is of the kernel's file system about processes.
int strata_is_of_processes(const char *directory);

/// The number of a directory's type of file system; -1, and `errno`, where it can't be asked for.
int64_t strata_file_system_magic(const char *directory);

int strata_rename(int from_directory, const char *from, int to_directory, const char *to,
                  unsigned flags);

/// A descriptor by which `strata_is_anything_readable` tells, as soon as there is something,
/// whether `queue` can be read. Negative if none can be had.
int strata_open_lookout(int queue);
int strata_is_anything_readable(int lookout);

/// Tells whether a queue can be read. `known_tail` is what `word` was when the kernel began to
/// wait; without a word, the kernel is to be asked.
struct strata_lookout {
  int queue, descriptor;
  uint32_t known_tail;
  const uint32_t *word;
  uint32_t looks_left, tellers;
};

/// After how many looks the kernel is asked for a word.
extern uint32_t strata_lookout_patience;

/// NULL if none can be had.
struct strata_lookout *strata_lookout_make(int queue);

/// Frees it; does not close the descriptor.
void strata_lookout_end(struct strata_lookout *lookout);

int strata_lookout_ask(struct strata_lookout *lookout);

/// Between the two, what was taken from the queue counts as if it were there.
void strata_lookout_begin_telling(struct strata_lookout *lookout);
void strata_lookout_end_telling(struct strata_lookout *lookout);

/// Whether there may be something. Whoever gets a yes has to read the queue.
// Ordering: the word is the kernel's, changed before the call returns that makes the event.
// Acquires what others took from the queue before the word was known.
static inline int strata_lookout_is_raised(struct strata_lookout *lookout) {
  const uint32_t *word = __atomic_load_n(&lookout->word, __ATOMIC_ACQUIRE);
  if (__builtin_expect(word != NULL, 1) &&
      __atomic_load_n(word, __ATOMIC_ACQUIRE) ==
          __atomic_load_n(&lookout->known_tail, __ATOMIC_ACQUIRE))
    return 0;
  return strata_lookout_ask(lookout);
}

/// Bytes that can be read from `descriptor` without waiting, or -1.
int strata_bytes_waiting(int descriptor);

/// Tries to take an open-file-description lock on one byte.
/// 0: taken; 1: somebody else holds it; -1: errno says why not.
int strata_lock_byte(int descriptor, int64_t offset);
void strata_unlock_byte(int descriptor, int64_t offset);

/// What hashes of keys begin with: another number in each process, chosen before `main`.
extern uint64_t strata_seed_of_hashes;
static inline uint64_t strata_hash_seed(void) { return strata_seed_of_hashes; }

/// Whether an address sanitizer sees all memory that is allocated.
extern const bool strata_is_sanitized;

/// Has the processor fetch a line of memory; any address will do.
static inline void strata_prefetch(const void *address) { __builtin_prefetch(address); }

static inline bool strata_equal(const void *left, const void *right, size_t length) {
  return length == 0 || memcmp(left, right, length) == 0;
}

/// A user in the password database; the texts live until it is released.
struct strata_user {
  uint32_t id;
  uint32_t group;
  const char *name;
  const char *home;
  void *memory;
};

/// 1: found, and to be released; 0: there is no such user; negative: why nobody can say.
int strata_user_named(const char *name, struct strata_user *user);
int strata_user_with_id(uint32_t id, struct strata_user *user);
void strata_user_release(struct strata_user *user);

/// The effective user of this process. Between `hold` and `release`, which may be nested, the
/// kernel is asked once: what a thread does at one go, it does for one user.
uint32_t strata_effective_user(void);
void strata_hold_user(void);
void strata_release_held_user(void);

/// Nonzero in a process that has rights which whoever started it has not.
int strata_is_set_uid(void);

/// Hints that memory of this size is to be used soon, as a whole.
void strata_prefer_large_pages(void *memory, size_t size);

// -- Programs ----------------------------------------------------------------------------------

/// The program's arguments, its name first, as the C library knows them; 0 and NULL if it doesn't.
int strata_argument_count(void);
/// Whether one of them, after the program's name, begins with a hyphen, as far as is known.
int strata_may_have_options(void);
char *strata_argument(int index);

/// Runs a program until it ends; meanwhile the terminal's signals are for it alone.
/// Its exit code, 128 more than the signal that ended it, or -1: errno says why it did not start.
int strata_run(const char *path, char *const arguments[]);

/// Puts a program in this one's place, with the signals that a program starts with.
/// Returns only if that fails.
void strata_become(const char *path, char *const arguments[]);

/// What would end or interrupt this process waits from the one until the other.
void strata_hold_signals(void);
void strata_release_signals(void);

/// From now on, such a signal is for `strata_await_end`, on whatever thread it comes: the first
/// thread of a program with tasks waits for signals with none of them held.
void strata_catch_signals(void);

/// Waits until a signal comes that is held or caught, and returns it, or until nobody reads from
/// `output` any more: 0.
int strata_await_end(int output);

/// Starts a program that runs beside this one, with what it prints appended to a file.
/// Its standard input, which ends when this process does; or -1: errno says why it did not start.
int strata_start(char *const arguments[], const char *output, pid_t *child);
/// Whether such a program has ended, which `strata_end` still waits for.
bool strata_has_ended(pid_t child);
/// Closes a program's input, and waits until it ends.
void strata_end(int input, pid_t child);

/// A port of this machine that nobody listens to, or -1.
int strata_free_port(void);

/// Sends a line to a service manager's socket, as `sd_notify` does; -1 if that fails.
int strata_notify(const char *path, const char *text);

/// Tells the kernel that the calling thread waits in user space.
static inline void strata_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif
