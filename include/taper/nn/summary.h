// summary: table of the layers of a module with their shapes and sizes.
#pragma once
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

/// Options of summary.
struct SummaryOptions {
  /// Batch size in printed shapes. The run uses a batch of two, regardless of this size.
  std::int64_t batch_size = -1;
  DType dtype = float32;  ///< dtype of the input
  /// Device of the run; default: the device of the first parameter. "meta" determines shapes
  /// without computation, on a copy of the module.
  std::optional<Device> device{};
};

/// Result of `summary`. Prints as the table of torchsummary 1.5.1.
struct Summary {
  /// One call of a layer.
  struct Row {
    std::string name;            ///< "Conv2d-1": class and sequence number
    std::string path;            ///< "layer1.0.conv1"
    Shape input;                 ///< shape of the first argument, including the batch size
    std::vector<Shape> outputs;  ///< one shape if the layer returns a tensor
    bool several;                ///< the layer returns a tuple or list of tensors
    std::int64_t parameters;     ///< number of elements of `weight` and `bias`
    bool trainable;              ///< `weight` requires gradients
    /// Multiply-add operations per sample of convolutions and linear layers; 0 for other layers.
    std::int64_t multiply_adds;
  };
  std::vector<Row> rows{};  ///< in the order in which the calls completed
  /// Shapes of the inputs, without the batch dimension.
  std::vector<Shape> inputs{};
  std::int64_t batch_size = -1;
  // Sums over the rows.
  std::int64_t parameters = 0, trainable_parameters = 0, multiply_adds = 0;
  // Sizes in bytes for `batch_size` samples of float32.
  double input_bytes = 0, output_bytes = 0, parameter_bytes = 0;
  /// Returns the sum of input_bytes, output_bytes and parameter_bytes.
  double total_bytes() const { return input_bytes + output_bytes + parameter_bytes; }
  /// Returns the table.
  std::string str() const;
};
/// Writes `summary.str()`.
std::ostream& operator<<(std::ostream& out, const Summary& summary);

/// Runs the module once on random input of shape `input_size`, which excludes the batch dimension,
/// and records every call of a descendant other than Sequential and ModuleList. A descendant that
/// is called twice has two rows; one that is shared by two parents has two rows per call. Only
/// tensors named `weight` and `bias` are counted; `output_bytes` counts two numbers per element,
/// one of them for the gradient. The module and the default generator are unchanged, except that
/// lazy modules are initialized. Throws the errors of the run. torchsummary: summary(model,
/// input_size, batch_size).
///
///   std::cout << nn::summary(net, {1, 28, 28}) << '\n';
Summary summary(const Module& module, const Shape& input_size, const SummaryOptions& options = {});
/// As `summary(module, input_size)`, for a module with several arguments:
/// `summary(net, std::vector<Shape>{{3, 8}, {5}})`.
template <std::same_as<std::vector<Shape>> Shapes>
Summary summary(const Module& module, const Shapes& input_sizes,
                const SummaryOptions& options = {});
template <> Summary summary(const Module& module, const std::vector<Shape>& input_sizes,
                            const SummaryOptions& options);

}  // namespace nn
}  // namespace taper
