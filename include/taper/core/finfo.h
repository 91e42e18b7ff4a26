// finfo and iinfo: numerical limits of the element types.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/api.h"
#include "taper/core/dtype.h"

namespace TAPER_API taper {

/// Numerical limits of a floating-point dtype. PyTorch: torch.finfo.
struct finfo {
  /// Throws TypeError for a dtype that is not a floating-point type.
  explicit finfo(DType dtype = default_dtype());

  int bits;                ///< size of an element
  double eps;              ///< difference between 1 and the next larger number
  double max, min;         ///< largest and smallest (most negative) finite numbers
  double tiny;             ///< smallest positive normal number
  double smallest_normal;  ///< equal to `tiny`
  double resolution;       ///< 10^-n, where n is the number of exact decimal digits
  DType dtype;

  /// Returns PyTorch's printed form: "finfo(resolution=1e-06, min=-3.40282e+38, ...)".
  std::string str() const;
};

/// Numerical limits of an integer dtype. PyTorch: torch.iinfo.
struct iinfo {
  /// Throws TypeError for a dtype that is not an integer type, and for bool.
  explicit iinfo(DType dtype);

  int bits;           ///< size of an element
  std::int64_t min;   ///< smallest number
  std::uint64_t max;  ///< largest number
  DType dtype;

  /// Returns PyTorch's printed form: "iinfo(min=-128, max=127, dtype=int8)".
  std::string str() const;
};

}  // namespace taper
