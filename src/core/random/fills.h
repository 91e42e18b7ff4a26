// Random fills of contiguous memory, the layer below tensors. Elements are drawn in memory order
// and are bitwise equal to those of PyTorch on the CPU. Callers check the arguments. A fill throws
// DTypeError if it does not support the element type.
#pragma once
#include <cstdint>
#include <span>

#include "core/random/engine.h"
#include "taper/core/dtype.h"

namespace taper::random {

/// Contiguous memory to be filled.
struct Target {
  void* data = nullptr;
  DType dtype = DType::f32;
  std::int64_t size = 0;

  Target() = default;
  Target(void* d, DType t, std::int64_t n) : data(d), dtype(t), size(n) {}
  template <class T> explicit Target(std::span<T> s)
      : data(s.data()), dtype(dtype_of<T>), size(static_cast<std::int64_t>(s.size())) {}
};

/// Memory to read, with the same element type as the target unless specified otherwise.
using Source = const void*;

// Floating-point elements.
void fill_uniform(Engine&, Target, double low, double high);
/// Fills as PyTorch fills a contiguous tensor: 16 or more elements are drawn in blocks of 16.
void fill_normal(Engine&, Target, double mean, double std);
/// Fills as PyTorch fills a non-contiguous tensor: normals are drawn one by one.
void fill_normal_serial(Engine&, Target, double mean, double std);
void fill_log_normal(Engine&, Target, double mean, double std);
void fill_exponential(Engine&, Target, double lambd);
void fill_cauchy(Engine&, Target, double median, double sigma);
void fill_trunc_normal(Engine&, Target, double mean, double std, double low, double high);
/// Draws out[i] from the Poisson distribution of rate rates[i].
void fill_poisson(Engine&, Target, Source rates);
/// Draws out[i] from the gamma distribution of shape alphas[i] and scale 1.
void fill_standard_gamma(Engine&, Target, Source alphas);
/// Sets out[i] to the factor of x[i]: a slope in [lower, upper) if x[i] <= 0, otherwise 1.
void fill_rrelu_noise(Engine&, Target, Source x, double lower, double upper);

// Elements of any type.
void fill_bernoulli(Engine&, Target, double p);
/// Sets out[i] to 1 with probability p[i], otherwise to 0. `p` is an array of the floating-point
/// type `p_dtype`.
void fill_bernoulli(Engine&, Target, Source p, DType p_dtype);
void fill_geometric(Engine&, Target, double p);
/// Fills with integers in [low, low + width); a width of 0 represents 2^64.
void fill_integers(Engine&, Target, std::int64_t low, std::uint64_t width);
/// Fills with integers from 0 to max_exact_integer(dtype).
void fill_integers(Engine&, Target);
void fill_permutation(Engine&, Target);
/// Returns the largest n such that the dtype represents all integers from 0 to n.
std::int64_t max_exact_integer(DType dtype);

/// Arguments of fill_multinomial, which draws indices from each row of weights [rows, categories]
/// of type `dtype` into out [rows, samples].
struct Multinomial {
  Source weights = nullptr;
  DType dtype = DType::f32;
  std::int64_t rows = 1, categories = 0, samples = 0;
  bool replacement = false;
};
void fill_multinomial(Engine&, std::int64_t* out, const Multinomial&);

double poisson(Engine&, double rate);
double standard_gamma(Engine&, double alpha);
/// Returns NaN if p is NaN. `count` is a non-negative integer below 2^53.
double binomial(Engine&, double count, double p);

}  // namespace taper::random
