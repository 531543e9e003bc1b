// Running other programs, and being ended: what Swift has no words for.
#define _GNU_SOURCE
#include "CStrata.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

// Swift finds a program's arguments in /proc. glibc passes them to what runs before `main`, too;
// other C libraries pass nothing.
static int argument_count;
static char **arguments;

#ifdef __GLIBC__
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}
#endif

int strata_argument_count(void) { return argument_count; }

char *strata_argument(int index) { return index < argument_count ? arguments[index] : NULL; }

static void signals_that_end(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGHUP);
}

// What this process ignores, a program that it starts should not.
static void signals_that_are_ignored(sigset_t *set) {
  signals_that_end(set);
  sigaddset(set, SIGPIPE);
  sigaddset(set, SIGXFSZ);
  sigaddset(set, SIGQUIT);
}

int strata_run(const char *path, char *const arguments[]) {
  sigset_t ignored;
  signals_that_are_ignored(&ignored);
  posix_spawnattr_t attributes;
  if (posix_spawnattr_init(&attributes) != 0) return -1;
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  void (*interrupt)(int) = signal(SIGINT, SIG_IGN);
  void (*quit)(int) = signal(SIGQUIT, SIG_IGN);
  pid_t child = 0;
  int code = posix_spawnp(&child, path, NULL, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  int status = 0;
  if (code == 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  signal(SIGINT, interrupt);
  signal(SIGQUIT, quit);
  if (code != 0) {
    errno = code;
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void strata_become(const char *path, char *const arguments[]) {
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  execv(path, arguments);
}

void strata_hold_signals(void) {
  sigset_t set;
  signals_that_end(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void strata_release_signals(void) {
  sigset_t set;
  signals_that_end(&set);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void strata_await_end(int output) {
  sigset_t set;
  signals_that_end(&set);
  int signals = signalfd(-1, &set, SFD_CLOEXEC);
  struct pollfd files[] = {{signals, POLLIN, 0}, {output, 0, 0}};
  while (poll(files, 2, -1) < 0 && errno == EINTR) {}
  if (signals >= 0) close(signals);
}
