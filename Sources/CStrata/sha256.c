#include "CStrata.h"
#include <string.h>

// SHA-256 of FIPS 180-4. In C because every process needs it once before its first value, and what
// Swift's collections cost at their first use is more than that.

static const uint32_t constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t word, int count) { return word >> count | word << (32 - count); }

static void fill_schedule(uint32_t words[64], const uint8_t block[64]) {
  for (int place = 0; place < 16; place++)
    words[place] = (uint32_t)block[4 * place] << 24 | (uint32_t)block[4 * place + 1] << 16 |
                   (uint32_t)block[4 * place + 2] << 8 | block[4 * place + 3];
  for (int place = 16; place < 64; place++) {
    uint32_t late = words[place - 2], early = words[place - 15];
    words[place] = (turned(late, 17) ^ turned(late, 19) ^ late >> 10) + words[place - 7] +
                   (turned(early, 7) ^ turned(early, 18) ^ early >> 3) + words[place - 16];
  }
}

static void take_in(uint32_t state[8], const uint8_t block[64]) {
  uint32_t words[64], s[8];
  fill_schedule(words, block);
  memcpy(s, state, sizeof s);
  for (int round = 0; round < 64; round++) {
    uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t first = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + choice +
                     constants[round] + words[round];
    uint32_t second = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) + majority;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + second;
  }
  for (int place = 0; place < 8; place++) state[place] += s[place];
}

struct strata_hash strata_sha256(const void *bytes, size_t length) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint8_t *rest = bytes;
  size_t count = length;
  for (; count >= 64; count -= 64, rest += 64) take_in(state, rest);
  uint8_t block[64] = {0};
  if (count > 0) memcpy(block, rest, count);
  block[count] = 0x80;
  if (count >= 56) {
    take_in(state, block);
    memset(block, 0, sizeof block);
  }
  uint64_t bits = (uint64_t)length << 3;
  for (int place = 0; place < 8; place++) block[63 - place] = (uint8_t)(bits >> 8 * place);
  take_in(state, block);
  return (struct strata_hash){(uint64_t)state[0] << 32 | state[1],
                              (uint64_t)state[2] << 32 | state[3]};
}
