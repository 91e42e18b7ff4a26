// ColwiseParallel and RowwiseParallel.
#include <utility>

#include "core/check.h"
#include "dist/tensor_parallel/style.h"
#include "taper/core/factory.h"
#include "taper/nn/attention.h"
#include "taper/nn/embedding.h"
#include "taper/nn/linear.h"

namespace taper::distributed {
namespace {

using detail::ParameterLayout;
using detail::StyleRules;

/// Throws unless the parameters of a layer have the shapes that its forward requires.
void check_layer_shapes(const StyleRules& style, const std::string& path, const Tensor& weight,
                        const std::optional<nn::Parameter>& bias) {
  if (!weight.defined() || weight.dim() != 2)
    fail<ValueError>("{}: module '{}': the weight must be a matrix", style.name(), path);
  if (bias && bias->defined() && bias->shape() != Shape{weight.size(0)})
    fail<ValueError>("{}: module '{}': expected a bias of {} elements for the weight {}, got {}",
                     style.name(), path, weight.size(0), weight.shape(), bias->shape());
}

[[noreturn]] void fail_unsupported(const StyleRules& style, const nn::Module& module,
                                   const std::string& path) {
  fail<NotImplementedError>(
      "parallelize_module: module '{}' is {}: {} currently only support nn.Linear and "
      "nn.Embedding!",
      path, module.type_name(), style.name());
}

/// Returns a module as a Linear whose forward its parent calls, or null.
const nn::Linear* as_linear(const nn::Module& module) {
  return module.as<nn::NonDynamicallyQuantizableLinear>() ? nullptr : module.as<nn::Linear>();
}

/// Layouts of the parameters of Linear and Embedding.
struct LayerPlacements {
  Placement linear_weight, linear_bias, embedding_weight;
};

/// Throws if a parameter of the layer is computed from others, so that its data cannot be divided.
void check_own_parameter(const StyleRules& style, const nn::Module& module, const std::string& path,
                         const char* parameter) {
  const Value own = module.own_parameters();
  if (!own.as_dict().find(parameter))
    fail<NotImplementedError>("{}: module '{}': '{}' is not a parameter of the module itself",
                              style.name(), path, parameter);
}

std::vector<ParameterLayout> layer_layouts(const StyleRules& style, const nn::Module& module,
                                           const std::string& path,
                                           const LayerPlacements& placements) {
  if (as_linear(module) || module.as<nn::Embedding>())
    check_own_parameter(style, module, path, "weight");
  if (const nn::Linear* const linear = as_linear(module)) {
    check_layer_shapes(style, path, linear->weight, linear->bias);
    std::vector<ParameterLayout> layouts = {{"weight", linear->weight, placements.linear_weight}};
    if (linear->bias && linear->bias->defined())
      layouts.push_back({"bias", *linear->bias, placements.linear_bias});
    return layouts;
  }
  const auto embedding = module.as<nn::Embedding>();
  if (!embedding) fail_unsupported(style, module, path);
  check_layer_shapes(style, path, embedding->weight, {});
  return {{"weight", embedding->weight, placements.embedding_weight}};
}

class ColwiseRules final : public StyleRules {
 public:
  explicit ColwiseRules(const LayerParallelOptions& options)
      : input_(options.input_layouts.value_or(Replicate())),
        output_(options.output_layouts.value_or(Shard(-1))) {}

  const char* name() const override { return "ColwiseParallel"; }
  bool shares_argument() const override { return true; }

  std::vector<ParameterLayout> layouts(const nn::Module& module,
                                       const std::string& path) const override {
    if (const auto e = module.as<nn::Embedding>(); e && e->max_norm)
      fail<NotImplementedError>(
          "ColwiseParallel: module '{}': max_norm requires whole rows; use RowwiseParallel", path);
    return layer_layouts(*this, module, path, {Shard(0), Shard(0), Shard(1)});
  }

  void attach(nn::Module& module, const LayoutContext& at) const override {
    module.register_forward_pre_hook([input = input_, at](nn::Module&, Values& args) {
      const Tensor x = detail::single_tensor(args, at);
      const auto convert = [&] { return enter_layer(x, input, at); };
      args[0] = at.shared ? at.shared->get(x, input, convert) : convert();
    });
    const std::size_t output_dim = module.as<nn::Embedding>() ? 1 : 0;  // of the weight
    const std::int64_t columns = full_shape(module.get_parameter("weight"))[output_dim];
    module.register_forward_hook(
        [output = output_, at, columns](nn::Module&, const Values&, Value& result) {
          const Tensor y = result.as_tensor();
          if (output.is_shard() && at.checked_dim(y, output.dim()) == y.dim() - 1) return;
          // The sizes of the parts are known: they need not be exchanged.
          const Parts parts{y.dim() - 1, piece_sizes(columns, at.group->size())};
          if (output.is_replicate())
            result = gather_parts(y, parts, at.group);
          else
            result = redistribute(y, Shard(-1), output, at);
        });
  }

 private:
  /// Returns the whole argument, whose gradient is summed over ranks.
  static Tensor enter_layer(const Tensor& x, const Placement& input, const LayoutContext& at) {
    if (!x.is_floating_point()) return redistribute(x, input, Replicate(), at);
    if (input.is_replicate()) return enter_parallel(x, at.group);
    return gather_and_enter(x, exchange_parts(x, input.dim(), at), at.group);
  }

  Placement input_, output_;
};

class RowwiseRules final : public StyleRules {
 public:
  explicit RowwiseRules(const LayerParallelOptions& options)
      : input_(options.input_layouts.value_or(Shard(-1))),
        output_(options.output_layouts.value_or(Replicate())) {}

  const char* name() const override { return "RowwiseParallel"; }

  std::vector<ParameterLayout> layouts(const nn::Module& module,
                                       const std::string& path) const override {
    return layer_layouts(*this, module, path, {Shard(1), Replicate(), Shard(0)});
  }

  void attach(nn::Module& module, const LayoutContext& at) const override {
    if (module.as<nn::Embedding>())
      attach_embedding(module, at);
    else
      attach_linear(module, at);
  }

 private:
  void attach_linear(nn::Module& module, const LayoutContext& at) const {
    // The bias, which is added after the sum, does not exist during forward.
    const auto hidden = std::make_shared<std::optional<nn::Parameter>>();
    module.register_forward_pre_hook([hidden, input = input_, at](nn::Module& m, Values& args) {
      auto& linear = *m.as<nn::Linear>();
      const Tensor x = redistribute(detail::single_tensor(args, at), input, Shard(-1), at);
      if (x.dim() == 0 || x.size(-1) != linear.weight.size(1))
        fail<ShapeError>(
            "{}: expected the {} features of this rank in the last "
            "dimension, got the shape {}",
            at.where, linear.weight.size(1), x.shape());
      args[0] = x;
      *hidden = std::exchange(linear.bias, std::nullopt);
    });
    module.register_forward_hook(
        [hidden, output = output_, at](nn::Module& m, const Values&, Value& result) {
          auto& linear = *m.as<nn::Linear>();
          if (*hidden) linear.bias = *std::exchange(*hidden, std::nullopt);
          if (!result.is_tensor()) return;  // forward has failed
          const Tensor y = reduce_to(result.as_tensor(), output, at);
          result = linear.bias ? y + bias_in(*linear.bias, y, output, at).to(y.dtype()) : y;
        },
        {.always_call = true});
  }

  /// Returns the bias as it is added to a result with the given layout.
  static Tensor bias_in(const Tensor& bias, const Tensor& y, const Placement& layout,
                        const LayoutContext& at) {
    if (layout.is_replicate()) return bias;
    if (at.checked_dim(y, layout.dim()) == y.dim() - 1)
      return own_part(bias, parts_of(bias, 0, at), at.group);
    return enter_parallel(bias, at.group);
  }

  void attach_embedding(nn::Module& module, const LayoutContext& at) const {
    const auto call = std::make_shared<EmbeddingCall>();
    const std::int64_t total = full_shape(module.get_parameter("weight"))[0];
    const Piece rows = piece_of_rank(total, at.group->size(), at.group->rank());
    module.register_forward_pre_hook([call, rows, total, input = input_, at](nn::Module& m,
                                                                             Values& args) {
      auto& embedding = *m.as<nn::Embedding>();
      const Tensor tokens = redistribute(detail::single_tensor(args, at), input, Replicate(), at);
      args[0] = call->select(tokens, rows, total, at);
      call->padding_idx = embedding.padding_idx;
      call->is_active = true;
      if (embedding.padding_idx) {
        const std::int64_t local = *embedding.padding_idx - rows.begin;
        embedding.padding_idx =
            local >= 0 && local < rows.size ? std::optional(local) : std::nullopt;
      }
    });
    module.register_forward_hook(
        [call, output = output_, at](nn::Module& m, const Values&, Value& result) {
          auto& embedding = *m.as<nn::Embedding>();
          if (std::exchange(call->is_active, false)) embedding.padding_idx = call->padding_idx;
          if (!result.is_tensor()) return;  // forward has failed
          result = reduce_to(call->place(result.as_tensor()), output, at);
        },
        {.always_call = true});
  }

  /// One call of an embedding: the tokens whose rows the rank has are looked up, and the results of
  /// others are zero.
  struct EmbeddingCall {
    Shape shape{};       ///< of the tokens
    Tensor positions{};  ///< of the tokens of the rank
    std::optional<std::int64_t> padding_idx{};
    bool is_active = false;

    Tensor select(const Tensor& tokens, const Piece& rows, std::int64_t total,
                  const LayoutContext& at) {
      const Tensor flat = tokens.reshape({-1});
      const Tensor is_wrong = flat.lt(0) | flat.ge(total);
      if (is_wrong.any().item<bool>())
        fail<IndexError>(
            "{}: index {} is out of range for {} rows", at.where,
            flat.masked_select(is_wrong).select(0, 0).to(DType::i64).item<std::int64_t>(), total);
      const Tensor is_own = flat.ge(rows.begin) & flat.lt(rows.begin + rows.size);
      shape = tokens.shape();
      positions = is_own.nonzero().select(1, 0);
      return flat.index_select(0, positions) - rows.begin;
    }

    Tensor place(const Tensor& found) const {
      const std::int64_t width = found.size(-1);
      Shape whole = shape;
      whole.push_back(width);
      const Tensor none =
          zeros({shape.numel(), width}, {.dtype = found.dtype(), .device = found.device()});
      return none.index_copy(0, positions, found).view(whole);
    }
  };

  Placement input_, output_;
};

}  // namespace

ColwiseParallel::ColwiseParallel(const LayerParallelOptions& options)
    : ParallelStyle(std::make_shared<ColwiseRules>(options)) {}

RowwiseParallel::RowwiseParallel(const LayerParallelOptions& options)
    : ParallelStyle(std::make_shared<RowwiseRules>(options)) {}

}  // namespace taper::distributed
