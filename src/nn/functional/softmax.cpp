#include "taper/nn/functional/softmax.h"

#include "core/named_call.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::nn::functional {
namespace {

std::int64_t resolve_dim(const Tensor& input, std::optional<IntArg> dim, const char* name) {
  if (dim) return *dim;
  warn(std::string("Implicit dimension choice for ") + name +
       " has been deprecated. Change the call to include dim=X as an argument.");
  const std::int64_t rank = input.dim();
  return rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
}

}  // namespace

Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& o) {
  return taper::softmax(input, resolve_dim(input, o.dim, "softmax"), o.dtype);
}
Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& o) {
  return taper::log_softmax(input, resolve_dim(input, o.dim, "log_softmax"), o.dtype);
}
Tensor softmin(const Tensor& input, const SoftminFuncOptions& o) {
  return named_call("softmin", [&] {
    return taper::softmax(input * -1, resolve_dim(input, o.dim, "softmin"), o.dtype);
  });
}

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& o) {
  return named_call("gumbel_softmax", [&] {
    const Tensor gumbels = empty_like(logits).exponential_().log().neg();
    const Tensor soft = taper::softmax((logits + gumbels) / o.tau, o.dim);
    if (!o.hard) return soft;
    const Tensor indices = soft.argmax(o.dim, true);
    return zeros_like(logits).scatter_(o.dim, indices, 1.0) - soft.detach() + soft;
  });
}

}  // namespace taper::nn::functional
