// Settings of determinism and of the precision of matrix products.
#pragma once
#include <string>
#include <string_view>

#include "taper/core/api.h"

namespace TAPER_API taper {

/// Requests deterministic algorithms. Sets a flag that does not change the library's own kernels:
/// on the CPU, all of them are deterministic, so that a program with the same number of threads,
/// on the same machine and with the same seed computes the same bits. Loaded backends do not
/// receive the flag. Unlike in PyTorch, empty tensors are not filled. `warn_only` is stored.
/// PyTorch: torch.use_deterministic_algorithms.
void use_deterministic_algorithms(bool mode, bool warn_only = false);
/// Returns the mode of use_deterministic_algorithms; false by default.
/// PyTorch: torch.are_deterministic_algorithms_enabled.
bool are_deterministic_algorithms_enabled();
/// Returns true if deterministic algorithms are enabled with `warn_only`.
/// PyTorch: torch.is_deterministic_algorithms_warn_only_enabled.
bool is_deterministic_algorithms_warn_only_enabled();
/// Sets the mode of use_deterministic_algorithms: 0 or "default" (off), 1 or "warn" (on, with
/// `warn_only`), 2 or "error" (on). Throws ValueError for another mode.
/// PyTorch: torch.set_deterministic_debug_mode.
void set_deterministic_debug_mode(int debug_mode);
void set_deterministic_debug_mode(std::string_view debug_mode);
/// Returns 0, 1 or 2, as accepted by set_deterministic_debug_mode.
/// PyTorch: torch.get_deterministic_debug_mode.
int get_deterministic_debug_mode();

/// Sets the precision of products of float32 matrices: "highest", "high" or "medium". The value is
/// stored and does not change the library's own kernels, which compute in float32 or better.
/// Another value causes a warning and has no effect, as in PyTorch.
/// PyTorch: torch.set_float32_matmul_precision.
void set_float32_matmul_precision(std::string_view precision);
/// Returns the value of set_float32_matmul_precision; "highest" by default.
/// PyTorch: torch.get_float32_matmul_precision.
std::string get_float32_matmul_precision();

}  // namespace taper
