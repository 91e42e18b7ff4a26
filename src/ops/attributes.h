// Attributes: the attribute values of an op known only by its descriptor.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"
#include "taper/core/value.h"

namespace taper {

/// Owns one set of attributes, initialized with the op's defaults or copied from another set.
class Attributes {
 public:
  explicit Attributes(const OpDescriptor& descriptor);
  Attributes(const OpDescriptor& descriptor, const void* from);
  Attributes(Attributes&& o) noexcept
      : descriptor_(o.descriptor_), values_(std::exchange(o.values_, nullptr)) {}
  Attributes& operator=(Attributes&&) = delete;
  ~Attributes();

  const void* get() const { return values_; }
  /// Returns the names of the attributes in the order of their declaration.
  std::vector<std::string> names() const;
  /// Sets attribute `name`. Throws TypeError if the op does not have this attribute or if `value`
  /// is of another kind.
  void set(std::string_view name, const Value& value);

 private:
  const OpDescriptor& descriptor_;
  void* values_;
};

}  // namespace taper
