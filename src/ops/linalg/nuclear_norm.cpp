// Norms of matrices under the names of torch.norm, torch.frobenius_norm and torch.nuclear_norm.
#include "core/check.h"
#include "ops/forms.h"
#include "taper/ops/decomposition.h"

namespace taper {

Tensor norm(const Tensor& x, NotNull<std::string_view> order, const Dims& dims, bool keepdim,
            std::optional<DType> dtype) {
  const std::string_view p = order;
  // Like the order 2, "fro" accepts an input of any number of dimensions.
  if (p == "fro" && dims.empty()) return norm(x, 2, dims, keepdim, dtype);
  if (p != "fro" && p != "nuc")
    fail<ValueError>("norm: order must be a number, 'fro' or 'nuc': got '{}'", p);
  if (p == "nuc" && dims.empty() && x.dim() != 2)
    fail<ShapeError>("norm: order 'nuc' requires two dimensions: got shape {}, which has {}",
                     x.shape(), x.dim());
  if (p == "fro" && dims.size() == 1) return norm(x, 2, dims, keepdim, dtype);
  return linalg::matrix_norm(x, p, dims.empty() ? Dims{0, 1} : dims, keepdim, dtype);
}
Tensor ops::ReduceMethods::norm(NotNull<std::string_view> p, const Dims& dims, bool keepdim,
                                std::optional<DType> dtype) const {
  return taper::norm(self_of(this), p, dims, keepdim, dtype);
}

Tensor frobenius_norm(const Tensor& x, const Dims& dims, bool keepdim) {
  if (dims.size() > 2)
    fail<ShapeError>("frobenius_norm: expected at most 2 dimensions, but got {} dimensions",
                     dims.size());
  return norm(x, 2, dims, keepdim);
}

Tensor nuclear_norm(const Tensor& x, bool keepdim) { return nuclear_norm(x, {-2, -1}, keepdim); }
Tensor nuclear_norm(const Tensor& x, const Dims& dims, bool keepdim) {
  return linalg::matrix_norm(x, "nuc", dims, keepdim);
}

}  // namespace taper
