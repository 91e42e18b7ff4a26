// allocations: the number of calls of operator new in this program so far.
#pragma once
#include <cstdint>

std::uint64_t allocations();
