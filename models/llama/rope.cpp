#include "llama/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace llama {

using namespace taper;

TAPER_LAYER_MEMBERS(LlamaRotaryEmbedding, inv_freq, original_inv_freq)

namespace {

/// Options of the frequencies, which are computed even if the model is constructed on meta.
const TensorOptions kOnCpu{.dtype = DType::f32, .device = Device::cpu()};

/// Returns theta^(2i / dim) for each pair i of features: its wavelength divided by 2 pi.
Tensor wavelengths(double theta, std::int64_t dim) {
  return pow(theta, arange(0, dim, 2, kOnCpu) / dim);
}

/// Returns the frequencies for sequences of `length` positions: those of a base that grows with the
/// length beyond the maximum.
Tensor dynamic_frequencies(const RopeParameters& p, std::int64_t dim, std::int64_t length,
                           std::int64_t max_position_embeddings) {
  const double factor = *p.factor, size = static_cast<double>(dim);
  const double stretch =
      factor * static_cast<double>(length) / static_cast<double>(max_position_embeddings) -
      (factor - 1);
  return reciprocal(wavelengths(p.rope_theta * std::pow(stretch, size / (size - 2)), dim));
}

/// Interpolates between the original and the divided frequencies, by the number of rotations that a
/// frequency completes within the original length.
Tensor yarn_frequencies(const RopeParameters& p, std::int64_t dim) {
  const double size = static_cast<double>(dim);
  const double length = static_cast<double>(*p.original_max_position_embeddings);
  const auto dim_of_rotations = [&](double rotations) {
    return size * std::log(length / (rotations * 2 * std::numbers::pi)) /
           (2 * std::log(p.rope_theta));
  };
  double low = dim_of_rotations(p.beta_fast.value_or(32));
  double high = dim_of_rotations(p.beta_slow.value_or(1));
  if (p.truncate.value_or(true)) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0), high = std::min(high, size - 1);
  if (low == high) high += 0.001;  // avoids a division by zero
  const Tensor ramp = ((arange(0, dim / 2, 1, kOnCpu) - low) / (high - low)).clamp(0, 1);
  const Tensor waves = wavelengths(p.rope_theta, dim);
  return reciprocal(waves * *p.factor) * ramp + reciprocal(waves) * (1 - ramp);
}

/// Returns the factor of cosines and sines, which sharpens attention in long sequences.
double yarn_scaling(const RopeParameters& p) {
  const auto scale = [&](double weight) {
    return *p.factor <= 1 ? 1 : 0.1 * weight * std::log(*p.factor) + 1;
  };
  if (p.attention_factor) return *p.attention_factor;
  if (p.mscale.value_or(0) != 0 && p.mscale_all_dim.value_or(0) != 0)
    return scale(*p.mscale) / scale(*p.mscale_all_dim);
  return scale(1);
}

/// Divides low frequencies by the factor, keeps high ones and interpolates between them.
Tensor llama3_frequencies(const RopeParameters& p, std::int64_t dim) {
  const Tensor inv_freq = reciprocal(wavelengths(p.rope_theta, dim));
  const double length = static_cast<double>(*p.original_max_position_embeddings);
  const double low = *p.low_freq_factor, high = *p.high_freq_factor, factor = *p.factor;
  const Tensor wavelength = 2 * std::numbers::pi / inv_freq;
  const Tensor smooth = (length / wavelength - low) / (high - low);
  const Tensor medium = (1 - smooth) * inv_freq / factor + smooth * inv_freq;
  const Tensor of_low = where(wavelength.gt(length / low), inv_freq / factor, medium);
  return where(wavelength.lt(length / high), inv_freq, of_low);
}

Tensor initial_frequencies(const RopeParameters& p, std::int64_t dim, std::int64_t max_length) {
  if (p.rope_type == "dynamic") return dynamic_frequencies(p, dim, max_length, max_length);
  if (p.rope_type == "yarn") return yarn_frequencies(p, dim);
  if (p.rope_type == "llama3") return llama3_frequencies(p, dim);
  const Tensor inv_freq = reciprocal(wavelengths(p.rope_theta, dim));
  return p.rope_type == "linear" ? inv_freq / *p.factor : inv_freq;
}

}  // namespace

RopeParameters RopeParameters::from_config(const huggingface::ConfigReader& config,
                                           std::int64_t max_position_embeddings) {
  RopeParameters p;
  double rotated_share = 1;
  config("rope_theta", p.rope_theta)("partial_rotary_factor", rotated_share);
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const Value* options = config.find(key);
    if (!options || options->is_none()) continue;
    const huggingface::ConfigReader read(*options, std::string("LlamaConfig: ") + key);
    read("type", p.rope_type);
    p.visit(read);
    read("partial_rotary_factor", rotated_share);
  }
  config("original_max_position_embeddings", p.original_max_position_embeddings);
  if (!p.original_max_position_embeddings)
    p.original_max_position_embeddings = max_position_embeddings;
  if (rotated_share != 1)
    throw NotImplementedError("LlamaConfig: partial_rotary_factor other than 1 is not supported");

  const auto require = [&](const std::optional<double>& option, const char* name) {
    if (!option)
      throw KeyError("LlamaConfig: rope_type '" + p.rope_type + "' requires '" + name + "'");
  };
  if (p.rope_type == "default") return p;
  if (p.rope_type != "linear" && p.rope_type != "dynamic" && p.rope_type != "yarn" &&
      p.rope_type != "llama3")
    config.fail("unknown rope_type '" + p.rope_type + "'");
  require(p.factor, "factor");
  if (p.rope_type == "llama3") {
    require(p.low_freq_factor, "low_freq_factor");
    require(p.high_freq_factor, "high_freq_factor");
  }
  return p;
}

Tensor Rotation::operator()(const Tensor& x) const {
  const std::vector<Tensor> halves = x.chunk(2, -1);
  return x * cos + cat({-halves[1], halves[0]}, -1) * sin;
}

LlamaRotaryEmbedding::LlamaRotaryEmbedding(RopeParameters p, std::int64_t dim,
                                           std::int64_t max_length)
    : parameters(std::move(p)),
      head_dim(dim),
      max_position_embeddings(max_length),
      inv_freq(initial_frequencies(parameters, dim, max_length), false),
      original_inv_freq(inv_freq.clone(), false) {
  if (parameters.rope_type == "yarn") attention_scaling = yarn_scaling(parameters);
}

Rotation LlamaRotaryEmbedding::forward(const Tensor& position_ids, DType dtype) const {
  const NoGrad guard;
  Tensor frequencies = inv_freq.to(DType::f32);
  if (parameters.rope_type == "dynamic")
    if (const auto length = position_ids.max().item<std::int64_t>() + 1;
        length > max_position_embeddings)
      frequencies = dynamic_frequencies(parameters, head_dim, length, max_position_embeddings);
  const Tensor angles = position_ids.to(DType::f32).unsqueeze(-1) * frequencies;
  const Tensor pairs = cat({angles, angles}, -1).unsqueeze(1);
  return {(pairs.cos() * attention_scaling).to(dtype), (pairs.sin() * attention_scaling).to(dtype)};
}

}  // namespace llama
