#ifndef CFUZZDRIVER_H
#define CFUZZDRIVER_H

int Fuzz_main(int argc, char **argv);

#endif
