// Scenarios 31 to 36: custom functions, anomaly mode, where.
#include "taper/autograd/function.h"
#include "taper/core/warning.h"
#include "training/autograd/record.h"

namespace taper::oracle::scenario {
namespace {

using autograd::Context;

Record* shown = nullptr;

struct Scale : autograd::Function<Scale> {
  static Tensor forward(Context& ctx, const Tensor& a, const Tensor& b, double k) {
    ctx.save_for_backward({a, b});
    ctx.state<double>() = k;
    return a * b * k;
  }
  static std::vector<Tensor> backward(Context& ctx, const std::vector<Tensor>& g) {
    const auto saved = ctx.saved_tensors();
    shown->show("needs_input_grad", Value::list({ctx.needs_input_grad(0), ctx.needs_input_grad(1),
                                                 ctx.needs_input_grad(2)}));
    const double k = ctx.state<double>();
    return {g[0] * saved[1] * k, g[0] * saved[0] * k, Tensor()};
  }
};

void custom_function_uses_saved_tensors(Record& r) {
  shown = &r;
  const Tensor a = leaf({1., 2.}), b = T({3., 4.});
  const Tensor y = Scale::apply(a, b, 5.0);
  r.show("y", y);
  y.sum().backward();
  r.show("a.grad", a.grad());
  r.show("b.grad", b.grad());
  r.show("name", y.grad_fn().name());
}

struct Bad : autograd::Function<Bad> {
  static Tensor forward(Context&, const Tensor& a, const Tensor& b) { return a + b; }
  static std::vector<Tensor> backward(Context&, const std::vector<Tensor>& g) { return {g[0]}; }
};
struct BadShape : autograd::Function<BadShape> {
  static Tensor forward(Context&, const Tensor& a) { return a * 2; }
  static std::vector<Tensor> backward(Context&, const std::vector<Tensor>&) { return {ones({5})}; }
};

void rejects_wrong_gradients_of_custom_function(Record& r) {
  const Tensor a = leaf({1., 2.});
  r.error("too few", [&] { Bad::apply(a, a).sum().backward(); }, {"BadBackward", "1", "2"});
  r.error("shape", [&] { BadShape::apply(a).sum().backward(); },
          {"BadShapeBackward", "[5]", "[2]"});
}

struct Two : autograd::Function<Two> {
  static std::tuple<Tensor, Tensor, Tensor> forward(Context& ctx, const Tensor& a) {
    const Tensor order = tensor({1, 2, 0});  // argsort of [3, 1, 2]
    ctx.mark_non_differentiable({order});
    ctx.save_for_backward({order});
    return {index_select(a, 0, order), order, a * 2};
  }
  static std::vector<Tensor> backward(Context& ctx, const std::vector<Tensor>& g) {
    shown->show("gi", g[1]);
    shown->show("g2 arrives as zeros", g[2]);
    const Tensor order = ctx.saved_tensors()[0];
    return {zeros_like(g[0]).scatter(0, order, g[0]) + 2 * g[2]};
  }
};
struct Once : autograd::Function<Once> {
  static constexpr bool once_differentiable = true;
  static Tensor forward(Context& ctx, const Tensor& a) {
    ctx.save_for_backward({a});
    return a * a;
  }
  static std::vector<Tensor> backward(Context& ctx, const std::vector<Tensor>& g) {
    return {2 * g[0] * ctx.saved_tensors()[0]};
  }
};

void custom_function_has_non_differentiable_outputs(Record& r) {
  shown = &r;
  const Tensor a = leaf({3., 1., 2.});
  const auto [s, i, d] = Two::apply(a);
  r.show("i.requires_grad", i.requires_grad());
  (s * T({1., 10., 100.})).sum().backward();
  r.show("grad", a.grad());
  const Tensor b = leaf({3.});
  const Tensor g = autograd::grad(Once::apply(b).sum(), b, {.create_graph = true});
  r.error("twice", [&] { g.sum().backward(); });
}

struct Inc : autograd::Function<Inc> {
  static Tensor forward(Context& ctx, const Tensor& a) {
    a.add_(1);
    ctx.mark_dirty({a});
    return a;
  }
  static std::vector<Tensor> backward(Context&, const std::vector<Tensor>& g) { return {g[0] * 7}; }
};

void custom_function_changes_input_in_place(Record& r) {
  const Tensor x = leaf({1., 2.});
  const Tensor y = x * 1;
  const Tensor z = Inc::apply(y);
  r.show("same tensor", z.is_same(y));
  z.sum().backward();
  r.show("grad", x.grad());
  r.show("version", y.version());
}

/// Appends the warnings of a scope to a list.
class CapturedWarnings {
 public:
  explicit CapturedWarnings(std::vector<std::string>& to)
      : previous_(set_warning_handler([&to](const std::string& text) { to.push_back(text); })) {}
  ~CapturedWarnings() { set_warning_handler(std::move(previous_)); }
  CapturedWarnings(const CapturedWarnings&) = delete;
  CapturedWarnings& operator=(const CapturedWarnings&) = delete;

 private:
  SharedFunction<void(const std::string&)> previous_;
};

void anomaly_mode_reports_forward_op(Record& r) {
  std::vector<std::string> warnings;
  {
    const CapturedWarnings capture(warnings);
    const Tensor x = leaf({-1.});
    const DetectAnomaly guard;
    r.error("nan", [&] { (sqrt(x) * 0).sum().backward(); }, {"SqrtBackward0", "nan"});
  }
  if (warnings.empty()) return r.fail("no warning was given");
  r.show("first warning", warnings[0].substr(0, warnings[0].find('.')));
  Values traces;
  for (const std::string& w : warnings)
    if (w.find("Error detected") != std::string::npos)
      traces.emplace_back(w.substr(0, w.find('\n')));
  r.show("trace warning begins", Value::list(traces));
  const Tensor x = leaf({0.});
  (sqrt(x) * 0).sum().backward();
  r.show("without anomaly mode", x.grad());
}

void nan_of_unselected_branch_reaches_gradient(Record& r) {
  const Tensor x = leaf({0., 4.});
  where(x > 1, sqrt(x), x).sum().backward();
  r.show("grad", x.grad());
}

}  // namespace

const std::vector<Scenario>& functions_scenarios() {
  static const std::vector<Scenario> all = {{"31", custom_function_uses_saved_tensors},
                                            {"32", rejects_wrong_gradients_of_custom_function},
                                            {"33", custom_function_has_non_differentiable_outputs},
                                            {"34", custom_function_changes_input_in_place},
                                            {"35", anomaly_mode_reports_forward_op},
                                            {"36", nan_of_unselected_branch_reaches_gradient}};
  return all;
}

}  // namespace taper::oracle::scenario
