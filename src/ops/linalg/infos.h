// Errors of factorizations, which kernels report as a number per matrix.
#pragma once
#include "ops/linalg/dense.h"
#include "taper/core/tensor.h"
#include "taper/ops/decomposition.h"

namespace taper {

/// Throws LinAlgError("<op>: (Batch element i): <message(info)>") for the first element of `info`
/// that is not 0. Does nothing on devices without elements.
template <class F> void check_infos(const Tensor& info, std::string_view op, F message) {
  if (info.device().is_meta()) return;
  const Tensor flat = info.reshape({-1}).cpu();
  std::int64_t at = 0;
  for (const std::int32_t value : flat.data<std::int32_t>()) {
    if (value != 0)
      throw linalg::LinAlgError(format_message(
          "{}: {}{}", op, info.dim() > 0 ? format_message("(Batch element {}): ", at) : "",
          message(value)));
    ++at;
  }
}

}  // namespace taper
