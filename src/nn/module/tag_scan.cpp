#include "nn/module/tag_scan.h"

#include <cstring>

#include "core/safe_read.h"
#include "nn/module/extra.h"

// Defined if a sanitizer replaces the allocator.
extern "C" {
[[gnu::weak]] int __sanitizer_get_ownership(const volatile void* p);
[[gnu::weak]] std::size_t __sanitizer_get_allocated_size(const volatile void* p);
}

namespace taper::nn {
namespace {

using Word = std::uintptr_t;
constexpr std::size_t kWord = sizeof(Word);
constexpr std::size_t kMaxVectorBytes = std::size_t{1} << 20;

// A parameter or buffer begins with its handle, a module with its table of virtual functions.
constexpr std::size_t kTagOffset = kWord;

const AddressTag* tag_at(Word address) { return reinterpret_cast<const AddressTag*>(address); }

bool is_tag(Word word, Word address) {
  return ((word ^ address) & ~Word{7}) == AddressTag::kMagic && address % kWord == 0;
}
AddressTag::TagKind kind_of(Word word, Word address) {
  return static_cast<AddressTag::TagKind>((word ^ address) & 6);
}

bool looks_like_pointer(Word p) { return p % kWord == 0 && p >= 4096 && p >> 47 == 0; }

/// Returns true if a vector with this buffer can exist: its allocation has the size of its
/// capacity. Without this test, three ascending pointers would look like a vector.
bool is_allocation(Word begin, std::size_t capacity) {
  if (__sanitizer_get_ownership) {
    const auto* const p = reinterpret_cast<const void*>(begin);
    return __sanitizer_get_ownership(p) && __sanitizer_get_allocated_size(p) == capacity;
  }
  // The allocator of the C library stores the size of a block before it, in multiples of 16.
  Word header = 0;
  if (!safe_read(reinterpret_cast<const void*>(begin - kWord), &header, kWord)) return false;
  const std::size_t block = header & ~Word{15};
  return block >= capacity + kWord && block <= capacity + 4 * kWord;
}

/// Words that were copied from memory, which the destructor clears. Freed memory with tags becomes
/// bytes of other objects that are never written; a copy of these can return a tag to its own
/// address, where it looks like a member.
class CopiedWords {
 public:
  explicit CopiedWords(std::size_t count) : words_(count) {}
  // volatile: the compiler must not eliminate the stores before the memory is freed.
  ~CopiedWords() {
    for (Word& word : words_) *static_cast<volatile Word*>(&word) = 0;
  }
  CopiedWords(const CopiedWords&) = delete;
  CopiedWords& operator=(const CopiedWords&) = delete;

  Word* data() { return words_.data(); }
  std::size_t bytes() const { return words_.size() * kWord; }
  std::span<const Word> words() const { return words_; }

 private:
  std::vector<Word> words_;
};

class Scan {
 public:
  Scan(std::span<const MemoryRange> excluded, const std::function<bool(const TaggedObject&)>& found)
      : excluded_(excluded), found_(found) {}

  /// Examines `words`, which were copied from `address`. Returns false to stop.
  bool run(std::span<const Word> words, Word address, bool in_vector, std::size_t vector_offset) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Word at = address + i * kWord, word = words[i];
      const std::size_t offset = in_vector ? vector_offset : i * kWord;
      if (!in_vector && is_excluded(at)) continue;
      if (is_tag(word, at)) {
        const char* const relation = in_vector ? "contains" : "is";
        const std::size_t begin = in_vector ? offset : offset - kTagOffset;
        if (!report(at, kind_of(word, at), begin, relation)) return false;
        continue;
      }
      if (!looks_like_pointer(word)) continue;
      const Word next = i + 1 < words.size() ? words[i + 1] : 0;
      if (!examine_pointer(word, next, offset)) return false;
      if (!in_vector && i + 2 < words.size() && !examine_vector(word, next, words[i + 2], offset))
        return false;
    }
    return true;
  }

 private:
  bool is_excluded(Word at) const {
    for (const MemoryRange& range : excluded_)
      if (range.contains(reinterpret_cast<const void*>(at))) return true;
    return false;
  }
  bool report(Word tag, AddressTag::TagKind kind, std::size_t offset, const char* relation,
              const volatile std::int32_t* owners = nullptr) {
    return found_({tag_at(tag), kind, offset, relation, owners});
  }

  /// Examines the object that a smart pointer owns: `next` is the word behind the pointer.
  bool examine_pointer(Word p, Word next, std::size_t offset) {
    Word object[2];
    if (!safe_read(reinterpret_cast<const void*>(p), object, sizeof object)) return true;
    const Word at = p + kTagOffset;
    if (!is_tag(object[1], at)) return true;
    const AddressTag::TagKind kind = kind_of(object[1], at);
    // The number of owners follows the table of virtual functions of the control block.
    if (is_control_block(next, p))
      return report(at, kind, offset, "owns", reinterpret_cast<const std::int32_t*>(next + kWord));
    const bool is_new = ((object[1] ^ at) & AddressTag::kNew) != 0;
    return !is_new || report(at, kind, offset, "owns");
  }
  /// Returns true if `block` is the control block of a std::shared_ptr to the object at `p`, which
  /// it contains or points to.
  static bool is_control_block(Word block, Word p) {
    Word words[3];
    if (!looks_like_pointer(block) ||
        !safe_read(reinterpret_cast<const void*>(block), words, sizeof words))
      return false;
    constexpr Word kHeader = 2 * kWord, kMaxBase = 4096;  // p may be a base of the object
    return p - (block + kHeader) < kMaxBase || p - words[2] < kMaxBase;
  }
  bool examine_vector(Word begin, Word end, Word capacity_end, std::size_t offset) {
    if (begin >= end || end > capacity_end || (end | capacity_end) % kWord ||
        capacity_end - begin > kMaxVectorBytes || !is_allocation(begin, capacity_end - begin))
      return true;
    CopiedWords elements((end - begin) / kWord);
    if (!safe_read(reinterpret_cast<const void*>(begin), elements.data(), elements.bytes()))
      return true;
    return run(elements.words(), begin, true, offset);
  }

  std::span<const MemoryRange> excluded_;
  const std::function<bool(const TaggedObject&)>& found_;
};

}  // namespace

const Module* TaggedObject::module() const {
  return kind == AddressTag::kTagOfModule ? &ModuleAccess::module_of(*tag) : nullptr;
}
const Tensor* TaggedObject::tensor() const {
  if (kind == AddressTag::kTagOfParameter) return static_cast<const Parameter*>(tag);
  return kind == AddressTag::kTagOfBuffer ? static_cast<const Buffer*>(tag) : nullptr;
}

void scan_for_tags(const char* base, std::size_t size, std::span<const MemoryRange> excluded,
                   const std::function<bool(const TaggedObject&)>& found) {
  CopiedWords copy(size / kWord);
  if (!safe_read(base, copy.data(), copy.bytes())) std::memcpy(copy.data(), base, copy.bytes());
  Scan(excluded, found).run(copy.words(), reinterpret_cast<Word>(base), false, 0);
}

}  // namespace taper::nn
