// Thousands of agents in one thread, each with a connection of its own: they speak HTTP/2 and
// etcd's messages as the real ones do, and do nothing else, so that what is measured is the server.
#ifndef SCALE_H
#define SCALE_H

#include <stdint.h>

typedef struct scale_crowd scale_crowd;

/// Its agents connect to the ports of this machine in turn, over as many seconds; each reports at a
/// random moment of the spread after a change, or never if that is 0. The paths are of PEM files,
/// and NULL without TLS. NULL: there is no memory, or a file can't be used.
scale_crowd *scale_start(int count, const uint16_t *ports, int port_count, double seconds,
                         double spread, const char *authority, const char *certificate,
                         const char *key);
/// Ends all connections, and waits for the thread.
void scale_stop(scale_crowd *crowd);

/// What an agent watches: a key, or a prefix if that ends with a slash. At most 64 bytes with NUL;
/// there are `scale_range_count` for each host.
void scale_range(int host, int range, char *text);
/// The key under which it reports, at most 64 bytes with NUL.
void scale_status_key(int host, char *text);
enum { scale_range_count = 5, scale_text_size = 64, scale_status_size = 200 };

/// How many agents have all their watches, and how many have answers to all that they reported.
int scale_following(scale_crowd *crowd);
int scale_reported(scale_crowd *crowd);
/// How many changes have come in all, and how often a connection was begun.
int64_t scale_changes(scale_crowd *crowd);
int64_t scale_attempts(scale_crowd *crowd);
/// When each agent had its last change, and when it last had all its watches, by `scale_now`.
void scale_change_times(scale_crowd *crowd, int64_t *times);
void scale_follow_times(scale_crowd *crowd, int64_t *times);
/// The processor time of the thread.
int64_t scale_nanoseconds(scale_crowd *crowd);
/// Nanoseconds of a clock that is the same for all threads.
int64_t scale_now(void);
/// One of this machine that nobody uses; 0: there is none.
uint16_t scale_free_port(void);

#endif
