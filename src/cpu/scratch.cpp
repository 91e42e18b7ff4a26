#include "cpu/scratch.h"

#include <array>
#include <new>

#include "core/check.h"
#include "core/current_op.h"
#include "core/per_thread.h"

namespace taper::cpu {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kMaxCachedBytes = std::size_t{64}
                                        << 20;  // larger blocks are freed immediately
constexpr std::size_t kMaxCachedBlocks = 8;

struct Block {
  void* data = nullptr;
  std::size_t bytes = 0;

  void free_memory() noexcept {
    ::operator delete(data, kAlignment);
    data = nullptr;
    bytes = 0;
  }
};

struct Stack {
  std::array<Block, kMaxCachedBlocks> blocks;
  std::size_t used = 0;

  ~Stack() {
    for (Block& b : blocks) b.free_memory();
  }
};

void* allocate(std::size_t bytes) {
  if (void* const p = ::operator new(bytes, kAlignment, std::nothrow)) return p;
  fail<OutOfMemoryError>("out of memory on cpu: {} requested {} bytes of scratch memory",
                         current_op::name(), bytes);
}

}  // namespace

Scratch::Scratch(std::size_t bytes) {
  Stack& s = PerThread<Stack>::get();
  if (s.used >= kMaxCachedBlocks) {
    data_ = allocate(bytes);
  } else {
    Block& b = s.blocks[s.used];
    if (b.bytes < bytes) {
      b.free_memory();
      const std::size_t rounded = (bytes + 4095) / 4096 * 4096;
      b.data = allocate(rounded);
      b.bytes = rounded;
    }
    data_ = b.data;
  }
  ++s.used;
}

Scratch::~Scratch() {
  Stack& s = PerThread<Stack>::get();
  --s.used;
  if (s.used >= kMaxCachedBlocks) {
    ::operator delete(data_, kAlignment);
  } else if (s.blocks[s.used].bytes > kMaxCachedBytes) {
    s.blocks[s.used].free_memory();
  }
}

}  // namespace taper::cpu
