// The same with a peer in C, whose shared object comes first.
#include "CBench.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
  char reason[500] = "usage: ProgramPeer OBJECT none|read|set|change DIRECTORY KEY";
  const struct bench_peer *peer = NULL;
  if (count == 5) peer = bench_load(words[1], reason, sizeof reason);
  if (peer == NULL) return fprintf(stderr, "%s\n", reason), 1;
  const char *task = words[2], *key = words[4];
  if (strcmp(task, "none") == 0) return 0;
  void *store = peer->open(words[3], reason, sizeof reason);
  if (store == NULL) return fprintf(stderr, "%s\n", reason), 1;
  // Another one each time: who sets what is there has nothing to store.
  int64_t number = getpid();
  if (strcmp(task, "set") != 0) number = peer->read(store, BENCH_INTEGER, &key, 1, 1);
  if (strcmp(task, "read") != 0 && peer->set(store, &key, 1, 1, number + 1) != 0) return 1;
  peer->close(store);
  return 0;
}
