#include "taper/nn/summary.h"

#include <cmath>
#include <cstdio>
#include <ostream>

#include "core/number_text.h"
#include "nn/module/extra.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/core/hook_guard.h"
#include "taper/nn/conv.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"
#include "taper/nn/sequential.h"
#include "taper/ops/random.h"

namespace taper::nn {
namespace {

constexpr std::int64_t kBatchSize = 2;  // more than one, as batch normalization requires

/// Restores the buffers of a module and the state of the default generator on destruction.
class StateRestorer {
 public:
  explicit StateRestorer(const Module& m) : state_(default_generator().get_state()) {
    m.for_each_buffer([&](const Buffer& b) {
      if (!is_lazy(b) && !b.device().is_meta()) buffers_.emplace_back(b, b.detach().clone());
    });
  }
  ~StateRestorer() {
    const NoGrad guard;
    for (const auto& [buffer, value] : buffers_) buffer.copy_(value);
    Generator(default_generator()).set_state(state_);
  }
  StateRestorer(const StateRestorer&) = delete;
  StateRestorer& operator=(const StateRestorer&) = delete;

 private:
  std::vector<std::uint8_t> state_;
  std::vector<std::pair<Tensor, Tensor>> buffers_;
};

Shape with_batch(const Tensor& t, std::int64_t batch) {
  Shape shape = t.shape();
  if (!shape.empty()) shape[0] = batch;
  return shape;
}

void collect_tensors(const Value& v, std::vector<Tensor>& tensors) {
  if (v.is_tensor()) tensors.push_back(v.as_tensor());
  if (v.is_list() || v.is_tuple())
    for (const Value& item : v.as_sequence()) collect_tensors(item, tensors);
  if (v.is_dict())
    for (const auto& [key, item] : v.as_dict()) collect_tensors(item, tensors);
}

/// Returns the tensor attribute `name`, or an undefined tensor if it is absent or uninitialized.
Tensor find_tensor_attribute(const Module& m, std::string_view name) {
  if (!m.has_attr(name)) return {};
  const Value v = m.get_attr(name);
  return v.is_tensor() && !is_lazy(v.as_tensor()) ? v.as_tensor() : Tensor();
}

std::int64_t multiply_adds(const Module& m, const std::vector<Tensor>& outputs) {
  const bool counted = m.as<Linear>() || m.as<ConvBase>();
  const Tensor weight = counted ? find_tensor_attribute(m, "weight") : Tensor();
  if (!weight.defined() || outputs.empty() || weight.size(0) == 0) return 0;
  return outputs[0].numel() / kBatchSize * (weight.numel() / weight.size(0));
}

/// Collects the rows of a summary with forward hooks during one forward pass.
struct SummaryRecorder {
  Summary summary;
  std::vector<std::unique_ptr<HookGuard>> guards;

  void register_hooks(Module& m, const std::string& path, const Module& root) {
    for (const NamedModule& child : children_of(m, true))
      register_hooks(*child.module, path.empty() ? child.name : path + "." + child.name, root);
    if (&m == &root || m.as<Sequential>() || m.as<ModuleList>()) return;
    guards.push_back(std::make_unique<HookGuard>(
        m.register_forward_hook([this, path](Module& module, const Values& args, Value& result) {
          record_row(module, path, args, result);
        })));
  }

  void record_row(Module& m, const std::string& path, const Values& args, const Value& result) {
    std::vector<Tensor> given, outputs;
    for (const Value& v : args) collect_tensors(v, given);
    collect_tensors(result, outputs);
    const Tensor weight = find_tensor_attribute(m, "weight"),
                 bias = find_tensor_attribute(m, "bias");
    Summary::Row row{
        .name = std::string(m.type_name()) + "-" + std::to_string(summary.rows.size() + 1),
        .path = path,
        .input = given.empty() ? Shape{} : with_batch(given[0], summary.batch_size),
        .outputs = {},
        .several = !result.is_tensor(),
        .parameters = (weight.defined() ? weight.numel() : 0) + (bias.defined() ? bias.numel() : 0),
        .trainable = weight.defined() && weight.requires_grad(),
        .multiply_adds = multiply_adds(m, outputs)};
    for (const Tensor& t : outputs)
      row.outputs.push_back(with_batch(t, row.several ? -1 : summary.batch_size));
    summary.rows.push_back(std::move(row));
  }
};

double num_elements(const Shape& shape) {
  double n = 1;
  for (std::int64_t size : shape) n *= static_cast<double>(size);
  return n;
}

void compute_totals(Summary& s) {
  double outputs = 0, inputs = 1;
  for (const Summary::Row& row : s.rows) {
    s.parameters += row.parameters;
    if (row.trainable) s.trainable_parameters += row.parameters;
    s.multiply_adds += row.multiply_adds;
    double elements = 1;
    for (const Shape& shape : row.outputs) elements *= num_elements(shape);
    outputs += elements;
  }
  for (const Shape& shape : s.inputs) inputs *= num_elements(shape);
  s.input_bytes = std::abs(inputs * static_cast<double>(s.batch_size) * 4);
  s.output_bytes = std::abs(2 * outputs * 4);
  s.parameter_bytes = static_cast<double>(s.parameters) * 4;
}

Summary compute_summary(Module& m, const std::vector<Shape>& sizes, const SummaryOptions& options,
                        Device device) {
  SummaryRecorder recorder{.summary = {.inputs = sizes, .batch_size = options.batch_size},
                           .guards = {}};
  const StateRestorer restorer(m);
  const NoGrad guard;
  Values args;
  for (const Shape& size : sizes) {
    Shape shape{kBatchSize};
    for (std::int64_t n : size) shape.push_back(n);
    args.emplace_back(device.is_meta() ? empty(shape, {.dtype = options.dtype, .device = device})
                                       : rand(shape).to(device, options.dtype));
  }
  recorder.register_hooks(m, "", m);
  (void)m.call(std::move(args));
  recorder.guards.clear();
  compute_totals(recorder.summary);
  return std::move(recorder.summary);
}

std::string pad_left(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string format_outputs(const Summary::Row& row) {
  if (!row.several) return row.outputs[0].str();
  std::string out;
  for (const Shape& shape : row.outputs) out += (out.empty() ? "" : ", ") + shape.str();
  return "[" + out + "]";
}

}  // namespace

Summary summary(const Module& module, const Shape& input_size, const SummaryOptions& options) {
  return summary(module, std::vector<Shape>{input_size}, options);
}

template <> Summary summary(const Module& module, const std::vector<Shape>& input_sizes,
                            const SummaryOptions& options) {
  Device device = Device::cpu();
  const std::vector<Tensor> parameters = module.parameters();
  if (!parameters.empty()) device = parameters[0].device();
  device = options.device.value_or(device);
  if (!device.is_meta())
    return compute_summary(detail::mutable_of(module), input_sizes, options, device);
  const std::shared_ptr<Module> copy = module.clone_shared();
  copy->to("meta");
  return compute_summary(*copy, input_sizes, options, device);
}

std::string Summary::str() const {
  const std::string thin(64, '-'), thick(64, '=');
  const auto line = [](const std::string& a, const std::string& b, const std::string& c) {
    return pad_left(a, 20) + "  " + pad_left(b, 25) + " " + pad_left(c, 15) + "\n";
  };
  const auto megabytes = [](const char* what, double bytes) {
    char text[64];
    std::snprintf(text, sizeof text, "%.2f", bytes / (1024 * 1024));
    return std::string(what) + " (MB): " + text + "\n";
  };
  std::string out = thin + "\n" + line("Layer (type)", "Output Shape", "Param #") + thick + "\n";
  for (const Row& row : rows)
    out += line(row.name, format_outputs(row), with_commas(row.parameters));
  out += thick + "\nTotal params: " + with_commas(parameters) +
         "\nTrainable params: " + with_commas(trainable_parameters) +
         "\nNon-trainable params: " + with_commas(parameters - trainable_parameters) + "\n" + thin +
         "\n";
  out +=
      megabytes("Input size", input_bytes) + megabytes("Forward/backward pass size", output_bytes) +
      megabytes("Params size", parameter_bytes) + megabytes("Estimated Total Size", total_bytes());
  return out + thin;
}

std::ostream& operator<<(std::ostream& out, const Summary& summary) { return out << summary.str(); }

}  // namespace taper::nn
