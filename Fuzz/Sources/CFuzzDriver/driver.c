// The package manager lets an executable begin at <its name>_main; this hands over to libFuzzer.
#include "CFuzzDriver.h"
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *, size_t));

int Fuzz_main(int argc, char **argv) {
  return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput);
}
