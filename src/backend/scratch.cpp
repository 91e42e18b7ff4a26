#include "backend/scratch.h"

#include <array>
#include <new>

namespace taper::backend {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;  // larger blocks go back at once
constexpr std::size_t kDepth = 8;

struct Block {
  void* data = nullptr;
  std::size_t bytes = 0;

  void drop() noexcept {
    ::operator delete(data, kAlignment);
    data = nullptr;
    bytes = 0;
  }
};

struct Stack {
  std::array<Block, kDepth> blocks;
  std::size_t used = 0;

  ~Stack() {
    for (Block& b : blocks) b.drop();
  }
};

thread_local Stack stack;

}  // namespace

Scratch::Scratch(std::size_t bytes) {
  Stack& s = stack;
  if (s.used >= kDepth) {
    data_ = ::operator new(bytes, kAlignment);
  } else {
    Block& b = s.blocks[s.used];
    if (b.bytes < bytes) {
      b.drop();
      const std::size_t rounded = (bytes + 4095) / 4096 * 4096;
      b.data = ::operator new(rounded, kAlignment);
      b.bytes = rounded;
    }
    data_ = b.data;
  }
  ++s.used;
}

Scratch::~Scratch() {
  Stack& s = stack;
  --s.used;
  if (s.used >= kDepth) {
    ::operator delete(data_, kAlignment);
  } else if (s.blocks[s.used].bytes > kKeptBytes) {
    s.blocks[s.used].drop();
  }
}

}  // namespace taper::backend
