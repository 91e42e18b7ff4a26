// The attributes of an op that is known by its table only.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"
#include "taper/core/value.h"

namespace taper {

/// Owns one set of attributes. Starts with the op's defaults, or as a copy.
class Attributes {
 public:
  explicit Attributes(const OpTable& table);
  Attributes(const OpTable& table, const void* from);
  Attributes(Attributes&& o) noexcept : table_(o.table_), at_(std::exchange(o.at_, nullptr)) {}
  Attributes& operator=(Attributes&&) = delete;
  ~Attributes();

  const void* get() const { return at_; }
  std::vector<std::string> names() const;
  /// Sets the attribute `name`. Throws TypeError if there is none or `value` is of another kind.
  void set(std::string_view name, const Value& value);

 private:
  const OpTable& table_;
  void* at_;
};

}  // namespace taper
