// Random tensors and in-place random fills.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/memory_format.h"
#include "taper/core/options.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

// All functions draw from `generator`. The same seed produces the values that PyTorch produces on
// the CPU. Contiguous tensors are filled in row-major order, others in the order of their memory.

/// Returns a tensor of samples from the uniform distribution on [0, 1). Throws DTypeError unless
/// the dtype is a floating-point type. PyTorch: torch.rand.
Tensor rand(const Shape& shape, const TensorOptions& options = {},
            const Generator& generator = default_generator());
/// Returns samples from the uniform distribution on [0, 1) with the shape and, by default, the
/// dtype and device of `like`. PyTorch: torch.rand_like.
Tensor rand_like(const Tensor& like, const TensorOptions& options = {},
                 const Generator& generator = default_generator(),
                 MemoryFormat memory_format = contiguous_format);
/// Returns a tensor of samples from the standard normal distribution. Throws DTypeError unless the
/// dtype is a floating-point type. PyTorch: torch.randn.
Tensor randn(const Shape& shape, const TensorOptions& options = {},
             const Generator& generator = default_generator());
/// Returns samples from the standard normal distribution with the shape and, by default, the dtype
/// and device of `like`. PyTorch: torch.randn_like.
Tensor randn_like(const Tensor& like, const TensorOptions& options = {},
                  const Generator& generator = default_generator(),
                  MemoryFormat memory_format = contiguous_format);
/// Returns a tensor of uniform integers in [low, high), i64 by default. `low` defaults to 0. Throws
/// ValueError if low >= high, or if the dtype cannot represent a bound. PyTorch: torch.randint.
Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape,
               const TensorOptions& options = {}, const Generator& generator = default_generator());
Tensor randint(std::int64_t high, const Shape& shape, const TensorOptions& options = {},
               const Generator& generator = default_generator());
/// Returns uniform integers in [low, high) with the shape and, by default, the dtype and device of
/// `like`. Throws the errors of `randint`. PyTorch: torch.randint_like.
Tensor randint_like(const Tensor& like, std::int64_t low, std::int64_t high,
                    const TensorOptions& options = {},
                    const Generator& generator = default_generator());
Tensor randint_like(const Tensor& like, std::int64_t high, const TensorOptions& options = {},
                    const Generator& generator = default_generator());
/// Returns a random permutation of the integers 0 to n - 1, i64 by default. Throws ValueError if
/// n < 0 or if the dtype cannot represent n - 1. PyTorch: torch.randperm.
Tensor randperm(IntArg n, const TensorOptions& options = {},
                const Generator& generator = default_generator());
/// Returns a tensor of samples from the normal distribution. Means and standard deviations per
/// element are broadcast against each other. Throws ValueError if a standard deviation is negative.
/// PyTorch: torch.normal.
Tensor normal(double mean, double std, const Shape& shape, const TensorOptions& options = {},
              const Generator& generator = default_generator());
Tensor normal(const Tensor& mean, const Tensor& std,
              const Generator& generator = default_generator());
Tensor normal(const Tensor& mean, double std = 1, const Generator& generator = default_generator());
Tensor normal(double mean, const Tensor& std, const Generator& generator = default_generator());
/// Returns a tensor of the shape of `input` whose elements are 1 with the probabilities given by
/// the elements of `input`, otherwise 0. Throws ValueError if a probability is not in [0, 1].
/// PyTorch: torch.bernoulli.
Tensor bernoulli(const Tensor& input, const Generator& generator = default_generator());
/// Returns a tensor of the shape of `input` whose elements are 1 with probability p, otherwise 0.
/// Throws ValueError if p is not in [0, 1]. PyTorch: torch.bernoulli.
Tensor bernoulli(const Tensor& input, FloatArg p, const Generator& generator = default_generator());
/// Returns a tensor of samples from the Poisson distribution with the rates given by `input`.
/// Throws ValueError if a rate is negative. PyTorch: torch.poisson.
Tensor poisson(const Tensor& input, const Generator& generator = default_generator());
/// Returns `samples` indices drawn from each row of weights `(C)` or `(R, C)`: i64 `(samples)` or
/// `(R, samples)`. Weights need not sum to 1. Throws ValueError if a weight is negative, infinite
/// or NaN, if the weights of a row sum to 0, or if `samples` exceeds C without replacement.
/// PyTorch: torch.multinomial.
Tensor multinomial(const Tensor& input, IntArg samples, bool replacement = false,
                   const Generator& generator = default_generator());

namespace ops {
/// Tensor methods that draw random values. Methods with a trailing underscore fill the tensor in
/// place and return it; the gradient of the overwritten value is zero.
/// PyTorch: the methods of torch.Tensor.
struct RandomMethods {
  /// Fills the tensor from the uniform distribution on [from, to). Throws ValueError if from > to,
  /// or if a bound or to - from exceeds the largest number of the dtype.
  /// PyTorch: torch.Tensor.uniform_.
  const Tensor& uniform_(double from = 0, double to = 1,
                         const Generator& generator = default_generator()) const;
  /// Fills the tensor from the normal distribution. Throws ValueError if std < 0.
  /// PyTorch: torch.Tensor.normal_.
  const Tensor& normal_(double mean = 0, double std = 1,
                        const Generator& generator = default_generator()) const;
  /// Fills the tensor from the log-normal distribution: exp(x) for normal x with the given mean and
  /// std. Throws ValueError unless std > 0. PyTorch: torch.Tensor.log_normal_.
  const Tensor& log_normal_(double mean = 1, double std = 2,
                            const Generator& generator = default_generator()) const;
  /// Fills the tensor with uniform integers from 0 to the maximum of the dtype; for floating-point
  /// types, from 0 to 2^digits. PyTorch: torch.Tensor.random_.
  const Tensor& random_(const Generator& generator = default_generator()) const;
  /// Fills the tensor with uniform integers in [0, to) or [from, to), for any dtype; without `to`,
  /// up to the maximum of the dtype. Throws ValueError if from >= to, or if the dtype cannot
  /// represent a bound. PyTorch: torch.Tensor.random_.
  const Tensor& random_(std::int64_t to, const Generator& generator = default_generator()) const;
  const Tensor& random_(std::int64_t from, std::optional<std::int64_t> to,
                        const Generator& generator = default_generator()) const;
  /// Sets each element, of any dtype, to 1 with probability p, otherwise to 0. A tensor p is
  /// broadcast to the shape of the tensor. Throws ValueError if p is not in [0, 1].
  /// PyTorch: torch.Tensor.bernoulli_.
  const Tensor& bernoulli_(FloatArg p = 0.5,
                           const Generator& generator = default_generator()) const;
  const Tensor& bernoulli_(const Tensor& p, const Generator& generator = default_generator()) const;
  /// Fills the tensor from the exponential distribution with density lambd * exp(-lambd * x).
  /// Throws ValueError unless lambd > 0. PyTorch: torch.Tensor.exponential_.
  const Tensor& exponential_(double lambd = 1,
                             const Generator& generator = default_generator()) const;
  /// Fills the tensor from the geometric distribution: the number of trials until the first
  /// success, for any dtype except bool. Throws ValueError unless 0 < p < 1, DTypeError for bool.
  /// PyTorch: torch.Tensor.geometric_.
  const Tensor& geometric_(FloatArg p, const Generator& generator = default_generator()) const;
  /// Fills the tensor from the Cauchy distribution with the given median and scale `sigma`. Throws
  /// ValueError unless sigma > 0. PyTorch: torch.Tensor.cauchy_.
  const Tensor& cauchy_(double median = 0, double sigma = 1,
                        const Generator& generator = default_generator()) const;
  /// Fills the tensor from the normal distribution truncated to [a, b]. Throws ValueError unless
  /// std > 0 and a < b. PyTorch: torch.nn.init.trunc_normal_.
  const Tensor& trunc_normal_(double mean, double std, double a, double b,
                              const Generator& generator = default_generator()) const;

  /// Returns a tensor whose elements are 1 with the probabilities given by the elements of this
  /// tensor, otherwise 0; see taper::bernoulli. PyTorch: torch.Tensor.bernoulli.
  Tensor bernoulli(const Generator& generator = default_generator()) const;
  /// Returns indices drawn from the weights in this tensor; see taper::multinomial.
  /// PyTorch: torch.Tensor.multinomial.
  Tensor multinomial(IntArg samples, bool replacement = false,
                     const Generator& generator = default_generator()) const;
};
}  // namespace ops
}  // namespace taper
