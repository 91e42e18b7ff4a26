#include "taper/dist/loss_parallel.h"

#include <limits>
#include <numeric>

#include "core/check.h"
#include "dist/rank_context.h"
#include "dist/tensor_parallel/region.h"
#include "taper/autograd/function.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"

namespace taper::distributed {
namespace {

using nn::functional::CrossEntropyFuncOptions;

/// Classes of all ranks: `size` of them, from `begin` on those of the caller.
struct ClassRange {
  std::int64_t begin = 0, count = 0, size = 0;
};

ClassRange class_range(std::int64_t count, const Group& group) {
  const std::vector<std::int64_t> counts = exchange_sizes(count, group);
  const auto own = counts.begin() + group->rank();
  const std::int64_t begin = std::accumulate(counts.begin(), own, std::int64_t{0});
  return {begin, count, std::accumulate(own, counts.end(), begin)};
}

/// Computes -log_softmax(x)[target] of the rows of `x` `(N, C)`, and 0 where `local` `(N)`, the
/// index of the target among the classes of the caller, is -1 on all ranks.
struct DividedLogSoftmax : autograd::Function<DividedLogSoftmax> {
  static constexpr bool once_differentiable = true;

  static Tensor forward(autograd::Context& ctx, const Tensor& x, const Tensor& local,
                        const Tensor& is_valid, const Group& group) {
    // Without classes the maximum of a row is that of other ranks.
    const Tensor maximum =
        x.size(1) > 0 ? x.amax({1}, true) : full({x.size(0), 1}, kLowest, {.dtype = x.dtype()});
    all_reduce(maximum, {.op = ReduceOp::max, .group = group});
    const Tensor shifted = x - maximum, exponentials = shifted.exp();
    const Tensor is_local = local.ge(0);
    Tensor target_score = zeros({x.size(0)}, {.dtype = x.dtype()});
    if (x.size(1) > 0)
      target_score = shifted.gather(1, local.clamp(0).unsqueeze(1))
                         .squeeze(1)
                         .masked_fill(is_local.logical_not(), 0);
    // One collective for both sums over classes.
    const Tensor sums = stack({exponentials.sum(1), target_score});
    all_reduce(sums, {.group = group});
    const Tensor total = sums.select(0, 0);
    ctx.save_for_backward({exponentials / total.unsqueeze(1), local, is_valid});
    return (total.log() - sums.select(0, 1)).masked_fill(is_valid.logical_not(), 0);
  }

  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& g) {
    const std::vector<Tensor> saved = ctx.saved_tensors();
    const Tensor &probabilities = saved[0], &local = saved[1];
    const Tensor ignored = saved[2].logical_not().unsqueeze(1);
    const Tensor scale = g[0].unsqueeze(1).masked_fill(ignored, 0);
    // Probabilities of ignored samples may be NaN.
    Tensor grad = (probabilities * scale).masked_fill_(ignored, 0);
    if (grad.size(1) > 0) {
      const Tensor at_target = scale.masked_fill(local.lt(0).unsqueeze(1), 0).neg();
      grad = grad.scatter_add(1, local.clamp(0).unsqueeze(1), at_target);
    }
    return {grad, {}, {}, {}};
  }

  static constexpr double kLowest = -std::numeric_limits<double>::infinity();
};

void check_supported(const Tensor& input, const Tensor& target, const CrossEntropyFuncOptions& o) {
  if (static_cast<double>(o.label_smoothing) != 0)
    fail<NotImplementedError>("cross_entropy: label smoothing of divided classes is not supported");
  if (!input.is_floating_point())
    fail<DTypeError>("cross_entropy: expected floating-point scores, got {}", input.dtype());
  if (target.dtype() != DType::i64 && target.dtype() != DType::i32 && target.dtype() != DType::u8)
    fail<NotImplementedError>(
        "cross_entropy: the targets of divided classes must be class indices, got {}",
        target.dtype());
  if (input.dim() == 0) fail<ShapeError>("cross_entropy: expected scores (C) or (N, C, ...)");
  Shape expected = input.shape();
  expected.erase(input.dim() == 1 ? 0 : 1);
  if (target.shape() != expected)
    fail<ShapeError>("cross_entropy: expected target of shape {} for scores of shape {}, got {}",
                     expected, input.shape(), target.shape());
}

void check_targets(const Tensor& target, const Tensor& is_valid, std::int64_t classes) {
  const Tensor is_wrong = (target.lt(0) | target.ge(classes)) & is_valid;
  if (is_wrong.any().item<bool>())
    fail<IndexError>("cross_entropy: target {} is out of range for {} classes",
                     target.masked_select(is_wrong).select(0, 0).item<std::int64_t>(), classes);
}

/// Cross entropy of scores `(N, C)`.
Tensor divided_cross_entropy(const Tensor& x, const Tensor& target,
                             const CrossEntropyFuncOptions& o, const Group& group) {
  const ClassRange classes = class_range(x.size(1), group);
  const Tensor is_valid = target.ne(static_cast<std::int64_t>(o.ignore_index));
  check_targets(target, is_valid, classes.size);
  if (o.weight && o.weight->shape() != Shape{classes.size})
    fail<ShapeError>("cross_entropy: expected weights of {} classes, got the shape {}",
                     classes.size, o.weight->shape());
  const Tensor own = target - classes.begin;
  const Tensor is_elsewhere = (own.lt(0) | own.ge(classes.count)) | is_valid.logical_not();
  Tensor loss = DividedLogSoftmax::apply(x, own.masked_fill(is_elsewhere, -1), is_valid, group);
  const Tensor safe_target = target.masked_fill(is_valid.logical_not(), 0);
  Tensor weights = is_valid.to(x.dtype());
  if (o.weight) {
    weights = weights * o.weight->index_select(0, safe_target).to(x.dtype());
    loss = loss * weights;
  }
  if (o.reduction == "none") return loss;
  return o.reduction == "sum" ? loss.sum() : loss.sum() / weights.sum();
}

}  // namespace

namespace functional {

Tensor cross_entropy(const Tensor& input, const Tensor& target, const CrossEntropyFuncOptions& o,
                     const Group& given) {
  const Group& group = resolve_group(given);
  if (group->rank() < 0)
    fail<ValueError>("cross_entropy: the caller is not a member of the process group");
  check_supported(input, target, o);
  if (o.reduction != "mean" && o.reduction != "sum" && o.reduction != "none")
    fail<ValueError>("{} is not a valid value for reduction", o.reduction);
  // Classes last: (N, C, d1, ...) to (N * d1 ..., C).
  const Tensor rows = input.dim() == 1 ? input.unsqueeze(0) : input.movedim(1, -1);
  // Sums of 16-bit floats are computed in float32.
  const DType dtype = input.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const Tensor loss = divided_cross_entropy(rows.reshape({target.numel(), rows.size(-1)}).to(dtype),
                                            target.reshape({-1}).to(DType::i64), o, group)
                          .to(input.dtype());
  return o.reduction == "none" ? loss.view(target.shape()) : loss;
}

}  // namespace functional

LossParallelScope::LossParallelScope(const Group& group)
    : function_([member = resolve_group(group)](const Tensor& input, const Tensor& target,
                                                const CrossEntropyFuncOptions& options) {
        return functional::cross_entropy(input, target, options, member);
      }),
      previous_(nn::detail::cross_entropy_function()) {
  nn::detail::cross_entropy_function() = &function_;
}

LossParallelScope::~LossParallelScope() { nn::detail::cross_entropy_function() = previous_; }

}  // namespace taper::distributed
