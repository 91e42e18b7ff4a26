// How often this program asked for memory.
#pragma once
#include <cstdint>

std::uint64_t allocations();
