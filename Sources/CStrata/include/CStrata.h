// What Swift cannot say: hardware checksums, thread-local storage, futexes, variadic system calls.
#ifndef CSTRATA_H
#define CSTRATA_H

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of `length` bytes, continued from `seed`: start with 0, pass a result on to continue.
uint32_t strata_crc32c(uint32_t seed, const void *bytes, size_t length);

#endif
