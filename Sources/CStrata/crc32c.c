#include "CStrata.h"
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2")))
static uint32_t crc_hardware(uint32_t crc, const uint8_t *bytes, size_t length) {
  uint64_t state = crc;
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    state = _mm_crc32_u64(state, word);
  }
  uint32_t rest = (uint32_t)state;
  for (; length > 0; bytes++, length--) rest = _mm_crc32_u8(rest, *bytes);
  return rest;
}
static int has_hardware(void) { return __builtin_cpu_supports("sse4.2"); }

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

static uint32_t crc_hardware(uint32_t crc, const uint8_t *bytes, size_t length) {
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    crc = __crc32cd(crc, word);
  }
  for (; length > 0; bytes++, length--) crc = __crc32cb(crc, *bytes);
  return crc;
}
static int has_hardware(void) { return 1; }

#else
static uint32_t crc_hardware(uint32_t crc, const uint8_t *bytes, size_t length) {
  (void)bytes; (void)length;
  return crc;
}
static int has_hardware(void) { return 0; }
#endif

// The portable way: a nibble at a time, for processors without the instruction.
static uint32_t crc_portable(uint32_t crc, const uint8_t *bytes, size_t length) {
  static const uint32_t table[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
  };
  for (; length > 0; bytes++, length--) {
    crc ^= *bytes;
    crc = (crc >> 4) ^ table[crc & 15];
    crc = (crc >> 4) ^ table[crc & 15];
  }
  return crc;
}

uint32_t strata_crc32c(uint32_t seed, const void *bytes, size_t length) {
  uint32_t crc = ~seed;
  crc = has_hardware() ? crc_hardware(crc, bytes, length) : crc_portable(crc, bytes, length);
  return ~crc;
}
