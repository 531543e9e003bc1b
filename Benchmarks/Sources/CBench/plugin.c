#include "CBench.h"
#include <dlfcn.h>
#include <stdio.h>

const struct bench_peer *bench_load(const char *path, char *reason, size_t reason_size) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const struct bench_peer *(*entry)(void) =
      object ? (const struct bench_peer *(*)(void))dlsym(object, "bench_peer") : NULL;
  if (entry) return entry();
  snprintf(reason, reason_size, "%s", dlerror());
  return NULL;
}
