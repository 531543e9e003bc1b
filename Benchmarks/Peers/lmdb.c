// LMDB, with one read transaction per read and one write transaction per set; not synced unless
// asked: kill-safe and seen by everyone.
// packages: liblmdb-dev
// flags: -llmdb
#include "peer.h"
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct store {
  long number;
  MDB_env *env;
  MDB_dbi table;
};

static long stores;
static __thread MDB_txn *reader;
static __thread long reader_number;  // of the store that it reads

static void *open_store(const char *directory, char *reason, size_t reason_size) {
  struct store *store = calloc(1, sizeof *store);
  MDB_txn *txn;
  store->number = ++stores;
  int code = mdb_env_create(&store->env);
  if (!code) code = mdb_env_set_mapsize(store->env, 1ul << 30);
  if (!code) code = mdb_env_open(store->env, directory, MDB_NOSYNC, 0600);
  if (!code) code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
  if (!code) code = mdb_dbi_open(txn, NULL, 0, &store->table);
  if (!code) code = mdb_txn_commit(txn);
  if (!code) return store;
  snprintf(reason, reason_size, "%s", mdb_strerror(code));
  return NULL;
}

static void close_store(void *pointer) {
  struct store *store = pointer;
  if (reader_number == store->number) mdb_txn_abort(reader);
  reader_number = 0;
  mdb_env_close(store->env);
  free(store);
}

static int put(struct store *store, MDB_txn *txn, const char *key, const void *bytes, size_t size) {
  MDB_val name = {strlen(key), (void *)key}, value = {size, (void *)bytes};
  return mdb_put(txn, store->table, &name, &value, 0);
}

static int get(struct store *store, const char *key, MDB_val *value) {
  MDB_val name = {strlen(key), (void *)key};
  return mdb_get(reader, store->table, &name, value);
}

static int begin_reading(struct store *store) {
  if (reader_number == store->number) return mdb_txn_renew(reader);
  reader_number = store->number;
  return mdb_txn_begin(store->env, NULL, MDB_RDONLY, &reader);
}

static int64_t read_keys(
    void *pointer, int kind, const char *const *keys, long key_count, long operations) {
  struct store *store = pointer;
  int64_t sum = 0, number;
  char text[64];
  MDB_val value;
  for (long i = 0, key = 0; i < operations; i++) {
    if (begin_reading(store) || get(store, keys[key], &value)) return -1;
    if (kind == BENCH_BOOLEAN) {
      sum += *(const char *)value.mv_data;
    } else if (kind == BENCH_INTEGER) {
      memcpy(&number, value.mv_data, 8);
      sum += number;
    } else {
      memcpy(text, value.mv_data, value.mv_size);
      __asm__ volatile("" : : "r"(text) : "memory");
      sum += (int64_t)value.mv_size;
    }
    mdb_txn_reset(reader);
    if (++key == key_count) key = 0;
  }
  return sum;
}

static int set_one(struct store *store, const char *key, int64_t number) {
  MDB_txn *txn;
  if (mdb_txn_begin(store->env, NULL, 0, &txn)) return -1;
  if (put(store, txn, key, &number, sizeof number)) return -1;
  return mdb_txn_commit(txn) ? -1 : 0;
}

static int set(
    void *store, const char *const *keys, long key_count, long operations, int64_t first) {
  for (long i = 0; i < operations; i++)
    if (set_one(store, keys[i % key_count], first + i)) return -1;
  return 0;
}

static int set_read(
    void *store, const char *const *keys, long key_count, long operations, int64_t first) {
  for (long i = 0; i < operations; i++) {
    const char *const *key = keys + i % key_count;
    if (set_one(store, *key, first + i)) return -1;
    if (read_keys(store, BENCH_INTEGER, key, 1, 1) != first + i) return -1;
  }
  return 0;
}

static int set_synchronize(
    void *pointer, const char *const *keys, long key_count, long operations, int64_t first) {
  struct store *store = pointer;
  for (long i = 0; i < operations; i++) {
    if (set_one(store, keys[i % key_count], first + i)) return -1;
    if (mdb_env_sync(store->env, 1)) return -1;
  }
  return 0;
}

static int prepare(const char *directory, const char *const *keys, long key_count) {
  char reason[200];
  struct store *store = open_store(directory, reason, sizeof reason);
  MDB_txn *txn;
  if (!store || mdb_txn_begin(store->env, NULL, 0, &txn)) return -1;
  for (long i = 0; i < key_count; i++) {
    char flag = (char)bench_boolean(i);
    int64_t number = bench_integer(i);
    int code = i % 3 == BENCH_BOOLEAN ? put(store, txn, keys[i], &flag, 1)
        : i % 3 == BENCH_INTEGER ? put(store, txn, keys[i], &number, 8)
        : put(store, txn, keys[i], bench_string(), BENCH_STRING_LENGTH);
    if (code) return -1;
  }
  if (mdb_txn_commit(txn) || mdb_env_sync(store->env, 1)) return -1;
  close_store(store);
  return 0;
}

const struct bench_peer *bench_peer(void) {
  static const struct bench_peer peer = {
      "LMDB", 1000000, 1000000, 1000000, 1000000, 1,
      open_store, close_store, prepare, read_keys, set, set_read, set_synchronize};
  return &peer;
}
