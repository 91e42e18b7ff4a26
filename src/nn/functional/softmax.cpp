#include "taper/nn/functional/softmax.h"

#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::nn::functional {
namespace {

std::int64_t resolve_dim(const Tensor& input, std::optional<std::int64_t> dim, const char* name) {
  if (dim) return *dim;
  warn(std::string("Implicit dimension choice for ") + name +
       " has been deprecated. Change the call to include dim=X as an argument.");
  const std::int64_t rank = input.dim();
  return rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
}

}  // namespace

Tensor softmax(const Tensor& input, std::optional<IntArg> dim, std::optional<DType> dtype) {
  return taper::softmax(input, resolve_dim(input, dim, "softmax"), dtype);
}
Tensor log_softmax(const Tensor& input, std::optional<IntArg> dim, std::optional<DType> dtype) {
  return taper::log_softmax(input, resolve_dim(input, dim, "log_softmax"), dtype);
}
Tensor softmin(const Tensor& input, std::optional<IntArg> dim, std::optional<DType> dtype) {
  return taper::softmax(input * -1, resolve_dim(input, dim, "softmin"), dtype);
}

Tensor gumbel_softmax(const Tensor& logits, FloatArg tau, bool hard, IntArg dim) {
  const Tensor gumbels = empty_like(logits).exponential_().log().neg();
  const Tensor soft = taper::softmax((logits + gumbels) / tau, dim);
  if (!hard) return soft;
  const Tensor indices = soft.argmax(dim, true);
  return zeros_like(logits).scatter_(dim, indices, 1.0) - soft.detach() + soft;
}

}  // namespace taper::nn::functional
