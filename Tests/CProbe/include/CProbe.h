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

/// Has the kernel refuse `fallocate` from now on, with this error.
int probe_refuse_allocation(int code);

/// The same of `openat2`.
int probe_refuse_resolution(int code);

/// The same of the call that reads a link.
int probe_refuse_links(int code);

/// Puts an empty directory in the place of the file system of processes, for this process alone.
int probe_lose_processes(void);

/// Has the kernel name the time since the machine started as this file does, for this process
/// alone.
int probe_pretend_boot(const char *file);

#endif
