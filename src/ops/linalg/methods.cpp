// Methods of tensors whose functions are declared in taper/ops/decomposition.h.
#include "core/check.h"
#include "ops/forms.h"
#include "ops/linalg/assign.h"
#include "taper/ops/decomposition.h"

namespace taper {

const Tensor& assign_result(const Tensor& x, const Tensor& result, std::string_view op) {
  if (!(result.shape() == x.shape()))
    fail<ShapeError>("{}: output with shape {} doesn't match the broadcast shape {}", op, x.shape(),
                     result.shape());
  return x.copy_(result);
}

namespace ops {

Tensor LinalgMethods::det() const { return taper::det(self_of(this)); }
std::pair<Tensor, Tensor> LinalgMethods::slogdet() const { return taper::slogdet(self_of(this)); }
Tensor LinalgMethods::logdet() const { return taper::logdet(self_of(this)); }
Tensor LinalgMethods::inverse() const { return taper::inverse(self_of(this)); }
Tensor LinalgMethods::pinverse(double rcond) const { return taper::pinverse(self_of(this), rcond); }
Tensor LinalgMethods::trace() const { return taper::trace(self_of(this)); }
std::tuple<Tensor, Tensor, Tensor> LinalgMethods::svd(bool some, bool compute_uv) const {
  return taper::svd(self_of(this), some, compute_uv);
}

}  // namespace ops
}  // namespace taper
