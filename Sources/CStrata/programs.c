// Running other programs, and being ended: what Swift has no words for.
#define _GNU_SOURCE
#include "CStrata.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// Swift finds a program's arguments in /proc. glibc passes them to what runs before `main`, too;
// other C libraries pass nothing.
static int argument_count;
static char **arguments;
// As they were before the program could change them.
static int may_have_options = 1;

#ifdef __GLIBC__
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
  if (count > 0) may_have_options = 0;
  for (int index = 1; index < count && values[index]; index++)
    if (values[index][0] == '-') may_have_options = 1;
}
#endif

int strata_argument_count(void) { return argument_count; }

int strata_may_have_options(void) { return may_have_options; }

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
  // What this process waits for, the program must be able to get.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
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

// The pipe through which signals are told that are caught.
static int caught[2] = {-1, -1};

static void tell_caught(int signal) {
  int code = errno;
  unsigned char byte = (unsigned char)signal;
  if (write(caught[1], &byte, 1) < 0) {
    // The pipe is full of others: one that ends the program is among them.
  }
  errno = code;
}

void strata_catch_signals(void) {
  if (pipe2(caught, O_CLOEXEC | O_NONBLOCK) != 0) return;
  struct sigaction action = {.sa_handler = tell_caught, .sa_flags = SA_RESTART};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

int strata_await_end(int output) {
  sigset_t set;
  signals_that_end(&set);
  int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  struct pollfd files[] = {{signals, POLLIN, 0}, {output, 0, 0}, {caught[0], POLLIN, 0}};
  while (poll(files, 3, -1) < 0 && errno == EINTR) {}
  unsigned char byte = 0;
  if (files[2].revents != 0 && read(caught[0], &byte, 1) < 0) byte = 0;
  // A signal that is not read stays pending, and would be found by the next wait.
  struct signalfd_siginfo info = {0};
  if (signals >= 0 && read(signals, &info, sizeof info) < 0) info.ssi_signo = 0;
  if (signals >= 0) close(signals);
  return byte != 0 ? byte : (int)info.ssi_signo;
}

// -- A program that runs beside this one

int strata_start(char *const arguments[], const char *output, pid_t *child) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  sigset_t ignored, none;
  signals_that_are_ignored(&ignored);
  sigemptyset(&none);
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setsigmask(&attributes, &none);
  // In a group of its own, the terminal's signals are this program's alone.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
    &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[0], 0);
  posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  int code = posix_spawnp(child, arguments[0], &files, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(ends[0]);
  if (code == 0) return ends[1];
  close(ends[1]);
  errno = code;
  return -1;
}

bool strata_has_ended(pid_t child) {
  siginfo_t state = {0};
  return waitid(P_PID, child, &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_pid == child;
}

void strata_end(int input, pid_t child) {
  close(input);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

int strata_free_port(void) {
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  int code = bind(file, (struct sockaddr *)&address, size);
  if (code == 0) code = getsockname(file, (struct sockaddr *)&address, &size);
  close(file);
  return code == 0 ? ntohs(address.sin_port) : -1;
}

int strata_notify(const char *path, const char *text) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path, path, length);
  // The kernel's names without a file begin with a zero byte, which is written as an at sign.
  if (path[0] == '@') address.sun_path[0] = 0;
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent =
    sendto(file, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
  close(file);
  return sent < 0 ? -1 : 0;
}
