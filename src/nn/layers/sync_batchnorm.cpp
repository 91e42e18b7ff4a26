#include "taper/nn/sync_batchnorm.h"

#include <atomic>
#include <string>
#include <vector>

#include "core/check.h"
#include "nn/layers/options.h"
#include "taper/autograd/function.h"
#include "taper/core/factory.h"
#include "taper/nn/detail/statistics_exchange.h"
#include "taper/nn/module_value.h"

namespace taper::nn {

namespace detail {
namespace {

constinit std::atomic<StatisticsExchangeProvider> exchange_provider{nullptr};

}  // namespace

void set_statistics_exchange(StatisticsExchangeProvider provider) noexcept {
  exchange_provider.store(provider, std::memory_order_release);
}

const StatisticsExchange* statistics_exchange() {
  const StatisticsExchangeProvider provider = exchange_provider.load(std::memory_order_acquire);
  return provider ? provider() : nullptr;
}

}  // namespace detail

namespace {

using autograd::Context;
using detail::StatisticsExchange;

/// Returns the statistics (C) as a tensor that broadcasts with an input (N, C, ...).
Tensor per_channel(const Tensor& statistics, const Tensor& input) {
  Shape shape = Shape::filled(static_cast<std::size_t>(input.dim()), 1);
  shape[1] = statistics.numel();
  return statistics.view(shape);
}

Dims dims_without_channels(const Tensor& input) {
  Dims dims = {0};
  for (std::int64_t d = 2; d < input.dim(); ++d) dims.push_back(d);
  return dims;
}

/// Mean and biased variance over the elements of all ranks, and their number.
struct RankStatistics {
  Tensor mean, var, count;
};

RankStatistics compute_statistics(const Tensor& x, const StatisticsExchange& exchange) {
  const NoGrad no_grad;
  const std::int64_t channels = x.size(1), count = x.numel() / channels;
  const Dims dims = dims_without_channels(x);
  const TensorOptions options = {.dtype = x.dtype(), .device = x.device()};
  // A rank without elements contributes with weight 0.
  const Tensor mean = count ? x.mean(dims) : zeros({channels}, options);
  const Tensor squares = (x - per_channel(mean, x)).square().sum(dims);
  const Tensor all =
      exchange.all_gather(cat({mean, squares, full({1}, static_cast<double>(count), options)}));
  const Tensor means = all.narrow(1, 0, channels), sums = all.narrow(1, channels, channels),
               counts = all.narrow(1, 2 * channels, 1);
  const Tensor total = counts.sum();
  const Tensor global_mean = (means * counts).sum({0}) / total;
  const Tensor var = (sums.sum({0}) + (counts * (means - global_mean).square()).sum({0})) / total;
  return {global_mean, var, total};
}

/// (x - mean) * inv_std * weight with statistics that depend on x of all ranks. The gradient is
/// multiplied by the weight last, because the terms before it nearly cancel for few elements.
struct SyncNormalize : autograd::Function<SyncNormalize> {
  static constexpr bool once_differentiable = true;

  static Tensor forward(Context& ctx, const Tensor& x, const Tensor& weight,
                        const RankStatistics& statistics, double eps) {
    const Tensor inv_std = (statistics.var + eps).rsqrt();
    ctx.save_for_backward({x, weight, statistics.mean, inv_std, statistics.count});
    return (x - per_channel(statistics.mean, x)) * per_channel(inv_std, x) * per_channel(weight, x);
  }
  static std::vector<Tensor> backward(Context& ctx, const std::vector<Tensor>& grads) {
    const StatisticsExchange* const exchange = detail::statistics_exchange();
    if (!exchange)
      fail<RuntimeError>("SyncBatchNorm: the process group of the forward pass was destroyed");
    const auto saved = ctx.saved_tensors();
    const Tensor &x = saved[0], &inv_std = saved[3], &count = saved[4], &g = grads[0];
    const Dims dims = dims_without_channels(x);
    const Tensor centered = x - per_channel(saved[2], x);
    const Tensor sum_g_centered = (g * centered).sum(dims);
    // Sums over the elements of all ranks of dy and of dy (x - mean).
    const Tensor sums = exchange->sum(cat({g.sum(dims), sum_g_centered}));
    const Tensor mean_g = sums.narrow(0, 0, x.size(1)) / count;
    const Tensor slope = inv_std * inv_std * sums.narrow(0, x.size(1), x.size(1)) / count;
    return {(g - per_channel(mean_g, x) - centered * per_channel(slope, x)) *
                per_channel(inv_std * saved[1], x),
            sum_g_centered * inv_std,
            {},
            {}};
  }
};

}  // namespace

TAPER_LAYER_MEMBERS(SyncBatchNorm, weight, bias, running_mean, running_var, num_batches_tracked)

Tensor SyncBatchNorm::forward(const Tensor& input) const {
  check_rank(called(input));
  if (input.size(1) == 0)
    fail<ValueError>(
        "SyncBatchNorm number of input channels should be non-zero: got an input of "
        "shape {}",
        input.shape());
  const StatisticsExchange* const exchange = training ? detail::statistics_exchange() : nullptr;
  return exchange ? normalize_over_ranks(input, *exchange) : normalize(input);
}

Tensor SyncBatchNorm::normalize_over_ranks(const Tensor& input,
                                           const StatisticsExchange& exchange) const {
  const bool is_narrow = input.is_floating_point() && input.element_size() < sizeof(float);
  const Tensor x = is_narrow ? input.to(DType::f32) : input;
  const RankStatistics statistics = compute_statistics(x, exchange);
  const Tensor scale = weight ? weight->to(x.dtype())
                              : ones({x.size(1)}, {.dtype = x.dtype(), .device = x.device()});
  Tensor y = SyncNormalize::apply(x, scale, statistics, eps);
  if (bias) y = y + per_channel(*bias, x);
  if (track_running_stats && num_batches_tracked) {
    const NoGrad no_grad;
    num_batches_tracked->add_(1);
    const double factor = momentum.value_or(1 / num_batches_tracked->item<double>());
    const Tensor unbiased = statistics.var * statistics.count / (statistics.count - 1);
    running_mean->lerp_(statistics.mean.to(running_mean->dtype()), factor);
    running_var->lerp_(unbiased.to(running_var->dtype()), factor);
  }
  return is_narrow ? y.to(input.dtype()) : y;
}

namespace {

std::shared_ptr<Module> synchronized(const BatchNormBase& norm) {
  auto result = std::make_shared<SyncBatchNorm>(
      norm.num_features, BatchNormOptions{.eps = norm.eps,
                                          .momentum = norm.momentum,
                                          .affine = norm.affine,
                                          .track_running_stats = norm.track_running_stats,
                                          .bias = norm.bias.has_value()});
  result->weight = norm.weight, result->bias = norm.bias;
  result->running_mean = norm.running_mean, result->running_var = norm.running_var;
  result->num_batches_tracked = norm.num_batches_tracked;
  result->training = norm.training;
  return result;
}

/// Returns the replacement of a module; null if it is not a batch normalization layer.
std::shared_ptr<Module> replacement_of(const Module& module) {
  const auto norm = module.as<BatchNormBase>();
  return norm && !module.as<SyncBatchNorm>() ? synchronized(*norm) : nullptr;
}

struct Replaced {
  Module* parent;
  std::string name;
  std::shared_ptr<Module> before;
};

void replace_children(Module& module, std::vector<Replaced>& done) {
  for (const NamedModule& child : module.named_children()) {
    std::shared_ptr<Module> replacement = replacement_of(*child.module);
    if (!replacement) {
      replace_children(*child.module, done);
      continue;
    }
    std::shared_ptr<Module> before = shared_module_of(module.get_attr(child.name));
    module.set_attr(child.name, std::move(replacement));
    done.push_back({&module, child.name, std::move(before)});
  }
}

}  // namespace

std::shared_ptr<Module> SyncBatchNorm::convert_sync_batchnorm(
    const std::shared_ptr<Module>& module) {
  if (!module) fail<ValueError>("convert_sync_batchnorm: got a null module");
  if (std::shared_ptr<Module> replacement = replacement_of(*module)) return replacement;
  std::vector<Replaced> done;
  try {
    replace_children(*module, done);
  } catch (const Error&) {
    for (const Replaced& r : done) r.parent->set_attr(r.name, r.before);
    throw;
  }
  return module;
}

namespace {

constexpr auto kRejectGroup = [](auto&, const Arguments& a) {
  if (!a["process_group"].is_none()) a.reject("process_group", "None");
};

}  // namespace

TAPER_SCHEMA_AS(SyncBatchNorm, BatchNormOptions, "batchnorm",
                "eps, momentum, affine, track_running_stats, process_group, device, dtype, *, bias",
                kRejectGroup, num_features)

}  // namespace taper::nn
