#include "CStrata.h"
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

// Directory services can have entries of any size; this one is absurd.
enum { FIRST_SIZE = 1024, LAST_SIZE = 1 << 20 };

// What the manual allows where there is no such user.
static int is_of_none(int code) {
  return code == 0 || code == ENOENT || code == ESRCH || code == EBADF || code == EPERM;
}

static int find_user(const char *name, uint32_t id, struct strata_user *user) {
  for (size_t size = FIRST_SIZE; size <= LAST_SIZE; size *= 2) {
    char *memory = malloc(size);
    if (memory == NULL) return -ENOMEM;
    struct passwd entry, *found = NULL;
    int code;
    do code = name != NULL ? getpwnam_r(name, &entry, memory, size, &found)
                           : getpwuid_r(id, &entry, memory, size, &found);
    while (code == EINTR);
    if (code == 0 && found != NULL) {
      *user = (struct strata_user){entry.pw_uid, entry.pw_gid, entry.pw_name, entry.pw_dir, memory};
      return 1;
    }
    free(memory);
    if (is_of_none(code)) return 0;
    if (code != ERANGE) return -code;
  }
  return -ERANGE;
}

int strata_user_named(const char *name, struct strata_user *user) {
  return find_user(name, 0, user);
}

int strata_user_with_id(uint32_t id, struct strata_user *user) { return find_user(NULL, id, user); }

void strata_user_release(struct strata_user *user) { free(user->memory); }

int strata_is_set_uid(void) { return getauxval(AT_SECURE) != 0; }

static __thread struct {
  unsigned depth;
  int is_known;
  uint32_t user;
} held;

uint32_t strata_effective_user(void) {
  if (held.depth == 0) return geteuid();
  if (!held.is_known) {
    held.user = geteuid();
    held.is_known = 1;
  }
  return held.user;
}

void strata_hold_user(void) { held.depth++; }

void strata_release_held_user(void) {
  if (--held.depth == 0) held.is_known = 0;
}
