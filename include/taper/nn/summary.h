// A network at a glance: its layers, their shapes and sizes.
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

struct SummaryOptions {
  std::int64_t batch_size = -1;  ///< stands in the shapes; the run itself has a batch of two
  DType dtype = float32;         ///< of the input
  /// Where to run: default: where the first parameter is. "meta" computes nothing: shapes come from
  /// a copy of the module there.
  std::optional<Device> device{};
};

/// What `summary` found. Prints as the table of torchsummary 1.5.1.
struct Summary {
  struct Row {
    std::string name;            ///< "Conv2d-1": class and running number
    std::string path;            ///< "layer1.0.conv1"
    Shape input;                 ///< the first argument's, with the batch in it
    std::vector<Shape> outputs;  ///< one for a layer that gives a tensor
    bool several;                ///< a tuple or list of tensors
    std::int64_t parameters;     ///< elements of `weight` and `bias`
    bool trainable;              ///< does `weight` require gradients?
    /// Of one sample: convolutions and linear maps, each product with a weight; 0 for others.
    std::int64_t multiply_adds;
  };
  std::vector<Row> rows{};  ///< in the order in which the layers were done
  std::vector<Shape> inputs{};
  std::int64_t batch_size = -1;
  // Sums over the rows.
  std::int64_t parameters = 0, trainable_parameters = 0, multiply_adds = 0;
  // In bytes of float32, for `batch_size` samples.
  double input_bytes = 0, output_bytes = 0, parameter_bytes = 0;
  double total_bytes() const { return input_bytes + output_bytes + parameter_bytes; }
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const Summary& summary);

/// Runs the module once on random input of `input_size`, without the batch, and notes every call of
/// a module below it other than Sequential and ModuleList: one that is called twice has two rows,
/// one that two parents hold has two for each call. Counted are tensors called `weight` and `bias`;
/// `output_bytes` counts two numbers for each element, one for its gradient. The module and the
/// random generator are left as they were, but for lazy modules, which learn their sizes. Throws
/// what the run throws. torchsummary: summary(model, input_size, batch_size).
///
///   std::cout << nn::summary(net, {1, 28, 28}) << '\n';
Summary summary(const Module& module, const Shape& input_size, const SummaryOptions& options = {});
/// The same for a module of several arguments: `summary(net, std::vector<Shape>{{3, 8}, {5}})`.
template <std::same_as<std::vector<Shape>> Shapes>
Summary summary(const Module& module, const Shapes& input_sizes,
                const SummaryOptions& options = {});
template <> Summary summary(const Module& module, const std::vector<Shape>& input_sizes,
                            const SummaryOptions& options);

}  // namespace nn
}  // namespace taper
