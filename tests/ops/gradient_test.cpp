// First and second gradients along random directions, against central differences.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/launch.h"
#include "ops/op_cases.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"

namespace taper::optest {
namespace {

class Gradient : public testing::TestWithParam<OpCase> {};

double inner(const Tensor& a, const Tensor& b) {
  NoGrad guard;
  return (a.detach() * b.detach()).sum().item<double>();
}

/// An op as a function of its floating-point inputs and of weights for its floating-point outputs.
struct Problem {
  const OpCase& c;
  std::vector<Tensor> ins;          // all inputs
  std::vector<std::size_t> moving;  // indices of the differentiated inputs
  std::vector<Tensor> weights;      // one per output; undefined for integer outputs

  explicit Problem(const OpCase& test) : c(test), ins(draw(test.sample, DType::f64, 11)) {
    for (std::size_t i = 0; i < ins.size(); ++i)
      if (ins[i].defined() && is_floating_point(ins[i].dtype())) moving.push_back(i);
    NoGrad guard;
    unsigned seed = 100;
    for (const Tensor& y : outputs(ins))
      weights.push_back(y.defined() && is_floating_point(y.dtype()) ? like(y, seed++) : Tensor());
  }
  static Tensor like(const Tensor& y, unsigned seed) {
    SampleInput r;
    r.ins.emplace_back(y.shape());
    return draw(r, DType::f64, seed)[0];
  }
  std::vector<Tensor> outputs(const std::vector<Tensor>& at) const {
    manual_seed(5);
    return call(c, at);
  }
  /// Returns the variables: differentiated inputs, then weights.
  std::vector<Tensor> point(const std::vector<Tensor>& along, double step, bool grad) const {
    std::vector<Tensor> v;
    std::size_t d = 0;
    const auto move = [&](const Tensor& t) {
      NoGrad guard;
      Tensor m = along.empty() ? t.clone() : t + along[d] * step;
      ++d;
      m.requires_grad_(grad);
      v.push_back(std::move(m));
    };
    for (std::size_t i : moving) move(ins[i]);
    for (const Tensor& w : weights)
      if (w.defined()) move(w);
    return v;
  }
  Tensor value(const std::vector<Tensor>& v) const {
    std::vector<Tensor> at = ins;
    for (std::size_t i = 0; i < moving.size(); ++i) at[moving[i]] = v[i];
    const std::vector<Tensor> ys = outputs(at);
    Tensor total;
    std::size_t w = moving.size();
    for (std::size_t i = 0; i < ys.size(); ++i) {
      if (!weights[i].defined()) continue;
      const Tensor part = (ys[i] * v[w++]).sum();
      total = total.defined() ? total + part : part;
    }
    return total;
  }
  std::vector<Tensor> direction(unsigned seed) const {
    std::vector<Tensor> d;
    for (std::size_t i : moving) d.push_back(like(ins[i], seed++));
    for (const Tensor& w : weights)
      if (w.defined()) d.push_back(like(w, seed++));
    return d;
  }
  bool differentiable() const {
    bool any = false;
    for (const Tensor& w : weights) any |= w.defined();
    return any && !moving.empty() && c.op->backward && c.sample.check_gradient;
  }
};

constexpr double kStep = 1e-5;
void expect_close(double analytic, double numeric, const OpCase& c, const char* what) {
  EXPECT_NEAR(analytic, numeric, 2e-6 * (1 + std::abs(numeric)))
      << what << " of " << c.name() << " " << print_op(*c.op, c.sample.attributes.get());
}

void check_first(const Problem& p, const char* what) {
  const std::vector<Tensor> d = p.direction(200);
  const std::vector<Tensor> v = p.point({}, 0, true);
  const std::vector<Tensor> g =
      autograd::grad(std::vector<Tensor>{p.value(v)}, v, {.allow_unused = true});
  double analytic = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (g[i].defined()) {
      EXPECT_EQ(g[i].shape(), v[i].shape());
      analytic += inner(g[i], d[i]);
    }
  NoGrad guard;
  const double numeric = (p.value(p.point(d, kStep, false)).item<double>() -
                          p.value(p.point(d, -kStep, false)).item<double>()) /
                         (2 * kStep);
  expect_close(analytic, numeric, p.c, what);
}

TEST_P(Gradient, FirstMatchesCentralDifferences) {
  const Problem p(GetParam());
  if (!p.differentiable()) return;
  check_first(p, "gradient");
  ReferenceOnly only;
  check_first(p, "gradient by reference kernels");
}

TEST_P(Gradient, SecondMatchesCentralDifferences) {
  const Problem p(GetParam());
  if (!p.differentiable()) return;
  const std::vector<Tensor> d = p.direction(300), e = p.direction(400);
  const auto slope = [&](const std::vector<Tensor>& v, bool create) {
    const auto g = autograd::grad(std::vector<Tensor>{p.value(v)}, v,
                                  {.create_graph = create, .allow_unused = true});
    Tensor total;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (!g[i].defined()) continue;
      const Tensor part = (g[i] * d[i]).sum();
      total = total.defined() ? total + part : part;
    }
    return total;
  };
  const std::vector<Tensor> v = p.point({}, 0, true);
  const Tensor s = slope(v, true);
  ASSERT_TRUE(s.requires_grad());
  const auto h = autograd::grad(std::vector<Tensor>{s}, v, {.allow_unused = true});
  double analytic = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (h[i].defined()) analytic += inner(h[i], e[i]);
  const double numeric = (slope(p.point(e, kStep, true), false).item<double>() -
                          slope(p.point(e, -kStep, true), false).item<double>()) /
                         (2 * kStep);
  expect_close(analytic, numeric, p.c, "second gradient");
}

INSTANTIATE_TEST_SUITE_P(Ops, Gradient, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.test_name(); });

}  // namespace
}  // namespace taper::optest
