// Random tensors and random fills, drawn from PyTorch's stream.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/options.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

// Every function draws from `generator`; the same seed gives the numbers that PyTorch's CPU draws.
// Contiguous tensors are filled in row-major order, others in the order of their memory.

/// Uniform in [0, 1), in a floating-point type.
Tensor rand(const Shape& shape, const TensorOptions& options = {},
            const Generator& generator = default_generator());
Tensor rand_like(const Tensor& like, const TensorOptions& options = {},
                 const Generator& generator = default_generator());
/// Standard normal.
Tensor randn(const Shape& shape, const TensorOptions& options = {},
             const Generator& generator = default_generator());
Tensor randn_like(const Tensor& like, const TensorOptions& options = {},
                  const Generator& generator = default_generator());
/// Integers low <= x < high, i64 unless told otherwise. Throws ValueError if low >= high, or if the
/// type cannot hold a bound.
Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape,
               const TensorOptions& options = {}, const Generator& generator = default_generator());
Tensor randint(std::int64_t high, const Shape& shape, const TensorOptions& options = {},
               const Generator& generator = default_generator());
/// The numbers 0 to n - 1 in random order, i64 unless told otherwise. Throws ValueError if n < 0 or
/// the type cannot hold n - 1.
Tensor randperm(IntArg n, const TensorOptions& options = {},
                const Generator& generator = default_generator());
/// Normal; means and deviations per element are broadcast against each other. Throws ValueError if
/// a deviation is negative.
Tensor normal(double mean, double std, const Shape& shape, const TensorOptions& options = {},
              const Generator& generator = default_generator());
Tensor normal(const Tensor& mean, const Tensor& std,
              const Generator& generator = default_generator());
Tensor normal(const Tensor& mean, double std = 1, const Generator& generator = default_generator());
Tensor normal(double mean, const Tensor& std, const Generator& generator = default_generator());
/// 1 with the probability that the input's element gives, else 0. Throws ValueError for a
/// probability outside of [0, 1].
Tensor bernoulli(const Tensor& input, const Generator& generator = default_generator());
/// The same with one probability for all elements.
Tensor bernoulli(const Tensor& input, FloatArg p, const Generator& generator = default_generator());
/// Poisson with the rate that the input's element gives. Throws ValueError for a negative rate.
Tensor poisson(const Tensor& input, const Generator& generator = default_generator());
/// `samples` indices from each row of weights `(C)` or `(R, C)`: i64 `(samples)` or `(R, samples)`.
/// Weights need not sum to 1. Throws ValueError for negative or infinite weights, a row without
/// weight, and more samples than categories without replacement.
Tensor multinomial(const Tensor& input, IntArg samples, bool replacement = false,
                   const Generator& generator = default_generator());

namespace ops {
/// Fills of a tensor in place. A tensor that requires grad is a result of nothing afterwards: its
/// former history gets a gradient of zeros. PyTorch: the methods of torch.Tensor.
struct RandomMethods {
  /// Uniform in [from, to). Throws ValueError if from > to.
  const Tensor& uniform_(double from = 0, double to = 1,
                         const Generator& generator = default_generator()) const;
  /// Throws ValueError if std < 0.
  const Tensor& normal_(double mean = 0, double std = 1,
                        const Generator& generator = default_generator()) const;
  /// The exponential of a normal. Throws ValueError unless std > 0.
  const Tensor& log_normal_(double mean = 1, double std = 2,
                            const Generator& generator = default_generator()) const;
  /// Integers from 0 to the largest of the type (floating types: up to 2^digits)...
  const Tensor& random_(const Generator& generator = default_generator()) const;
  /// ...below `to`, or from <= x < to; nothing as `to` means up to the largest. Any type.
  const Tensor& random_(std::int64_t to, const Generator& generator = default_generator()) const;
  const Tensor& random_(std::int64_t from, std::optional<std::int64_t> to,
                        const Generator& generator = default_generator()) const;
  /// 1 with probability p, else 0. Any type. Throws ValueError for p outside of [0, 1].
  const Tensor& bernoulli_(FloatArg p = 0.5,
                           const Generator& generator = default_generator()) const;
  const Tensor& bernoulli_(const Tensor& p, const Generator& generator = default_generator()) const;
  /// Density lambd * exp(-lambd * x). Throws ValueError unless lambd > 0.
  const Tensor& exponential_(double lambd = 1,
                             const Generator& generator = default_generator()) const;
  /// Trials up to the first success. Any type but bool. Throws ValueError unless 0 < p < 1.
  const Tensor& geometric_(FloatArg p, const Generator& generator = default_generator()) const;
  /// Throws ValueError unless sigma > 0.
  const Tensor& cauchy_(double median = 0, double sigma = 1,
                        const Generator& generator = default_generator()) const;
  /// Normal, drawn again until it lies in [a, b]: what nn::init::trunc_normal_ does.
  const Tensor& trunc_normal_(double mean, double std, double a, double b,
                              const Generator& generator = default_generator()) const;

  Tensor bernoulli(const Generator& generator = default_generator()) const;
  Tensor multinomial(IntArg samples, bool replacement = false,
                     const Generator& generator = default_generator()) const;
};
}  // namespace ops
}  // namespace taper
