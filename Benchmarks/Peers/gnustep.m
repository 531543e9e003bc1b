// GNUstep's NSUserDefaults. Sets stay in the process until it synchronizes.
// packages: libgnustep-base-dev gobjc
// flags: $(gnustep-config --objc-flags) $(gnustep-config --base-libs) -std=gnu11
#import <Foundation/Foundation.h>
#include "peer.h"
#include <stdio.h>

// One domain for each process: the peer's stores follow one another in it.
static void *open_store(const char *directory, char *reason, size_t reason_size) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSUserDefaults *store = [NSUserDefaults standardUserDefaults];
  if (!store) snprintf(reason, reason_size, "there are no user defaults");
  [pool drain];
  return store;
}

static void close_store(void *store) {}

// The keys as objects, made once for each ring of keys.
static NSString **names_of(const char *const *keys, long key_count) {
  static __thread const char *const *ring;
  static __thread NSString **names;
  static __thread long name_count;
  if (ring == keys && name_count == key_count) return names;
  for (long i = 0; i < name_count; i++) [names[i] release];
  names = realloc(names, (size_t)key_count * sizeof *names);
  for (long i = 0; i < key_count; i++) names[i] = [[NSString alloc] initWithUTF8String:keys[i]];
  ring = keys;
  name_count = key_count;
  return names;
}

static int64_t read_keys(
    void *pointer, int kind, const char *const *keys, long key_count, long operations) {
  NSUserDefaults *store = pointer;
  NSString **names = names_of(keys, key_count);
  int64_t sum = 0;
  long key = 0;
  for (long i = 0; i < operations;) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    for (long end = i + 1000; i < operations && i < end; i++) {
      if (kind == BENCH_BOOLEAN) sum += [store boolForKey:names[key]];
      else if (kind == BENCH_INTEGER) sum += [store integerForKey:names[key]];
      else sum += (int64_t)[[store stringForKey:names[key]] length];
      if (++key == key_count) key = 0;
    }
    [pool drain];
  }
  return sum;
}

enum after { NOTHING, READ, SYNCHRONIZE };

static int set_each(
    NSUserDefaults *store, const char *const *keys, long key_count, long operations, int64_t first,
    enum after after) {
  NSString **names = names_of(keys, key_count);
  for (long i = 0; i < operations; i++) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    NSString *key = names[i % key_count];
    [store setInteger:first + i forKey:key];
    if (after == READ && [store integerForKey:key] != first + i) return -1;
    if (after == SYNCHRONIZE && ![store synchronize]) return -1;
    [pool drain];
  }
  return 0;
}

static int set(void *store, const char *const *keys, long count, long operations, int64_t first) {
  return set_each(store, keys, count, operations, first, NOTHING);
}

static int set_read(
    void *store, const char *const *keys, long count, long operations, int64_t first) {
  return set_each(store, keys, count, operations, first, READ);
}

static int set_synchronize(
    void *store, const char *const *keys, long count, long operations, int64_t first) {
  return set_each(store, keys, count, operations, first, SYNCHRONIZE);
}

static int prepare(const char *directory, const char *const *keys, long key_count) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSMutableDictionary *values = [NSMutableDictionary dictionary];
  for (long i = 0; i < key_count; i++) {
    id value = i % 3 == BENCH_BOOLEAN ? [NSNumber numberWithBool:bench_boolean(i)]
        : i % 3 == BENCH_INTEGER ? [NSNumber numberWithLongLong:bench_integer(i)]
        : (id)[NSString stringWithUTF8String:bench_string()];
    [values setObject:value forKey:[NSString stringWithUTF8String:keys[i]]];
  }
  NSUserDefaults *store = [NSUserDefaults standardUserDefaults];
  NSString *domain = [[NSProcessInfo processInfo] processName];
  [store removePersistentDomainForName:domain];
  [store setPersistentDomain:values forName:domain];
  BOOL isStored = [store synchronize];
  [pool drain];
  return isStored ? 0 : -1;
}

const struct bench_peer *bench_peer(void) {
  static const struct bench_peer peer = {
      "GNUstep", 1000000, 1000000, 1000, 0, 0,
      open_store, close_store, prepare, read_keys, set, set_read, set_synchronize};
  return &peer;
}
