// Window functions. PyTorch: torch.signal.windows and torch.hann_window.
#pragma once
#include <optional>
#include <span>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/options.h"

namespace TAPER_API taper {
class Tensor;

// Windows of `window_length` elements for spectral analysis. A periodic window is the symmetric
// window of one more element without the last one. Throw ValueError if the length is negative,
// DTypeError unless the dtype is a floating-point type.

/// Returns the Hann window. PyTorch: torch.hann_window.
Tensor hann_window(IntArg window_length, bool periodic = true, const TensorOptions& options = {});
/// Returns the Hamming window alpha - beta * cos(2 pi n / (N - 1)) for n in [0, N), where N is the
/// length of the symmetric window. PyTorch: torch.hamming_window.
Tensor hamming_window(IntArg window_length, bool periodic = true, double alpha = 0.54,
                      double beta = 0.46, const TensorOptions& options = {});
/// Returns the Bartlett window. PyTorch: torch.bartlett_window.
Tensor bartlett_window(IntArg window_length, bool periodic = true,
                       const TensorOptions& options = {});
/// Returns the Blackman window. PyTorch: torch.blackman_window.
Tensor blackman_window(IntArg window_length, bool periodic = true,
                       const TensorOptions& options = {});
/// Returns the Kaiser window of the shape parameter `beta`. PyTorch: torch.kaiser_window.
Tensor kaiser_window(IntArg window_length, bool periodic = true, double beta = 12,
                     const TensorOptions& options = {});

namespace signal::windows {

// Windows of M elements. `sym` selects a symmetric window instead of a periodic one. Throw
// ValueError if M is negative or a parameter is out of its range, DTypeError unless the dtype is
// float32 or float64.

/// Returns the Bartlett window: a triangle from 0 to 1 and back.
/// PyTorch: torch.signal.windows.bartlett.
Tensor bartlett(IntArg M, bool sym = true, const TensorOptions& options = {});
/// Returns the Blackman window: general_cosine with the coefficients 0.42, 0.5 and 0.08.
/// PyTorch: torch.signal.windows.blackman.
Tensor blackman(IntArg M, bool sym = true, const TensorOptions& options = {});
/// Returns the first half of a sine.
/// PyTorch: torch.signal.windows.cosine.
Tensor cosine(IntArg M, bool sym = true, const TensorOptions& options = {});
/// Returns the Hamming window: general_hamming with alpha = 0.54.
/// PyTorch: torch.signal.windows.hamming.
Tensor hamming(IntArg M, bool sym = true, const TensorOptions& options = {});
/// Returns the Hann window: general_hamming with alpha = 0.5.
/// PyTorch: torch.signal.windows.hann.
Tensor hann(IntArg M, bool sym = true, const TensorOptions& options = {});
/// Returns the minimum 4-term Blackman-Harris window according to Nuttall.
/// PyTorch: torch.signal.windows.nuttall.
Tensor nuttall(IntArg M, bool sym = true, const TensorOptions& options = {});
/// Returns e^(-|n - center| / tau), where center defaults to the middle. Throws ValueError if tau
/// is not positive, or if `center` is given for a symmetric window. PyTorch:
/// torch.signal.windows.exponential.
Tensor exponential(IntArg M, std::optional<double> center = {}, double tau = 1.0, bool sym = true,
                   const TensorOptions& options = {});
/// Returns the Gaussian window of standard deviation `std`, which must be positive.
/// PyTorch: torch.signal.windows.gaussian.
Tensor gaussian(IntArg M, double std = 1.0, bool sym = true, const TensorOptions& options = {});
/// Returns the alternating sum of a[k] * cos(2 pi k n / (M - 1)). Throws ValueError if `a` is
/// empty. PyTorch: torch.signal.windows.general_cosine.
Tensor general_cosine(IntArg M, std::span<const double> a, bool sym = true,
                      const TensorOptions& options = {});
/// Returns alpha - (1 - alpha) * cos(2 pi n / (M - 1)).
/// PyTorch: torch.signal.windows.general_hamming.
Tensor general_hamming(IntArg M, double alpha = 0.54, bool sym = true,
                       const TensorOptions& options = {});
/// Returns the Kaiser window of the shape parameter `beta`, which must not be negative.
/// PyTorch: torch.signal.windows.kaiser.
Tensor kaiser(IntArg M, double beta = 12.0, bool sym = true, const TensorOptions& options = {});

}  // namespace signal::windows
}  // namespace taper
