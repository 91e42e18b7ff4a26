#include <cmath>
#include <numbers>

#include "core/random/elements.h"

namespace taper::random {

void fill_exponential(Engine& engine, Target out, double lambd) {
  visit_floating("exponential_", out, [&]<class T>(T* data) {
    for_each_uniform53(engine, out.size, [&](std::int64_t i, double u) {
      data[i] = to_element<T>(-1 / lambd * std::log1p(-u));
    });
  });
}

void fill_cauchy(Engine& engine, Target out, double median, double sigma) {
  visit_floating("cauchy_", out, [&]<class T>(T* data) {
    for_each_uniform53(engine, out.size, [&](std::int64_t i, double u) {
      data[i] = to_element<T>(median + sigma * std::tan(std::numbers::pi * (u - 0.5)));
    });
  });
}

void fill_geometric(Engine& engine, Target out, double p) {
  visit_any("geometric_", out, [&]<class T>(T* data) {
    for_each_uniform53(engine, out.size, [&](std::int64_t i, double u) {
      data[i] = to_element<T>(std::ceil(std::log(u) / std::log1p(-p)));
    });
  });
}

void fill_bernoulli(Engine& engine, Target out, double p) {
  visit_any("bernoulli_", out, [&]<class T>(T* data) {
    const T zero_one[] = {from_integer<T>(0), from_integer<T>(1)};  // avoids mispredicted branches
    for_each_uniform53(engine, out.size,
                       [&](std::int64_t i, double u) { data[i] = zero_one[u < p]; });
  });
}

void fill_bernoulli(Engine& engine, Target out, Source p, DType p_dtype) {
  visit_any("bernoulli", out, [&]<class T>(T* data) {
    const T zero_one[] = {from_integer<T>(0), from_integer<T>(1)};
    // As in PyTorch, the dtype of the probabilities determines the precision of the uniform
    // numbers.
    visit_floating("bernoulli", {const_cast<void*>(p), p_dtype, out.size}, [&]<class P>(P* typed) {
      const P* chance = typed;
      if constexpr (std::is_same_v<P, double>) {
        for_each_uniform53(engine, out.size,
                           [&](std::int64_t i, double u) { data[i] = zero_one[u < chance[i]]; });
      } else {
        for_each_uniform24(engine, out.size, [&](std::int64_t i, float u) {
          data[i] = zero_one[u < static_cast<float>(chance[i])];
        });
      }
    });
  });
}

void fill_rrelu_noise(Engine& engine, Target out, Source x, double lower, double upper) {
  visit_floating("rrelu", out, [&]<class T>(T* data) {
    const auto* in = static_cast<const T*>(x);
    const auto low = static_cast<double>(static_cast<Wide<T>>(to_element<T>(lower)));
    const auto high = static_cast<double>(static_cast<Wide<T>>(to_element<T>(upper)));
    for (std::int64_t i = 0; i < out.size; ++i) {
      const bool slopes = static_cast<Wide<T>>(in[i]) <= 0;
      data[i] = to_element<T>(slopes ? engine.uniform53() * (high - low) + low : 1.0);
    }
  });
}

}  // namespace taper::random
