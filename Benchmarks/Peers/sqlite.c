// SQLite: one table, prepared statements, write-ahead log; a set is one transaction.
// packages: libsqlite3-dev
// flags: -lsqlite3
#include "peer.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct connection {
  sqlite3 *base;
  sqlite3_stmt *get, *put;
};

struct store {
  long number;
  char path[4000];
  struct connection main;
};

static long stores;
// Each thread has a connection of its own, to the store with this number.
static __thread long own_number;
static __thread struct connection own;

static int execute(struct connection *connection, const char *text) {
  return sqlite3_exec(connection->base, text, NULL, NULL, NULL);
}

static int connect_to(struct connection *connection, const char *path) {
  static const char *const get = "SELECT value FROM pairs WHERE key = ?";
  static const char *const put =
      "INSERT INTO pairs VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
  int code = sqlite3_open(path, &connection->base);
  if (!code) code = sqlite3_busy_timeout(connection->base, 10000);
  if (!code) code = execute(connection, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (!code)
    code = execute(
        connection, "CREATE TABLE IF NOT EXISTS pairs (key TEXT PRIMARY KEY, value) WITHOUT ROWID");
  if (!code) code = sqlite3_prepare_v2(connection->base, get, -1, &connection->get, NULL);
  if (!code) code = sqlite3_prepare_v2(connection->base, put, -1, &connection->put, NULL);
  return code;
}

static void disconnect(struct connection *connection) {
  sqlite3_finalize(connection->get);
  sqlite3_finalize(connection->put);
  sqlite3_close(connection->base);
}

static void *open_store(const char *directory, char *reason, size_t reason_size) {
  struct store *store = calloc(1, sizeof *store);
  snprintf(store->path, sizeof store->path, "%s/pairs.sqlite", directory);
  if (connect_to(&store->main, store->path) == SQLITE_OK) {
    own_number = store->number = ++stores;
    own = store->main;
    return store;
  }
  snprintf(reason, reason_size, "%s", sqlite3_errmsg(store->main.base));
  return NULL;
}

static void close_store(void *pointer) {
  struct store *store = pointer;
  disconnect(&store->main);
  own_number = 0;
  free(store);
}

static struct connection *connection_of(struct store *store) {
  if (own_number == store->number) return &own;
  own_number = store->number;
  return connect_to(&own, store->path) == SQLITE_OK ? &own : NULL;
}

static int64_t read_keys(
    void *store, int kind, const char *const *keys, long key_count, long operations) {
  struct connection *connection = connection_of(store);
  int64_t sum = 0;
  char text[64];
  for (long i = 0, key = 0; connection && i < operations; i++) {
    sqlite3_stmt *get = connection->get;
    sqlite3_bind_text(get, 1, keys[key], -1, SQLITE_STATIC);
    if (sqlite3_step(get) != SQLITE_ROW) return -1;
    if (kind == BENCH_STRING) {
      int size = sqlite3_column_bytes(get, 0);
      memcpy(text, sqlite3_column_text(get, 0), (size_t)size);
      __asm__ volatile("" : : "r"(text) : "memory");
      sum += size;
    } else {
      sum += sqlite3_column_int64(get, 0);
    }
    sqlite3_reset(get);
    if (++key == key_count) key = 0;
  }
  return connection ? sum : -1;
}

static int set_one(struct connection *connection, const char *key, int64_t number) {
  sqlite3_bind_text(connection->put, 1, key, -1, SQLITE_STATIC);
  sqlite3_bind_int64(connection->put, 2, number);
  int code = sqlite3_step(connection->put);
  sqlite3_reset(connection->put);
  return code == SQLITE_DONE ? 0 : -1;
}

static int set(
    void *store, const char *const *keys, long key_count, long operations, int64_t first) {
  struct connection *connection = connection_of(store);
  for (long i = 0; i < operations; i++)
    if (!connection || set_one(connection, keys[i % key_count], first + i)) return -1;
  return 0;
}

static int set_read(
    void *store, const char *const *keys, long key_count, long operations, int64_t first) {
  for (long i = 0; i < operations; i++) {
    const char *const *key = keys + i % key_count;
    if (set(store, key, 1, 1, first + i)) return -1;
    if (read_keys(store, BENCH_INTEGER, key, 1, 1) != first + i) return -1;
  }
  return 0;
}

static int set_synchronize(
    void *store, const char *const *keys, long key_count, long operations, int64_t first) {
  struct connection *connection = connection_of(store);
  if (!connection || execute(connection, "PRAGMA synchronous = FULL")) return -1;
  int code = set(store, keys, key_count, operations, first);
  return execute(connection, "PRAGMA synchronous = NORMAL") ? -1 : code;
}

static int prepare(const char *directory, const char *const *keys, long key_count) {
  char reason[200];
  struct store *store = open_store(directory, reason, sizeof reason);
  if (!store || execute(&store->main, "BEGIN")) return -1;
  for (long i = 0; i < key_count; i++) {
    sqlite3_stmt *put = store->main.put;
    sqlite3_bind_text(put, 1, keys[i], -1, SQLITE_STATIC);
    if (i % 3 == BENCH_STRING) sqlite3_bind_text(put, 2, bench_string(), -1, SQLITE_STATIC);
    else sqlite3_bind_int64(put, 2, i % 3 ? bench_integer(i) : bench_boolean(i));
    if (sqlite3_step(put) != SQLITE_DONE) return -1;
    sqlite3_reset(put);
  }
  int code = execute(&store->main, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  close_store(store);
  return code ? -1 : 0;
}

const struct bench_peer *bench_peer(void) {
  static const struct bench_peer peer = {
      "SQLite", 1000000, 1000000, 1000000, 1000000, 1,
      open_store, close_store, prepare, read_keys, set, set_read, set_synchronize};
  return &peer;
}
