#define _GNU_SOURCE
#include "CBench.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int64_t bench_command(char *const arguments[], int *status) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  pid_t child;
  int64_t start = bench_now();
  *status = posix_spawnp(&child, arguments[0], &files, NULL, arguments, environ);
  if (*status == 0)
    while (waitpid(child, status, 0) < 0 && errno == EINTR) {}
  int64_t time = bench_now() - start;
  posix_spawn_file_actions_destroy(&files);
  return time;
}
