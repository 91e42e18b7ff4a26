// Softmax and its kin.
#pragma once
#include <cstdint>
#include <optional>

#include "taper/core/api.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// What the three have: the dimension, which was once guessed if it was not given.
class SoftmaxBase : public Module {
 public:
  SoftmaxBase() = default;
  explicit SoftmaxBase(IntArg along) : dim(along) {}
  explicit SoftmaxBase(SoftmaxBase&) = default;
  SoftmaxBase(SoftmaxBase&&) noexcept = default;
  SoftmaxBase& operator=(SoftmaxBase&&) noexcept = default;

  std::optional<std::int64_t> dim;
  std::string extra_repr() const override;
};

/// exp(x) / sum(exp(x)) along `dim`. PyTorch: torch.nn.Softmax.
class Softmax : public SoftmaxBase {
 public:
  using SoftmaxBase::SoftmaxBase;
  TAPER_LAYER(Softmax)
  Tensor forward(const Tensor& input) const;
};

/// The logarithm of softmax. PyTorch: torch.nn.LogSoftmax.
class LogSoftmax : public SoftmaxBase {
 public:
  using SoftmaxBase::SoftmaxBase;
  TAPER_LAYER(LogSoftmax)
  Tensor forward(const Tensor& input) const;
};

/// Softmax of -x. PyTorch: torch.nn.Softmin.
class Softmin : public SoftmaxBase {
 public:
  using SoftmaxBase::SoftmaxBase;
  TAPER_LAYER(Softmin)
  Tensor forward(const Tensor& input) const;
};

}  // namespace nn
}  // namespace taper
