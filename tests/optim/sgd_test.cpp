// SGD against PyTorch's numbers, for parameters of every layout.
#include "taper/optim/sgd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/tensor_impl.h"
#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/parallel.h"
#include "taper_paths.h"

namespace taper {
namespace {

using test::arange_shaped, test::error_text, test::to_vector;

using Json = nlohmann::json;
using optim::SGD;

DType dtype_named(const std::string& name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (name_of(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  throw std::runtime_error("no dtype " + name);
}

Tensor tensor_of(const Json& numbers, DType dtype) {
  return tensor(numbers.get<std::vector<double>>()).to(dtype);
}

optim::SGDOptions options_of(const Json& row) {
  optim::SGDOptions o;
  for (const auto& [name, value] : row.items()) {
    if (name == "nesterov") {
      o.nesterov = value;
    } else if (name == "maximize") {
      o.maximize = value;
    } else {
      Scalar& field = name == "lr"          ? o.lr
                      : name == "momentum"  ? o.momentum
                      : name == "dampening" ? o.dampening
                                            : o.weight_decay;
      field = value.get<double>();
    }
  }
  return o;
}

/// Returns the tolerance for the rounding of a step. It is larger for 16-bit floats, which PyTorch
/// rounds after every operation.
double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return 1e-15;
    case DType::f32: return 4e-7;
    case DType::f16: return 4e-3;
    default: return 3e-2;
  }
}

void expect_close(const Tensor& actual, const Json& expected) {
  const Tensor wide = actual.detach().to(DType::f64).contiguous();
  const auto found = wide.data<double>();
  ASSERT_EQ(found.size(), expected.size());
  const double tolerance = tolerance_of(actual.dtype());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double e = expected[i];
    ASSERT_LE(std::abs(found[i] - e), tolerance * (1 + std::abs(e))) << "element " << i;
  }
}

TEST(SGD, StepsAsPyTorch) {
  std::ifstream file(TAPER_TEST_DATA "/optim.json");
  const Json rows = Json::parse(file).at("cases");
  ASSERT_EQ(rows.size(), 24u);
  for (const Json& row : rows) {
    SCOPED_TRACE(row["dtype"].get<std::string>() + " " + row["options"].dump());
    const DType dtype = dtype_named(row["dtype"]);
    const Tensor p = tensor_of(row["params"][0], dtype).requires_grad_();
    SGD opt({p}, options_of(row["options"]));
    EXPECT_EQ(opt.str(), row["repr"].get<std::string>());
    for (std::size_t t = 0; t < row["grads"].size(); ++t) {
      const Json& grad = row["grads"][t];
      p.set_grad(grad.is_null() ? Tensor() : tensor_of(grad, dtype));
      opt.step();
      expect_close(p, row["params"][t + 1]);
    }
    if (row["buffer"].is_null())
      EXPECT_TRUE(opt.state(p).is_none());
    else
      expect_close(opt.state(p)["momentum_buffer"].as_tensor(), row["buffer"]);
  }
}

Tensor ramp(const Shape& shape, double scale) { return arange_shaped(shape) * scale; }

TEST(SGD, SupportsAnyLayoutOfParametersAndGradients) {
  const optim::SGDOptions options{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01};
  const Tensor plain = ramp({6, 4}, 0.25).requires_grad_();
  const Tensor turned = ramp({6, 4}, 0.25).t().contiguous().t().detach().requires_grad_();
  ASSERT_FALSE(turned.is_contiguous());
  const Tensor offset = zeros({8, 4}).narrow(0, 1, 6).detach();
  offset.copy_(plain.detach());
  offset.requires_grad_();
  SGD a({plain}, options), b({turned}, options), c({offset}, options);
  for (int t = 1; t <= 3; ++t) {
    const Tensor grad = ramp({6, 4}, 0.125 * t);
    plain.set_grad(grad.t().contiguous().t());
    turned.set_grad(grad);
    offset.set_grad(grad);
    a.step(), b.step(), c.step();
  }
  EXPECT_EQ(to_vector<float>(plain), to_vector<float>(offset));
  for (std::size_t i = 0; i < 24; ++i)
    EXPECT_NEAR(to_vector<float>(plain)[i], to_vector<float>(turned)[i],
                1e-6 * (1 + std::abs(to_vector<float>(plain)[i])));
}

TEST(SGD, ReturnsSameBitsForAnyNumberOfThreads) {
  const int before = get_num_threads();
  std::vector<std::vector<float>> found;
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    const Tensor p = ramp({100003}, 1e-3).requires_grad_();
    SGD opt({p}, {.lr = 0.1, .momentum = 0.9, .nesterov = true});
    for (int t = 0; t < 3; ++t) {
      p.set_grad(ramp({100003}, 1e-4));
      opt.step();
    }
    found.push_back(to_vector<float>(p));
  }
  set_num_threads(before);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(SGD, CountsWrites) {
  const Tensor p = ones({3}).requires_grad_();
  const std::uint64_t writes = impl(p).storage->writes();
  const std::uint32_t version = p.version();
  p.set_grad(ones({3}));
  SGD({p}, {.lr = 0.5}).step();
  EXPECT_EQ(p.version(), version + 1);
  EXPECT_EQ(impl(p).storage->writes(), writes + 1);
}

TEST(SGD, StepsOnMetaAndEmptyTensors) {
  const Tensor meta = empty({2, 3}, {.device = "meta", .requires_grad = true});
  const Tensor none = empty({0, 3}, {.requires_grad = true});
  SGD opt({meta, none}, {.momentum = 0.9});
  for (int t = 0; t < 2; ++t) {
    meta.set_grad(empty({2, 3}, {.device = "meta"}));
    none.set_grad(empty({0, 3}));
    opt.step();
  }
  EXPECT_EQ(opt.state(meta)["momentum_buffer"].as_tensor().shape(), Shape({2, 3}));
  EXPECT_EQ(opt.state(none)["momentum_buffer"].as_tensor().shape(), Shape({0, 3}));
}

TEST(SGD, ReadsOptionsAtEveryStep) {
  const Tensor p = zeros({1}).requires_grad_();
  SGD opt({p}, {.lr = 1});
  p.set_grad(ones({1}));
  opt.step();
  opt.param_groups()[0]["lr"] = 0.25;
  opt.step();
  opt.param_groups()[0]["lr"] = tensor({{0.5}});  // a tensor of one element is accepted
  opt.step();
  EXPECT_EQ(to_vector<float>(p), std::vector<float>{-1.75f});
}

template <class E> void expect_refused(const optim::SGDOptions& options, const std::string& text) {
  const Tensor p = zeros({1}).requires_grad_();
  EXPECT_EQ(error_text<E>([&] { SGD opt({p}, options); }), text);
}

TEST(SGD, RejectsOptionsOutsideDomain) {
  expect_refused<ValueError>({.lr = -0.1}, "Invalid learning rate: -0.1");
  expect_refused<ValueError>({.momentum = -1}, "Invalid momentum value: -1");
  expect_refused<ValueError>({.weight_decay = -1}, "Invalid weight_decay value: -1");
  const char* nesterov = "Nesterov momentum requires a momentum and zero dampening";
  expect_refused<ValueError>({.nesterov = true}, nesterov);
  expect_refused<ValueError>({.momentum = 0.9, .dampening = 0.1, .nesterov = true}, nesterov);
  expect_refused<RuntimeError>({.foreach = true, .fused = true},
                               "`fused` and `foreach` cannot be `True` together.");
}

}  // namespace
}  // namespace taper
