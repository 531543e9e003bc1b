// What the probe needs and Swift cannot say.
#ifndef CPROBE_H
#define CPROBE_H

#include <stdint.h>
#include <sys/types.h>

/// How often this process has asked for memory so far; 0 where a sanitizer has its own allocator.
uint64_t probe_allocations(void);

/// `fork`, which Swift hides.
pid_t probe_fork(void);

/// Ends the process with a signal then, also where whoever started it has blocked that one.
void probe_end_after(unsigned seconds);

#endif
