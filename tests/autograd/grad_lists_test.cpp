// Lists of tensors in braces: a list of one tensor is a list, as in Python.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/data/image_grid.h"
#include "taper/nn/utils/clip_grad.h"
#include "taper/nn/utils/convert_parameters.h"
#include "taper/optim/grad_scaler.h"

namespace {

using namespace taper;
using test::error_text;

struct Products {
  Tensor x = tensor({1.0, 2.0, 3.0}).requires_grad_(), w = ones({3}).requires_grad_();
  Tensor y = (x.square() * w).sum(), z = (x * w).sum();
};

TEST(Grad, ListsInBracesAreLists) {
  const Products p;
  const autograd::GradOptions retain{.retain_graph = true};
  const Tensor dx = autograd::grad(p.y, p.x, retain);
  EXPECT_TRUE(equal(dx, tensor({2.0, 4.0, 6.0})));
  const std::vector<Tensor> outputs{p.y}, inputs{p.x};
  for (const std::vector<Tensor>& got :
       {autograd::grad({p.y}, {p.x}, retain), autograd::grad(p.y, {p.x}, retain),
        autograd::grad({p.y}, p.x, retain), autograd::grad(outputs, inputs, retain),
        autograd::grad(outputs, {p.x}, retain), autograd::grad({p.y}, inputs, retain),
        autograd::grad(p.y, inputs, retain), autograd::grad(outputs, p.x, retain)}) {
    ASSERT_EQ(got.size(), 1u);
    EXPECT_TRUE(equal(got[0], dx));
  }
  const std::vector<Tensor> both = autograd::grad({p.y, p.z}, {p.x, p.w}, retain);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_TRUE(equal(both[0], tensor({3.0, 5.0, 7.0})));
  EXPECT_TRUE(equal(both[1], tensor({2.0, 6.0, 12.0})));
}

TEST(Grad, OfOneTensorIsATensor) {
  const Products p;
  auto g = autograd::grad(p.y, p.x, {.retain_graph = true});
  EXPECT_TRUE(equal(g * 2, tensor({4.0, 8.0, 12.0})));
  EXPECT_EQ(g.sum().item<double>(), 12);
  EXPECT_TRUE(equal(g[{Slice{1, 3}}], tensor({4.0, 6.0})));
  EXPECT_TRUE(equal(g[g > 3], tensor({4.0, 6.0})));
  g[Slice{0, 1}] = 5;
  EXPECT_TRUE(equal(g, tensor({5.0, 4.0, 6.0})));
  const Tensor before = g;
  g = g / 2;  // rebinds the handle
  EXPECT_TRUE(equal(g, tensor({2.5, 2.0, 3.0})));
  EXPECT_TRUE(equal(before, tensor({5.0, 4.0, 6.0})));
  g = autograd::grad(p.y, p.w);
  EXPECT_TRUE(equal(g, tensor({1.0, 4.0, 9.0})));
  const Tensor rows = g;
  EXPECT_EQ(rows[1].item<double>(), 4);
}

TEST(Grad, AcceptsOneGradientWithoutBraces) {
  const Tensor x = tensor({1.0, 2.0, 3.0}).requires_grad_();
  const Tensor y = x.square(), v = tensor({1.0, 10.0, 100.0});
  const Tensor expected = tensor({2.0, 40.0, 600.0});
  const Tensor g = autograd::grad(y, x, {.grad_outputs = v, .retain_graph = true});
  EXPECT_TRUE(equal(g, expected));
  EXPECT_TRUE(equal(autograd::grad(y, x, {.grad_outputs = {v}, .retain_graph = true}), expected));
  // An undefined tensor is an absent one.
  const std::vector<Tensor> sums =
      autograd::grad({y.sum(), x.sum()}, {x}, {.grad_outputs = Tensor(), .retain_graph = true});
  EXPECT_TRUE(equal(sums[0], tensor({3.0, 5.0, 7.0})));
  autograd::backward(y, {.grad_tensors = v, .retain_graph = true, .inputs = x});
  EXPECT_TRUE(equal(x.grad(), expected));
  const Tensor w = tensor(2.0).requires_grad_();
  (y * w).backward(v, false, false, w);
  EXPECT_EQ(w.grad().item<double>(), 941);
  EXPECT_TRUE(equal(x.grad(), expected));
}

TEST(Backward, AcceptsListsInBraces) {
  const Products p;
  autograd::backward({p.y, p.z});
  EXPECT_TRUE(equal(p.x.grad(), tensor({3.0, 5.0, 7.0})));
  const Products q;
  autograd::backward({q.y});
  EXPECT_TRUE(equal(q.x.grad(), tensor({2.0, 4.0, 6.0})));
}

TEST(Grad, NamesUndefinedTensors) {
  const Products p;
  EXPECT_EQ(error_text<ValueError>([&] { static_cast<void>(autograd::grad({p.y}, {Tensor()})); }),
            "autograd::grad: argument 'inputs[0]' is an undefined tensor");
  EXPECT_EQ(error_text<ValueError>([&] {
              static_cast<void>(autograd::grad({p.y, Tensor()}, {p.x}));
            }),
            "autograd::grad: argument 'outputs[1]' is an undefined tensor");
  EXPECT_EQ(error_text<ValueError>([&] {
              autograd::backward({p.y, Tensor()});
            }),
            "backward: argument 'tensors[1]' is an undefined tensor");
  EXPECT_EQ(error_text<RuntimeError>([] { Tensor().backward(); }).substr(0, 35),
            "backward: this tensor is undefined:");
  EXPECT_EQ(error_text<RuntimeError>([] { static_cast<void>(Tensor().shape()); }).substr(0, 32),
            "shape: this tensor is undefined:");
}

TEST(Grad, NamesTheCalledFunctionInErrors) {
  const Tensor x = ones({2}).requires_grad_(), y = x * 2;
  const auto error_of_grad = [&](const Tensor& of, const autograd::GradOptions& options) {
    return error_text<Error>([&] { static_cast<void>(autograd::grad(of, x, options)); });
  };
  EXPECT_EQ(error_of_grad(y.detach(), {}),
            "autograd::grad: element 0 of tensors does not require grad and does not have a "
            "grad_fn");
  EXPECT_EQ(error_of_grad(y, {}),
            "autograd::grad: grad can be implicitly created only for scalar outputs: got shape "
            "[2]; reduce to a scalar first, e.g. sum(), or pass the gradient");
  EXPECT_EQ(error_of_grad(y, {.grad_outputs = ones({3})}),
            "autograd::grad: Mismatch in shape: grad_output[0] has a shape of [3] and output[0] "
            "has a shape of [2].");
  EXPECT_EQ(error_of_grad(y, {.grad_outputs = {y, y}}),
            "autograd::grad: got 1 tensors and 2 gradients");
  EXPECT_EQ(error_text<RuntimeError>([&] { y.detach().backward(ones({2})); }),
            "backward: element 0 of tensors does not require grad and does not have a grad_fn");
}

TEST(Lists, OfOneTensorInBracesAreLists) {
  Tensor p = tensor({3.0, 4.0}).requires_grad_();
  p.set_grad(tensor({3.0, 4.0}));
  EXPECT_EQ(nn::utils::get_total_norm({p}).item<double>(), 5);
  EXPECT_EQ(nn::utils::clip_grad_norm_({p}, 1.0).item<double>(), 5);
  nn::utils::clip_grad_value_({p, p}, 0.1);
  EXPECT_LE(p.grad().max().item<double>(), 0.1001);
  EXPECT_EQ(nn::utils::parameters_to_vector({p}).shape(), (Shape{2}));
  amp::GradScaler scaler;
  EXPECT_EQ(scaler.scale({p.detach()}).size(), 1u);
  // A list of one image is a batch of one: (1, 1, 2, 3), which is returned with three channels.
  EXPECT_EQ(data::make_grid({zeros({1, 2, 3})}).shape(), (Shape{3, 2, 3}));
  EXPECT_EQ(data::make_grid({zeros({1, 2, 3}), zeros({1, 2, 3})}).shape(), (Shape{3, 6, 12}));
}

}  // namespace
