// How tensors are printed.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// The options of printing that hold at present. PyTorch: torch.get_printoptions.
struct PrintOptions {
  std::int64_t precision = 4;      ///< digits behind the point
  std::int64_t threshold = 1000;   ///< tensors of more elements show their edges only
  std::int64_t edgeitems = 3;      ///< elements shown at both ends of each dimension then
  std::int64_t linewidth = 80;     ///< lines are broken before this column
  std::optional<bool> sci_mode{};  ///< scientific notation always or never; by magnitude if absent
};

/// What set_printoptions changes; what is absent stays, but for sci_mode, which is always set.
struct PrintOptionsChange {
  std::optional<std::int64_t> precision{}, threshold{}, edgeitems{}, linewidth{};
  /// "default", "short" (2 digits, 2 edge items) or "full" (nothing is left out); the others are
  /// applied on top.
  std::string_view profile{};
  std::optional<bool> sci_mode{};
};

/// Changes how tensors are printed from now on, in all threads. PyTorch: torch.set_printoptions.
/// Throws ValueError for a negative number or an unknown profile; then nothing changes.
void set_printoptions(const PrintOptionsChange& change);
PrintOptions get_printoptions();

/// Changes options until the end of the scope. PyTorch: torch.printoptions.
class PrintOptionsScope {
 public:
  [[nodiscard]] explicit PrintOptionsScope(const PrintOptionsChange& change);
  ~PrintOptionsScope();
  PrintOptionsScope(const PrintOptionsScope&) = delete;
  PrintOptionsScope& operator=(const PrintOptionsScope&) = delete;

 private:
  PrintOptions outer_;
};

/// "Parameter containing:\ntensor([1.], requires_grad=True)": how a module's parameter is printed.
std::string parameter_str(const Tensor& parameter);

}  // namespace taper
