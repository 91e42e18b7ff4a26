// Number of allocations of this program.
#pragma once
#include <cstdint>

std::uint64_t allocations();
