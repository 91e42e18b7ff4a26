// Measures one row of the sweep.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/dtype_table.h"
#include "core/observer.h"
#include "ops/op.h"
#include "sweep/inputs.h"
#include "sweep/sweep.h"

namespace taper::bench {

void collect(const Tensor& t, std::vector<Tensor>& into) {
  if (t.defined()) into.push_back(t);
}

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

// Records the names of ops.
class OpNames final : public Observer {
 public:
  explicit OpNames(std::set<std::string>& names) : names_(names) { add_observer(*this); }
  ~OpNames() override { remove_observer(*this); }
  OpNames(const OpNames&) = delete;
  OpNames& operator=(const OpNames&) = delete;
  void after(const OpDescriptor& op, const void*, std::span<const OpInput>,
             std::span<const Tensor>) override {
    names_.emplace(op.info.name);
  }

 private:
  std::set<std::string>& names_;
};

Json request_for(const SweepRow& row, const std::vector<InputSpec>& specs, int size, bool backward,
                 bool compared, int threads) {
  Json request;
  request["threads"] = threads, request["backward"] = backward, request["compared"] = compared;
  request["expression"] = row.python_text.empty() ? python_text(row.expression) : row.python_text;
  request["in_place"] = row.expression.find("_(") != std::string::npos;
  for (const auto& [name, value] : sweep_sizes(size))
    request["sizes"][std::string(1, name)] = value;
  request["inputs"] = Json::array();
  for (const InputSpec& s : specs)
    request["inputs"].push_back(
        {{"name", std::string(1, s.name)},
         {"shape", std::vector<std::int64_t>(s.shape.begin(), s.shape.end())},
         {"dtype", names_of(s.dtype).brief},
         {"values", s.values},
         {"bound", s.bound},
         {"differentiable", s.differentiable}});
  return request;
}

// The call that is measured, and its state.
class Call {
 public:
  Call(const SweepRow& row, const std::vector<InputSpec>& specs, int size, bool backward)
      : row_(row), backward_(backward), in_(draw_inputs(specs, size, backward)) {
    for (const InputSpec& s : specs) {
      Tensor& t = input_named(in_, s.name);
      if (row.expression.find("_(") != std::string::npos) t = t.clone();
      if (backward && s.differentiable) leaves_.push_back(t);
    }
  }

  /// Calls once and returns the outputs or gradients; empty if there is no gradient.
  std::vector<Tensor> first() {
    manual_seed(0);
    const GradMode mode(backward_);
    const auto start = Clock::now();
    std::vector<Tensor> outs;
    row_.function(in_, &outs);
    if (backward_) {
      for (const Tensor& t : outs)
        if (t.requires_grad()) options_.grad_outputs.push_back(ones_like(t));
      if (options_.grad_outputs.empty() || leaves_.empty()) return {};
      outs = gradients();
      std::erase_if(outs, [](const Tensor& t) { return !t.defined(); });
    }
    first_ = std::chrono::duration<double>(Clock::now() - start).count();
    return outs;
  }

  /// Returns the seconds per call in a batch that lasts about `seconds`.
  double measure(double seconds) {
    const GradMode mode(backward_);
    if (count_ == 0) {
      const double once = first_ > seconds ? first_ : timed(1);
      count_ = std::clamp(static_cast<int>(seconds / std::max(once, 1e-7)), 1, 100'000);
    }
    return timed(count_);
  }

 private:
  std::vector<Tensor> gradients() {
    std::vector<Tensor> outs;
    row_.function(in_, &outs);
    std::erase_if(outs, [](const Tensor& t) { return !t.requires_grad(); });
    return autograd::grad(outs, leaves_, options_);
  }
  double timed(int count) {
    const auto start = Clock::now();
    for (int k = 0; k < count; ++k)
      if (backward_)
        (void)gradients();
      else
        row_.function(in_, nullptr);
    return std::chrono::duration<double>(Clock::now() - start).count() / count;
  }

  const SweepRow& row_;
  bool backward_;
  SweepInputs in_;
  std::vector<Tensor> leaves_;
  autograd::GradOptions options_{.allow_unused = true};
  double first_ = 0;
  int count_ = 0;
};

// Returns the difference between our tensors and the baseline's; empty if they agree.
std::string difference(const std::vector<Tensor>& ours, const Json& theirs) {
  if (ours.size() != theirs.size())
    return std::to_string(ours.size()) + " tensors instead of " + std::to_string(theirs.size());
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const Tensor t = ours[k].detach();
    const Shape shape(theirs[k][1].get<std::vector<std::int64_t>>());
    if (names_of(t.dtype()).brief != theirs[k][0].get<std::string>() || t.shape() != shape)
      return std::string(names_of(t.dtype()).brief) + " " + t.shape().str() + " instead of " +
             theirs[k][0].get<std::string>() + " " + shape.str();
    if (theirs[k][2].is_null()) continue;
    const Tensor values = t.to(DType::f64).abs();
    const double sum = values.masked_fill(values.isfinite().logical_not(), 0).sum().item<double>();
    const double expected = theirs[k][2].get<double>();
    // The sum of narrow floats differs by their rounding, also if it is a sum of zeros.
    if (std::abs(sum - expected) >
        0.01 * std::abs(expected) + (t.dtype() == DType::bf16 ? 0.1 : 1e-3))
      return "sum of values " + std::to_string(sum) + " instead of " + std::to_string(expected);
  }
  return {};
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void measure(SweepResult& result, Call& call, Baseline& baseline) {
  const double seconds = result.size == 2 ? 0.01 : 0.003;
  const std::string request = Json{{"seconds", seconds}}.dump();
  std::vector<double> ours, theirs, ratios;
  for (int round = 0; round < (result.size == 2 ? 3 : 5); ++round) {
    // PyTorch's OpenMP threads go on spinning for some milliseconds after its measurement.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ours.push_back(call.measure(seconds));
    baseline.send(request);
    theirs.push_back(std::stod(baseline.read_reply()));
    ratios.push_back(ours.back() / theirs.back());
  }
  result.ours = median(ours), result.baseline = median(theirs), result.ratio = median(ratios);
}

}  // namespace

std::vector<SweepResult> measure_row(const SweepFamily& family, const SweepRow& row,
                                     const std::string& dtype, int size, Baseline& baseline,
                                     int threads, std::set<std::string>& ops) {
  const DType type = find_dtype(&DTypeNames::brief, dtype).value();
  const std::vector<InputSpec> specs = parse_inputs(row.inputs, type, size);
  const bool any_gradient = row.differentiable && is_floating_point(type);
  std::vector<SweepResult> results;
  for (const bool backward : {false, true}) {
    if (backward && !any_gradient) break;
    SweepResult result{&row, family.name, dtype, size, backward};
    const bool compared = size == 0 && row.compared;
    try {
      baseline.send(request_for(row, specs, size, backward, compared, threads).dump());
      Call call(row, specs, size, backward);
      std::vector<Tensor> outs;
      std::string error;
      try {
        const OpNames names(ops);
        outs = call.first();
      } catch (const std::exception& e) { error = e.what(); }
      const Json reply = Json::parse(baseline.read_reply());
      if (!error.empty()) throw std::runtime_error("taper: " + error);
      if (reply.is_null() && outs.empty()) break;  // not differentiable
      if (reply.is_null() || (backward && outs.empty()))
        throw std::runtime_error(std::string("no gradient in ") +
                                 (reply.is_null() ? "PyTorch" : "Taper"));
      if (compared) result.problem = difference(outs, reply);
      outs.clear();
      measure(result, call, baseline);
    } catch (const std::exception& e) { result.problem = e.what(); }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace taper::bench
