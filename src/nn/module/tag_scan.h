// Search for parameters, buffers and modules in the bytes of a module, by their address tags.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "taper/nn/module_base.h"

namespace taper::nn {

/// A parameter, buffer or module that a scan found.
struct TaggedObject {
  const AddressTag* tag;
  AddressTag::TagKind kind;
  std::size_t offset;    ///< of the member that is the object or owns it
  const char* relation;  ///< of the member to the object: "is", "owns" or "contains"
  /// Number of owners of the object, which a copy of the member increments; null for an object of a
  /// new expression, whose owner cannot be copied.
  const volatile std::int32_t* owners = nullptr;

  /// Returns the object, if it is a module or a tensor; otherwise null.
  const Module* module() const;
  const Tensor* tensor() const;
};

/// Range of memory that a scan leaves out.
struct MemoryRange {
  const char* begin;
  std::size_t size;
  bool contains(const void* p) const {
    const auto* const c = static_cast<const char*>(p);
    return c >= begin && c < begin + size;
  }
};

/// Calls `found` for each tagged object in the `size` bytes at `base` outside of `excluded`: the
/// object itself, or one that is owned by a std::shared_ptr or std::unique_ptr or is an element of
/// a std::vector there, or owned by such an element. Objects of other containers on the heap are
/// not found. Bytes of a member that were never written may look like a pointer to an owned object.
/// Stops if `found` returns false.
void scan_for_tags(const char* base, std::size_t size, std::span<const MemoryRange> excluded,
                   const std::function<bool(const TaggedObject&)>& found);

}  // namespace taper::nn
