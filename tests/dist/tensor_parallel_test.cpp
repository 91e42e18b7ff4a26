// parallelize_module, redistribute, cross entropy over divided classes: values and refused uses.
#include "taper/dist/tensor_parallel.h"

#include <gtest/gtest.h>

#include "dist/support.h"
#include "dist/tensor_parallel/shared_argument.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;
using test::floats;
using test::on_ranks;

TEST(ParallelizeModule, GivesAllRanksTheValuesOfTheSource) {
  on_ranks(2, [](int rank) {
    manual_seed(static_cast<std::uint64_t>(rank));
    nn::Sequential net{nn::Linear(2, 3), nn::LayerNorm(3), nn::Linear(3, 2)};
    const Tensor weight = net.get_parameter("0.weight");
    const Tensor copy = weight.detach().clone();
    parallelize_module(
        net, Group(),
        {{"0", ColwiseParallel()}, {"1", SequenceParallel()}, {"2", RowwiseParallel()}},
        {.src_data_rank = 1});
    EXPECT_TRUE(net.get_parameter("0.weight").is_same(weight));
    const Tensor full = full_tensor(weight), bias = net.get_parameter("2.bias");
    EXPECT_TRUE(rank != 1 || equal(full, copy));
    const Tensor sum = bias.detach().clone();
    all_reduce(sum);
    EXPECT_TRUE(equal(sum, bias * 2));

    nn::Linear own(1, 2, {.bias = false});
    nn::init::constant_(own.weight, rank);
    parallelize_module(own, Group(), {{"", ColwiseParallel()}}, {.src_data_rank = std::nullopt});
    EXPECT_TRUE(equal(full_tensor(own.weight), floats({0, 1}).view({2, 1})));
  });
}

TEST(ParallelizeModule, AddsTheBiasOnce) {
  on_ranks(2, [](int) {
    nn::Linear net(4, 1);
    nn::init::constant_(net.weight, 1);
    nn::init::constant_(*net.bias, 10);
    parallelize_module(net, Group(), {{"", RowwiseParallel({.input_layouts = Replicate()})}});
    const Tensor y = net(ones({3, 4}));
    EXPECT_TRUE(equal(y, full({3, 1}, 14)));
    y.sum().backward();
    EXPECT_TRUE(equal(net.bias->grad(), floats({3})));
    EXPECT_TRUE(equal(net.weight.grad(), full({1, 2}, 3)));
    EXPECT_EQ(net.str(), "Linear(in_features=4, out_features=1, bias=True)");
  });
}

TEST(ParallelizeModule, AddsThePartsOfTheBiasToDividedResults) {
  on_ranks(2, [](int rank) {
    for (const std::int64_t dim : {0, 1}) {
      manual_seed(1);
      nn::Linear net(2, 3, {.dtype = DType::f64});
      const Tensor whole = net.forward(ones({3, 2}, {.dtype = DType::f64})).detach();
      parallelize_module(
          net, Group(),
          {{"", RowwiseParallel({.input_layouts = Replicate(), .output_layouts = Shard(dim)})}});
      const Tensor y = net(ones({3, 2}, {.dtype = DType::f64}));
      EXPECT_EQ(y.size(dim), rank == 0 ? 2 : 1);
      const Tensor all = redistribute(y, Shard(dim), Replicate());
      EXPECT_TRUE(allclose(all, whole));
      y.sum().backward();
      EXPECT_TRUE(equal(net.bias->grad(), full({3}, 3, {.dtype = DType::f64})));
    }
  });
}

TEST(ParallelizeModule, KeepsThePaddingRowOfAnEmbedding) {
  const auto gradient = [](bool is_parallel) {
    manual_seed(5);
    nn::Embedding net(5, 2, {.padding_idx = 3, .scale_grad_by_freq = true});
    if (is_parallel)
      parallelize_module(net, Group(), {{"", RowwiseParallel({.input_layouts = Replicate()})}});
    net(tensor({{0, 3, 1}, {4, 1, 3}})).square().sum().backward();
    EXPECT_EQ(net.padding_idx, 3);
    return full_tensor(net.weight, net.weight.grad());
  };
  const Tensor expected = gradient(false);
  on_ranks(4, [&](int) { EXPECT_TRUE(equal(gradient(true), expected)); });
}

TEST(ParallelizeModule, SumsGradientsOfPartsOfTheSequence) {
  on_ranks(2, [](int rank) {
    nn::RMSNorm norm(2);
    const Tensor weight = norm.weight.value();
    parallelize_module(norm, Group(), {{"", SequenceParallel()}});
    const Tensor x = full({1, rank == 0 ? 3 : 2, 2}, 2.0);
    norm(x).sum().backward();
    EXPECT_TRUE(norm.weight->is_same(weight));
    EXPECT_TRUE(allclose(weight.grad(), floats({5, 5}), 1e-4));
    weight.set_requires_grad(false);
    EXPECT_FALSE(norm(x).requires_grad());
  });
}

TEST(ParallelizeModule, ConvertsResults) {
  on_ranks(2, [](int rank) {
    nn::Identity net;
    parallelize_module(net, Group(),
                       {{"", PrepareModuleOutput({.output_layouts = Shard(0),
                                                  .desired_output_layouts = Shard(1)})}});
    const Tensor y = net(full({rank + 1, 2}, rank));
    EXPECT_TRUE(equal(y, floats({0, 1, 1}).view({3, 1})));
  });
}

/// Layers with a common argument.
struct Siblings : nn::Module {
  nn::Linear a{2, 3}, b{2, 3}, c{2, 3};
  TAPER_MODULE(Siblings, a, b, c)
  Tensor forward(const Tensor& x) {
    const Tensor y = x * 2;
    return a(y) + b(y) * c(y);
  }
};

TEST(ParallelizeModule, SumsTheGradientOfACommonArgument) {
  manual_seed(6);
  Siblings whole;
  const Tensor x = randn({4, 2}).requires_grad_();
  whole(x).square().sum().backward();
  on_ranks(2, [&](int) {
    manual_seed(6);
    Siblings net;
    parallelize_module(net, Group(), {{"*", ColwiseParallel({.output_layouts = Replicate()})}});
    for (int pass = 0; pass < 2; ++pass) {
      const Tensor own = x.detach().clone().requires_grad_();
      net(own).square().sum().backward();
      EXPECT_TRUE(allclose(own.grad(), x.grad(), 1e-4, 1e-5));
    }
  });
}

TEST(SharedArgument, IsConvertedOncePerCallOfTheParent) {
  SharedArgument shared;
  int count = 0;
  const Tensor x = ones({2}).requires_grad_() * 1;
  const auto get = [&](const Placement& layout) {
    return shared.get(x, layout, [&] {
      ++count;
      return x * 2;
    });
  };
  get(Replicate()), get(Replicate());
  EXPECT_EQ(count, 2);  // no parent is called
  shared.start_call();
  const Tensor first = get(Replicate());
  EXPECT_TRUE(get(Replicate()).is_same(first));
  EXPECT_EQ(count, 3);
  get(Shard(0));
  EXPECT_EQ(count, 4);
  x.add_(1);
  get(Shard(0));
  EXPECT_EQ(count, 5);
  {
    const NoGrad guard;
    get(Shard(0));
  }
  EXPECT_EQ(count, 6);
  shared.finish_call();
  get(Shard(0));
  EXPECT_EQ(count, 7);
}

TEST(ParallelizeModule, DividesClonesOfTheModule) {
  on_ranks(2, [](int) {
    manual_seed(2);
    nn::Sequential net{nn::Linear(3, 5), nn::Tanh(), nn::Linear(5, 2)};
    const auto whole = net.clone_shared();
    parallelize_module(net, init_device_mesh({2}),
                       {{"0", ColwiseParallel()}, {"2", RowwiseParallel()}});
    const auto copy = net.clone_shared();
    const Tensor x = ones({2, 3}), result = (*copy)(x), expected = (*whole)(x);
    EXPECT_TRUE(allclose(result, expected));
    result.sum().backward();
    expected.sum().backward();
    for (std::size_t i = 0; i < 4; ++i) {
      const Tensor p = copy->parameters()[i], w = whole->parameters()[i];
      EXPECT_TRUE(equal(full_tensor(p), w)) << i;
      EXPECT_TRUE(allclose(full_tensor(p, p.grad()), w.grad(), 1e-5, 1e-6)) << i;
      EXPECT_FALSE(net.parameters()[i].grad().defined()) << i;
    }
  });
}

TEST(ParallelizeModule, CombinesWithDataParallelTraining) {
  const auto gradients = [](nn::Sequential& net, const Tensor& x) {
    net(x).square().sum().backward();
    std::vector<Tensor> grads;
    for (const Tensor& p : net.parameters()) grads.push_back(full_tensor(p, p.grad()));
    return grads;
  };
  const auto new_net = [] {
    manual_seed(2);
    return nn::Sequential{nn::Linear(3, 5), nn::Tanh(), nn::Linear(5, 2)};
  };
  nn::Sequential whole = new_net();
  const Tensor x = randn({4, 3});
  const std::vector<Tensor> expected = gradients(whole, x);
  on_ranks(4, [&](int rank) {
    const DeviceMesh mesh = init_device_mesh({2, 2});
    nn::Sequential net = new_net();
    parallelize_module(net, mesh.get_group(1),
                       {{"0", ColwiseParallel()}, {"2", RowwiseParallel()}});
    const DistributedDataParallel ddp(net, {.process_group = mesh.get_group(0)});
    const std::vector<Tensor> grads = gradients(net, x.narrow(0, rank / 2 * 2, 2));
    for (std::size_t i = 0; i < grads.size(); ++i)
      EXPECT_TRUE(allclose(grads[i] * 2, expected[i], 1e-5, 1e-6)) << i;
    EXPECT_TRUE(contains(error_text([&] { parallelize_module(net, mesh, {}); }),
                         "expected a mesh of one dimension, got 2"));
  });
}

TEST(Redistribute, IsDifferentiable) {
  on_ranks(3, [](int rank) {
    const Tensor whole = arange(20.0).view({4, 5}).requires_grad_();
    const Tensor rows = redistribute(whole, Replicate(), Shard(0));
    EXPECT_EQ(rows.size(0), rank < 2 ? 2 : 0);
    const Tensor columns = redistribute(rows, Shard(0), Shard(-1));
    EXPECT_EQ(columns.shape(), (Shape{4, rank < 2 ? 2 : 1}));
    const Tensor again = redistribute(columns, Shard(1), Replicate());
    EXPECT_TRUE(equal(again, whole));
    again.square().sum().backward();
    EXPECT_TRUE(equal(whole.grad(), whole * 2));
    EXPECT_TRUE(contains(error_text([&] { redistribute(whole, Replicate(), Shard(2)); }),
                         "redistribute: dimension 2 of the layout is out of range"));
  });
}

TEST(DividedCrossEntropy, MatchesThatOfOneProcess) {
  manual_seed(8);
  const Tensor scores = randn({4, 7, 3}, {.dtype = DType::f64}) * 30;
  const Tensor target = randint(0, 7, {4, 3});
  const Tensor weight = rand({7}, {.dtype = DType::f64});
  const Tensor factors = rand({4, 3}, {.dtype = DType::f64});
  for (const char* reduction : {"mean", "sum", "none"}) {
    const F::CrossEntropyFuncOptions options{
        .weight = weight, .ignore_index = 2, .reduction = reduction};
    const Tensor x = scores.clone().requires_grad_();
    const Tensor expected = F::cross_entropy(x, target, options);
    (expected * factors).sum().backward();
    on_ranks(5, [&](int) {  // 2, 2, 2, 1 and no classes
      const Tensor part = redistribute(scores.clone(), Replicate(), Shard(1)).requires_grad_();
      const Tensor loss = functional::cross_entropy(part, target, options);
      EXPECT_TRUE(allclose(loss, expected, 1e-12, 1e-12)) << reduction;
      (loss * factors).sum().backward();
      EXPECT_TRUE(
          allclose(part.grad(), redistribute(x.grad(), Replicate(), Shard(1)), 1e-12, 1e-14));
    });
  }
}

TEST(DividedCrossEntropy, RejectsInvalidArguments) {
  on_ranks(2, [](int) {
    const Tensor scores = zeros({2, 3});
    const auto text = [&](const Tensor& target, const F::CrossEntropyFuncOptions& options = {}) {
      const auto scope = loss_parallel();
      return error_text([&] { F::cross_entropy(scores, target, options); });
    };
    EXPECT_TRUE(contains(text(tensor({0, 6})), "target 6 is out of range for 6 classes"));
    EXPECT_TRUE(contains(text(tensor({0, 5, 1})), "expected target of shape"));
    EXPECT_TRUE(contains(text(zeros({2, 3})), "must be class indices"));
    EXPECT_TRUE(contains(text(tensor({0, 1}), {.label_smoothing = 0.1}), "label smoothing"));
    EXPECT_TRUE(contains(text(tensor({0, 1}), {.weight = ones({3})}), "weights of 6 classes"));
    EXPECT_NO_THROW(F::cross_entropy(scores, tensor({0, 1}), {.label_smoothing = 0.1}));
  });
}

std::string plan_error(nn::Module& net, const ParallelPlan& plan) {
  return error_text([&] { parallelize_module(net, Group(), plan); });
}

TEST(ParallelizeModule, RejectsInvalidPlans) {
  on_ranks(2, [](int) {
    nn::Sequential net{nn::Linear(2, 4), nn::Conv1d(2, 4, 1), nn::Linear(4, 2)};
    EXPECT_EQ(plan_error(net, {{"0", ColwiseParallel()}, {"1", ColwiseParallel()}}),
              "parallelize_module: module '1' is Conv1d: ColwiseParallel currently only support "
              "nn.Linear and nn.Embedding!");
    EXPECT_EQ(plan_error(net, {{"0", ColwiseParallel()}, {"fc*", RowwiseParallel()}}),
              "parallelize_module: no module of Sequential matches the path 'fc*'");
    EXPECT_FALSE(is_sharded(net.get_parameter("0.weight")));
    EXPECT_EQ(net.get_parameter("0.weight").shape(), (Shape{4, 2}));

    parallelize_module(net, Group(), {{"0", ColwiseParallel()}});
    EXPECT_EQ(plan_error(net, {{"0", ColwiseParallel()}}),
              "parallelize_module: module '0' is ColwiseParallel already");
    EXPECT_EQ(plan_error(net, {{"0", RowwiseParallel()}}),
              "parallelize_module: parameter '0.weight' is divided by parallelize_module already");
    EXPECT_TRUE(contains(error_text([&] { fully_shard(net); }),
                         "'0.weight' is divided by parallelize_module already"));

    nn::Linear odd(2, 4);
    odd.bias = nn::Parameter(zeros({3}));
    EXPECT_EQ(
        plan_error(odd, {{"", ColwiseParallel()}}),
        "ColwiseParallel: module '': expected a bias of 4 elements for the weight [4, 2], got "
        "[3]");
    nn::Sequential tied{nn::Linear(2, 2), nn::Linear(2, 2)};
    tied.set_attr("2", std::make_shared<nn::Linear>(2, 2));
    tied.get_submodule("1").set_attr("weight", tied.get_parameter("0.weight"));
    EXPECT_TRUE(contains(plan_error(tied, {{"0", ColwiseParallel()}, {"1", RowwiseParallel()}}),
                         "'0.weight' and '1.weight' are the same, but their styles require "
                         "Shard(dim=0) and Shard(dim=1)"));
    EXPECT_TRUE(contains(error_text([] {
                           PrepareModuleInput({.input_layouts = {Shard(0), std::nullopt},
                                               .desired_input_layouts = Replicate()});
                         }),
                         "as many desired layouts as layouts, got 1 and 2"));
  });
}

TEST(ParallelizeModule, RejectsArgumentsThatDoNotHaveTheLayout) {
  on_ranks(2, [](int) {
    nn::Sequential net{nn::Linear(4, 2), nn::Embedding(3, 2), nn::Linear(2, 2)};
    parallelize_module(net, Group(),
                       {{"0", RowwiseParallel()},
                        {"1", RowwiseParallel({.input_layouts = Replicate()})},
                        {"2", ColwiseParallel({.input_layouts = Shard(3)})}});
    const auto text = [&](const char* path, const Tensor& x) {
      const std::string whole = error_text([&] { net.get_submodule(path)(x); });
      return whole.substr(0, whole.find('\n'));
    };
    EXPECT_EQ(text("0", ones({1, 4})),
              "RowwiseParallel: module '0': expected the 2 features of this rank in the last "
              "dimension, got the shape [1, 4]");
    EXPECT_TRUE(net.get_submodule("0").as<nn::Linear>()->bias.has_value());
    EXPECT_EQ(text("1", tensor({0, 3})),
              "RowwiseParallel: module '1': index 3 is out of range for 3 rows");
    EXPECT_EQ(
        text("2", ones({1, 2})),
        "ColwiseParallel: module '2': dimension 3 of the layout is out of range for the shape "
        "[1, 2]");
    EXPECT_EQ(net.get_submodule("0")(ones({1, 2})).size(1), 2);
  });
}

}  // namespace
}  // namespace taper::distributed
