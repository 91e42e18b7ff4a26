// One step of recurrent layers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "taper/core/api.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

struct RNNCellOptions {
  bool bias = true;                   ///< two biases
  std::string nonlinearity = "tanh";  ///< or "relu"; looked at when called
  TAPER_FACTORY_OPTIONS
};
struct CellOptions {
  bool bias = true;
  TAPER_FACTORY_OPTIONS
};

/// What the cells have: weight_ih `(g H, I)`, weight_hh `(g H, H)`, bias_ih and bias_hh `(g H)`,
/// with g 1, 4 and 3, uniform in [-k, k), k = 1 / sqrt(H). A call takes `(B, I)` or `(I)` and the
/// state `(B, H)` or `(H)`, zeros if it is left out. Throws ValueError for other ranks,
/// RuntimeError for sizes that do not fit. PyTorch: torch.nn.RNNCellBase.
class RNNCellBase : public Module {
 public:
  std::int64_t input_size, hidden_size;
  bool bias;
  Parameter weight_ih, weight_hh;
  std::optional<Parameter> bias_ih, bias_hh;

  /// Draws the initial values again.
  void reset_parameters();
  std::string extra_repr() const override;

 protected:
  /// Throws ValueError for negative sizes.
  RNNCellBase(std::int64_t input_size, std::int64_t hidden_size, std::int64_t gates,
              const CellOptions& options);
  explicit RNNCellBase(RNNCellBase&) = default;
  RNNCellBase(RNNCellBase&&) noexcept = default;
  RNNCellBase& operator=(RNNCellBase&&) = default;

  /// Input `(B, I)`, state or states `(B, H)`.
  struct Step {
    Tensor input, h, c;
  };
  Step checked(const Tensor& input, const Tensor& h, const Tensor& c, bool pair) const;
};

/// h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of it. PyTorch: torch.nn.RNNCell.
class RNNCell : public RNNCellBase {
 public:
  RNNCell(IntArg input_size, IntArg hidden_size, const RNNCellOptions& options = {});
  std::string nonlinearity;
  TAPER_LAYER(RNNCell)
  /// Throws RuntimeError for another nonlinearity.
  Tensor forward(const Tensor& input, const Tensor& hx = {}) const;
  std::string extra_repr() const override;
};

/// One step of nn::LSTM: gives the new h and c. PyTorch: torch.nn.LSTMCell.
class LSTMCell : public RNNCellBase {
 public:
  using State = std::pair<Tensor, Tensor>;
  LSTMCell(IntArg input_size, IntArg hidden_size, const CellOptions& options = {})
      : RNNCellBase(input_size, hidden_size, 4, options) {}
  TAPER_LAYER(LSTMCell)
  State forward(const Tensor& input, const std::optional<State>& hx = {}) const;
};

/// One step of nn::GRU. PyTorch: torch.nn.GRUCell.
class GRUCell : public RNNCellBase {
 public:
  GRUCell(IntArg input_size, IntArg hidden_size, const CellOptions& options = {})
      : RNNCellBase(input_size, hidden_size, 3, options) {}
  TAPER_LAYER(GRUCell)
  Tensor forward(const Tensor& input, const Tensor& hx = {}) const;
};

}  // namespace nn
}  // namespace taper
