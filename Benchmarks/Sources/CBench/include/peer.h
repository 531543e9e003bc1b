// What a peer written in C offers. Each is one file in `Peers/`, built into a shared object that
// exports `bench_peer`, so that one that can't be built is simply missing.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

enum bench_kind { BENCH_BOOLEAN = 0, BENCH_INTEGER = 1, BENCH_STRING = 2 };

/// Bytes in each string value.
#define BENCH_STRING_LENGTH 24

/// Loops stand in the peers, so that no call between languages is measured. Operations go round
/// the `key_count` keys. A function returns a negative number when it fails.
struct bench_peer {
  const char *name;
  /// The most keys that it can hold, and with which single sets, sets made durable, and filling
  /// key by key are worth measuring.
  long keys_max, set_keys_max, synchronize_keys_max, fill_keys_max;
  /// Whether another process that reads sees a set, without more.
  int is_coherent;

  /// NULL, and the reason in `reason`, when there can be no store.
  void *(*open)(const char *directory, char *reason, size_t reason_size);
  void (*close)(void *store);
  /// Prepares a store with these keys; the key at `i` has the kind `i % 3` and the value that
  /// `bench_boolean`, `bench_integer` or `bench_string` give for `i`. No store is open.
  int (*prepare)(const char *directory, const char *const *keys, long key_count);
  /// The sum of the values, or of the lengths of copies of strings.
  int64_t (*read)(void *store, int kind, const char *const *keys, long key_count, long operations);
  /// Gives integer keys the values `first`, `first + 1`, …
  int (*set)(void *store, const char *const *keys, long key_count, long operations, int64_t first);
  /// The same, and reads each back.
  int (*set_read)(
      void *store, const char *const *keys, long key_count, long operations, int64_t first);
  /// The same as `set`, and makes each durable before the next.
  int (*set_synchronize)(
      void *store, const char *const *keys, long key_count, long operations, int64_t first);
  /// Calls `told` with each new value of an integer key that another process sets, until it
  /// returns something else than 0; NULL where nothing tells.
  int (*observe)(
      void *store, const char *key, int (*told)(int64_t value, void *context), void *context);
};

const struct bench_peer *bench_peer(void);

static inline int bench_boolean(long index) { return index % 2 == 0; }
static inline int64_t bench_integer(long index) { return index; }
static inline const char *bench_string(void) { return "a value of 24 characters"; }

#endif
