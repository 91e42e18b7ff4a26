// Detection of members that are not listed in TAPER_MODULE.
#include <cstring>

#include "core/check.h"
#include "nn/module/computed_members.h"

namespace taper::nn {
namespace {

const char* object_begin(const Module& m) {
  return static_cast<const char*>(dynamic_cast<const void*>(&m));
}

/// Collects the memory ranges of listed members.
struct ListedMembers final : MemberVisitor {
  struct MemoryRange {
    const char* begin;
    std::size_t size;
  };
  std::vector<MemoryRange> ranges;

  void parameter(const ParameterSlot& s) override { tensor(s.holder, sizeof(Parameter)); }
  void buffer(const BufferSlot& s) override { tensor(s.holder, sizeof(Buffer)); }
  void child(const ChildSlot& s) override {
    if (s.module)
      ranges.push_back({object_begin(*s.module), ModuleAccess::class_info(*s.module).size});
  }
  void tensor(const void* at, std::size_t size) {
    ranges.push_back({static_cast<const char*>(at), size});
  }
  bool contains(const char* p) const {
    for (const MemoryRange& s : ranges)
      if (p >= s.begin && p < s.begin + s.size) return true;
    return false;
  }
};

}  // namespace

void Module::check() const {
  // The scan reads computed members, which another thread may be writing.
  const std::shared_ptr<ComputedMembers> computed_members = ModuleAccess::computed_members(*this);
  std::unique_lock<std::recursive_mutex> lock;
  if (computed_members) lock = std::unique_lock(computed_members->refresh_mutex);
  const ClassInfo& info = class_info();
  const std::string name = info.name;
  if (typeid(*this) != *info.type)
    fail<RuntimeError>(
        "a class derived from {} must use TAPER_MODULE or TAPER_DERIVED_MODULE: otherwise its "
        "forward and members would be ignored",
        name);
  ListedMembers listed;
  detail::mutable_of(*this).visit_members(listed);
  const char* const base = object_begin(*this);
  const auto* const own = reinterpret_cast<const char*>(static_cast<const AddressTag*>(this));
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= info.size;
       at += alignof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, base + at, sizeof word);
    if (word != (AddressTag::kMagic ^ reinterpret_cast<std::uintptr_t>(base + at))) continue;
    if (base + at == own || listed.contains(base + at)) continue;
    fail<RuntimeError>(
        "{}: the member at offset {} is a parameter, buffer or module that TAPER_MODULE({}, ...) "
        "does not list",
        name, at, name);
  }
  call_flags_.fetch_and(static_cast<std::uint8_t>(~kUnchecked), std::memory_order_relaxed);
}

}  // namespace taper::nn
