// Small objects of the engine (tensor handles' bodies, storages, graph nodes) come from per-thread
// free lists: a training step makes and drops hundreds of them.
#pragma once
#include <cstddef>

namespace taper {

void* pool_allocate(std::size_t bytes);
void pool_release(void* p, std::size_t bytes) noexcept;

}  // namespace taper
