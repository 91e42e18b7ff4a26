#include <taper/version.h>

#include <cstdio>

int main() { std::printf("taper %s\n", taper::version()); }
