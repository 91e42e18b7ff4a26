// taper summary: lists the layers of a network with shapes and sizes.
#include "taper/nn/summary.h"

#include <algorithm>

#include "json.h"
#include "model_options.h"
#include "options.h"
#include "table.h"
#include "taper/core/error.h"
#include "taper/nn/module.h"
#include "taper/nn/sequential.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

namespace nn = taper::nn;

struct SummaryOptions {
  ModelOptions model{};
  std::vector<std::string> inputs;
  bool ids = false, torchsummary = false;
};

std::string format_millions(std::int64_t n) {
  if (n == 0) return "";
  if (n < 1'000'000) return with_commas(static_cast<std::uint64_t>(n));
  return n < 1'000'000'000 ? fmt::format("{:.1f} M", static_cast<double>(n) / 1e6)
                           : fmt::format("{:.2f} G", static_cast<double>(n) / 1e9);
}

std::string format_output_shapes(const nn::Summary::Row& row) {
  std::string text;
  for (const taper::Shape& s : row.outputs) text += (text.empty() ? "" : ", ") + s.str();
  return text;
}

taper::Shape prepend_batch_size(const taper::Shape& sample, std::int64_t batch) {
  taper::Shape to_integer{batch};
  for (const std::int64_t n : sample) to_integer.push_back(n);
  return to_integer;
}

void print_text(Out& out, const nn::Summary& s, const std::string& type) {
  std::int64_t max = 1;
  for (const auto& row : s.rows) max = std::max(max, row.parameters);
  Table table({{"Layer"},
               {"Path", Table::Kind::name},
               {"Output"},
               {"Parameters", Table::Kind::number},
               {"", Table::Kind::picture},
               {"Multiply-adds", Table::Kind::number}});
  for (const auto& row : s.rows) {
    const double share = static_cast<double>(row.parameters) / static_cast<double>(max);
    table.add({row.name,
               printable(row.path),
               {format_output_shapes(row), Color::cyan},
               row.parameters ? with_commas(static_cast<std::uint64_t>(row.parameters)) : "",
               {out.decoration() ? draw_bar(share, 16) : "", Color::cyan},
               format_millions(row.multiply_adds)});
  }
  std::string inputs;
  for (const taper::Shape& shape : s.inputs)
    inputs += (inputs.empty() ? "" : ", ") + prepend_batch_size(shape, s.batch_size).str();
  out.print("{}  with input {}\n\n", out.paint(Color::bold, type), inputs);
  table.print(out);
  const auto bytes = [](double n) { return format_bytes(static_cast<std::uint64_t>(n)); };
  out.print("\n{}, {} trainable, {} multiply-adds per sample\n",
            format_count(static_cast<std::uint64_t>(s.parameters), "parameter"),
            with_commas(static_cast<std::uint64_t>(s.trainable_parameters)),
            with_commas(static_cast<std::uint64_t>(s.multiply_adds)));
  out.print("parameters {}, outputs and their gradients {}, input {} in float32{}\n",
            bytes(s.parameter_bytes), bytes(s.output_bytes), bytes(s.input_bytes),
            s.batch_size > 1 ? fmt::format(" for a batch of {}", s.batch_size) : "");
}

Json json_of_summary(const nn::Summary& s, const std::string& type) {
  Json rows = Json::array(), inputs = Json::array();
  for (const auto& row : s.rows) {
    Json outputs = Json::array();
    for (const taper::Shape& shape : row.outputs) outputs.push_back(json_of(shape));
    rows.push_back({{"name", row.name},
                    {"path", row.path},
                    {"input", json_of(row.input)},
                    {"outputs", outputs},
                    {"parameters", row.parameters},
                    {"trainable", row.trainable},
                    {"multiply_adds", row.multiply_adds}});
  }
  const auto to_integer = [](double bytes) { return static_cast<std::uint64_t>(bytes); };
  for (const taper::Shape& shape : s.inputs)
    inputs.push_back(json_of(prepend_batch_size(shape, s.batch_size)));
  return {{"model", type},
          {"inputs", inputs},
          {"batch", s.batch_size},
          {"layers", rows},
          {"parameters", s.parameters},
          {"trainable_parameters", s.trainable_parameters},
          {"multiply_adds", s.multiply_adds},
          {"bytes",
           {{"parameters", to_integer(s.parameter_bytes)},
            {"outputs", to_integer(s.output_bytes)},
            {"input", to_integer(s.input_bytes)}}}};
}

/// Returns the shapes of the inputs without the batch dimension, and its size: -1 for the usual
/// input of a network in the table of torchsummary.
std::vector<taper::Shape> read_inputs(const SummaryOptions& o, std::int64_t& batch) {
  if (o.inputs.empty()) {
    const auto usual = usual_input_of(o.model);
    if (!usual) throw UsageError("--input is required for this model");
    batch = o.torchsummary ? -1 : 1;
    return {taper::Shape(std::vector<std::int64_t>(usual->begin() + 1, usual->end()))};
  }
  std::vector<taper::Shape> inputs;
  for (const std::string& text : o.inputs) {
    const taper::Shape shape = parse_shape(text);
    if (shape.empty() || shape[0] < 1 || (batch && shape[0] != batch))
      throw UsageError(
          fmt::format("--input: got {}, expected {} positive batch size as the first dimension, "
                      "such as 1x1x28x28 for one image",
                      text, batch ? "the same" : "a"));
    batch = shape[0];
    taper::Shape& sample = inputs.emplace_back();
    for (std::size_t d = 1; d < shape.size(); ++d) sample.push_back(shape[d]);
  }
  return inputs;
}

int summary(Out& out, const SummaryOptions& o, bool as_json) {
  const auto root = make_model(o.model);
  const std::string type(root->type_name());
  // nn::summary lists children only, so a single layer is wrapped in a container.
  std::shared_ptr<nn::Module> module = root;
  if (root->children().empty()) {
    const auto wrapper = std::make_shared<nn::Sequential>();
    wrapper->register_module("0", root);
    module = wrapper;
  }
  std::int64_t batch = 0;
  const std::vector<taper::Shape> inputs = read_inputs(o, batch);
  const nn::SummaryOptions how{.batch_size = batch, .dtype = o.ids ? taper::int64 : taper::float32};
  const nn::Summary found = [&] {
    try {
      return nn::summary(*module, inputs, how);
    } catch (const taper::Error& error) {
      std::string given;
      for (const taper::Shape& shape : inputs)
        given += (given.empty() ? "" : " and ") + prepend_batch_size(shape, batch).str();
      throw taper::RuntimeError(
          fmt::format("{}: forward failed for input {}, evaluated with {} of size 2: {}", type,
                      given, inputs.size() == 1 ? "a batch" : "batches", error.what()));
    }
  }();
  if (as_json)
    print_json(out, json_of_summary(found, type));
  else if (o.torchsummary)
    out.print("{}\n", found.str());
  else
    print_text(out, found, type);
  return 0;
}

}  // namespace

void add_summary(Commands& commands) {
  CLI::App& sub = commands.add(
      "summary", "list the layers of a network with shapes and sizes",
      "  taper summary resnet18\n"
      "  taper summary lenet --input 1x1x28x28\n"
      "  taper summary 'Sequential(Linear(784, 100), ReLU(), Linear(100, 10))' --input 1x784\n"
      "  taper summary MyNet --arg width=64 --plugin ./libmynet.so --input 8x3x32x32");
  const auto o = std::make_shared<SummaryOptions>();
  add_model_options(sub, o->model);
  sub.add_option("--input", o->inputs,
                 "input shape with the batch dimension first, such as 1x1x28x28; repeatable; "
                 "optional for the networks of Taper")
      ->type_name("SHAPE")
      ->allow_extra_args(false);
  sub.add_flag("--ids", o->ids, "the inputs are ids of words (int64)");
  sub.add_flag("--torchsummary", o->torchsummary, "print the table of torchsummary");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return summary(out, *o, common.json); });
}

}  // namespace taper::cli
