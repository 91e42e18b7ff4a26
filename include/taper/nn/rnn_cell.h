// Recurrent cells: RNNCell, LSTMCell, GRUCell.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of RNNCell.
struct RNNCellOptions {
  bool bias = true;                   ///< adds bias_ih and bias_hh
  std::string nonlinearity = "tanh";  ///< "tanh" or "relu"; checked by calls
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(bias, nonlinearity)
};
/// Options of LSTMCell and GRUCell.
struct CellOptions {
  /// Adds bias_ih and bias_hh.
  bool bias = true;
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(bias)
};
using LSTMCellOptions = CellOptions;
using GRUCellOptions = CellOptions;

/// Base of the recurrent cells. Parameters: weight_ih `(g H, I)`, weight_hh `(g H, H)`, bias_ih and
/// bias_hh `(g H)`, where g is 1 for RNNCell, 4 for LSTMCell and 3 for GRUCell, initialized from
/// the uniform distribution on [-b, b), b = 1 / sqrt(H). The input of a call is `(B, I)` or `(I)`,
/// the state `(B, H)` or `(H)`; the default state is zeros. Throws ValueError if a rank is not
/// supported, RuntimeError if sizes do not match. PyTorch: torch.nn.RNNCellBase.
class RNNCellBase : public Module {
 public:
  std::int64_t input_size, hidden_size;
  bool bias;
  Parameter weight_ih, weight_hh;
  std::optional<Parameter> bias_ih, bias_hh;

  /// Re-initializes all parameters from the default generator.
  void reset_parameters();
  std::string extra_repr() const override;

 protected:
  /// Throws ValueError if a size is negative.
  RNNCellBase(std::int64_t input_size, std::int64_t hidden_size, std::int64_t gates,
              const CellOptions& options);
  explicit RNNCellBase(RNNCellBase&) = default;
  RNNCellBase(RNNCellBase&&) noexcept = default;
  RNNCellBase& operator=(RNNCellBase&&) = default;

  /// Checked arguments of a call: input `(B, I)` and states `(B, H)`.
  struct Step {
    Tensor input, h, c;
  };
  Step checked(const Tensor& input, const Tensor& h, const Tensor& c, bool pair) const;
};

/// Computes h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or ReLU instead of tanh.
/// PyTorch: torch.nn.RNNCell.
class RNNCell : public Layer<RNNCell, RNNCellBase> {
 public:
  RNNCell(IntArg input_size, IntArg hidden_size, const RNNCellOptions& options = {});
  std::string nonlinearity;
  TAPER_LAYER(RNNCell)
  static constexpr const char* forward_signature = "input, hx=None";
  using RNNCellBase::reset_parameters;
  /// Returns the new h. The default state is zeros. Throws RuntimeError for an unknown
  /// nonlinearity.
  Tensor forward(const Tensor& input, const Tensor& hx = {}) const;
  std::string extra_repr() const override;
};

/// Computes one step of nn::LSTM and returns the new h and c. PyTorch: torch.nn.LSTMCell.
class LSTMCell : public Layer<LSTMCell, RNNCellBase> {
 public:
  using State = std::pair<Tensor, Tensor>;
  LSTMCell(IntArg inputs, IntArg hidden, const CellOptions& options = {})
      : Layer(inputs, hidden, 4, options) {}
  TAPER_LAYER(LSTMCell)
  static constexpr const char* forward_signature = "input, hx=None";
  using RNNCellBase::reset_parameters;
  /// Returns the new h and c. The default state is zeros.
  State forward(const Tensor& input, const std::optional<State>& hx = {}) const;
};

/// Computes one step of nn::GRU and returns the new h. PyTorch: torch.nn.GRUCell.
class GRUCell : public Layer<GRUCell, RNNCellBase> {
 public:
  GRUCell(IntArg inputs, IntArg hidden, const CellOptions& options = {})
      : Layer(inputs, hidden, 3, options) {}
  TAPER_LAYER(GRUCell)
  static constexpr const char* forward_signature = "input, hx=None";
  using RNNCellBase::reset_parameters;
  /// Returns the new h. The default state is zeros.
  Tensor forward(const Tensor& input, const Tensor& hx = {}) const;
};

}  // namespace nn
}  // namespace taper
