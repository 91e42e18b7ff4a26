#include "taper/nn/functional/softmax.h"

#include "taper/core/warning.h"

namespace taper::nn::functional {
namespace {

std::int64_t given_or_guessed(const Tensor& input, std::optional<std::int64_t> dim,
                              const char* name) {
  if (dim) return *dim;
  warn(std::string("Implicit dimension choice for ") + name +
       " has been deprecated. Change the call to include dim=X as an argument.");
  const std::int64_t rank = input.dim();
  return rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
}

}  // namespace

Tensor softmax(const Tensor& input, std::optional<std::int64_t> dim, std::optional<DType> dtype) {
  return taper::softmax(input, given_or_guessed(input, dim, "softmax"), dtype);
}
Tensor log_softmax(const Tensor& input, std::optional<std::int64_t> dim,
                   std::optional<DType> dtype) {
  return taper::log_softmax(input, given_or_guessed(input, dim, "log_softmax"), dtype);
}
Tensor softmin(const Tensor& input, std::optional<std::int64_t> dim, std::optional<DType> dtype) {
  return taper::softmax(input * -1, given_or_guessed(input, dim, "softmin"), dtype);
}

}  // namespace taper::nn::functional
