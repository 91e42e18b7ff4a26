#include <cmath>
#include <string>

#include "core/check.h"
#include "taper/nn/init.h"

namespace taper::nn::init {
namespace {

struct Fan {
  std::int64_t in, out;
};

Fan calculate_fans(const char* function, const Tensor& tensor) {
  if (tensor.dim() < 2)
    fail<ValueError>(
        "{}: Fan in and fan out can not be computed for tensor with fewer than 2 dimensions: got "
        "shape {}",
        function, tensor.shape());
  std::int64_t receptive_field_size = 1;
  for (std::int64_t d = 2; d < tensor.dim(); ++d) receptive_field_size *= tensor.size(d);
  return {tensor.size(1) * receptive_field_size, tensor.size(0) * receptive_field_size};
}

double xavier_std(const char* function, const Tensor& tensor, double gain) {
  const Fan fan = calculate_fans(function, tensor);
  return gain * std::sqrt(2.0 / static_cast<double>(fan.in + fan.out));
}

double kaiming_std(const char* function, const Tensor& tensor, const Scalar& a,
                   std::string_view mode, std::string_view nonlinearity) {
  if (mode != "fan_in" && mode != "fan_out")
    fail<ValueError>("{}: Mode {} not supported, please use one of ['fan_in', 'fan_out']", function,
                     mode);
  const Fan fan = calculate_fans(function, tensor);
  const double gain = calculate_gain(nonlinearity, a);
  return gain / std::sqrt(static_cast<double>(mode == "fan_in" ? fan.in : fan.out));
}

}  // namespace

const Tensor& xavier_uniform_(const Tensor& tensor, double gain, const Generator& generator) {
  const double bound = std::sqrt(3.0) * xavier_std("xavier_uniform_", tensor, gain);
  return uniform_(tensor, -bound, bound, generator);
}

const Tensor& xavier_normal_(const Tensor& tensor, double gain, const Generator& generator) {
  return normal_(tensor, 0, xavier_std("xavier_normal_", tensor, gain), generator);
}

const Tensor& kaiming_uniform_(const Tensor& tensor, const Scalar& a, std::string_view mode,
                               std::string_view nonlinearity, const Generator& generator) {
  if (tensor.numel() == 0) return tensor;
  const double std = kaiming_std("kaiming_uniform_", tensor, a, mode, nonlinearity);
  const double bound = std::sqrt(3.0) * std;
  return uniform_(tensor, -bound, bound, generator);
}

const Tensor& kaiming_normal_(const Tensor& tensor, const Scalar& a, std::string_view mode,
                              std::string_view nonlinearity, const Generator& generator) {
  if (tensor.numel() == 0) return tensor;
  return normal_(tensor, 0, kaiming_std("kaiming_normal_", tensor, a, mode, nonlinearity),
                 generator);
}

}  // namespace taper::nn::init
