#include "evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "taper/core/cpu_capability.h"
#include "taper/core/factory.h"
#include "taper/core/parallel.h"
#include "taper/nn/functional.h"
#include "taper/taper.h"
#include "taper/version.h"

namespace training {

using taper::Tensor;
using taper::Value;

namespace {

Value gradients_of(taper::nn::Module& net) {
  constexpr std::int64_t kLimit = 10000;
  const Value gradients = Value::dict();
  for (const taper::nn::NamedTensor& p : net.named_parameters()) {
    if (!p.value.grad().defined()) continue;
    const Tensor flat = p.value.grad().detach().flatten();
    const std::int64_t step = (flat.numel() + kLimit - 1) / kLimit;
    gradients[p.name] = flat.slice(0, 0, flat.numel(), std::max<std::int64_t>(1, step)).clone();
  }
  return gradients;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const std::size_t colon = line.find(": ");
        line.starts_with("model name") && colon != std::string::npos)
      return line.substr(colon + 2);
  return "unknown";
}

Value machine() {
  return Value::dict({{"processor", processor_name()},
                      {"threads", std::to_string(taper::get_num_threads())},
                      {"instruction set", taper::get_cpu_capability()},
                      {"taper", taper::version()}});
}

/// Returns the entries of a classification.
Value evaluate_classes(Run& run, const std::vector<std::string>& classes) {
  constexpr std::size_t kWorst = 24;
  const Tensor probabilities = taper::F::softmax(run.predict(run.examples().test_images), 1);
  const Tensor predictions = probabilities.argmax(1), labels = run.examples().test_labels;
  const auto n = static_cast<std::int64_t>(classes.size());
  const Tensor confusion = taper::zeros({n, n}, {.dtype = taper::int64});
  const Tensor of_label = probabilities.gather(1, labels.unsqueeze(1)).squeeze(1);

  std::vector<std::int64_t> mistakes;
  for (std::int64_t i = 0; i < labels.size(0); ++i) {
    const auto label = labels[i].item<std::int64_t>(), guess = predictions[i].item<std::int64_t>();
    if (guess < n) confusion[label][guess] += 1;
    if (guess != label) mistakes.push_back(i);
  }
  std::stable_sort(mistakes.begin(), mistakes.end(), [&](std::int64_t a, std::int64_t b) {
    return of_label[a].item<double>() < of_label[b].item<double>();
  });
  if (mistakes.size() > kWorst) mistakes.resize(kWorst);

  const auto name = [&](std::int64_t i) {
    return i < n ? classes[static_cast<std::size_t>(i)] : std::to_string(i);
  };
  taper::Values captions;
  std::vector<Tensor> images;
  for (const std::int64_t i : mistakes) {
    const auto guess = predictions[i].item<std::int64_t>();
    captions.emplace_back(fmt::format("{} as {}, {:.0f} %", name(labels[i].item<std::int64_t>()),
                                      name(guess), 100 * probabilities[i][guess].item<double>()));
    images.push_back(run.examples().test_images[i]);
  }
  const bool has_images = !images.empty() && images[0].dim() == 3;  // rows of tables are not shown
  return Value::dict({{"confusion", confusion},
                      {"images", has_images ? Value(taper::stack(images)) : Value()},
                      {"captions", Value::list(std::move(captions))}});
}

/// Returns the entries of a regression.
Value evaluate_numbers(Run& run, const ExampleSet& set) {
  const auto in_unit = [&](const Tensor& outputs) {
    return in_target_unit(outputs, set.label_scale, set.label_mean);
  };
  return Value::dict({{"targets", in_unit(run.examples().test_labels.unsqueeze(1))},
                      {"predictions", in_unit(run.predict(run.examples().test_images))}});
}

}  // namespace

Value evaluate(Run& run, const ExampleSet& set) {
  const Value evaluation =
      run.score() == Score::r2 ? evaluate_numbers(run, set) : evaluate_classes(run, set.classes);
  evaluation["gradients"] = gradients_of(run.module());
  evaluation["machine"] = machine();
  return evaluation;
}

}  // namespace training
