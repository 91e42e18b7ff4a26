// Print options of tensors.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Print options of tensors. PyTorch: torch.get_printoptions.
struct PrintOptions {
  std::int64_t precision = 4;     ///< digits after the decimal point
  std::int64_t threshold = 1000;  ///< maximum number of elements that are printed in full
  /// Number of elements that are printed at each end of every dimension of larger tensors.
  std::int64_t edgeitems = 3;
  std::int64_t linewidth = 80;     ///< maximum length of a line
  std::optional<bool> sci_mode{};  ///< scientific notation; chosen by magnitude if empty
};

/// Changes for set_printoptions. Empty members are unchanged, except sci_mode, which is always
/// assigned.
struct PrintOptionsChange {
  std::optional<std::int64_t> precision{}, threshold{}, edgeitems{}, linewidth{};
  /// "default", "short" (2 digits, 2 edge items) or "full" (all elements); the other members are
  /// applied on top of it.
  std::string_view profile{};
  std::optional<bool> sci_mode{};
};

/// Changes the print options of all threads. Throws ValueError, without any change, for a negative
/// number or an unknown profile. PyTorch: torch.set_printoptions.
void set_printoptions(const PrintOptionsChange& change);
/// Returns the current print options. PyTorch: torch.get_printoptions.
PrintOptions get_printoptions();

/// Changes the print options for the duration of a scope. PyTorch: torch.printoptions.
class PrintOptionsScope {
 public:
  [[nodiscard]] explicit PrintOptionsScope(const PrintOptionsChange& change);
  ~PrintOptionsScope();
  PrintOptionsScope(const PrintOptionsScope&) = delete;
  PrintOptionsScope& operator=(const PrintOptionsScope&) = delete;

 private:
  PrintOptions outer_;
};

/// Returns the printed form of a parameter of a module: "Parameter containing:\ntensor([1.],
/// requires_grad=True)".
std::string parameter_str(const Tensor& parameter);

}  // namespace taper
