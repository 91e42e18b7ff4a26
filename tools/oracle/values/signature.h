// Signature: the parameters of one overload of a function, in PyTorch's notation.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/value.h"

namespace taper::oracle {

using NamedValues = std::map<std::string, Value>;

class Signature {
 public:
  /// Parses "index_add(Tensor input, int dim, Tensor index, Tensor source, *, Number alpha=1)".
  /// Parameters with a default may be omitted; the default itself is a comment. Types are Tensor,
  /// int, ints, Number, bool, str, dtype and None. `T?` also accepts None, `A|B` either type, and
  /// `int...` a list or all remaining positional integers. Throws std::logic_error for other text.
  explicit Signature(std::string_view text);

  /// Returns the text before the parenthesis.
  const std::string& name() const { return name_; }
  bool has_parameter(const std::string& name) const;
  /// Returns the arguments by name, or nullopt if their number, names or types do not match. A None
  /// for a parameter with a default is omitted.
  std::optional<NamedValues> bind(const Values& positional, const NamedValues& named) const;

 private:
  struct Parameter {
    std::string name;
    std::vector<std::string> types{};
    bool has_default = false;
    bool keyword_only = false;
    bool is_variadic = false;  ///< all remaining positional integers

    bool accepts(const Value& value) const;
  };
  Parameter parse_parameter(std::string_view text) const;

  std::string name_;
  std::vector<Parameter> parameters_;
};

}  // namespace taper::oracle
