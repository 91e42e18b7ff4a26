// Stress tests of the engine: depth, threads, memory, custom functions.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>
#include <thread>

#include "core/build.h"
#include "support/sampling.h"
#include "support/warning_capture.h"
#include "taper/autograd/function.h"
#include "taper/autograd/gradcheck.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/memory.h"
#include "taper/nn/linear.h"

namespace taper {
namespace {

TEST(Engine, MillionNodeChainFitsSmallStack) {
  // The thread has 256 KiB of stack: recursion over the graph would overflow it.
  struct Job {
    int count = test::takes_sample() ? 100'000 : 1'000'000;
    float grad = 0;
    static void* run(void* p) {
      Job& job = *static_cast<Job*>(p);
      const Tensor x = ones({1}, {.requires_grad = true});
      Tensor y = x;
      for (int i = 0; i < job.count; ++i) y = y + x;
      y.sum().backward();
      job.grad = x.grad().item<float>();
      y = Tensor();  // recursion while freeing the graph would overflow it as well
      return nullptr;
    }
  } job;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, Job::run, &job), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(job.grad, static_cast<float>(job.count + 1));
}

TEST(Engine, RunsIndependentBackwardPassesInThreads) {
  const Tensor shared = full({64}, 2.0, {.requires_grad = true});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const Tensor own = full({64}, 3.0, {.requires_grad = true});
        (own * shared * own).sum().backward();
        EXPECT_EQ(own.grad()[5].item<float>(), 12);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(shared.grad()[7].item<float>(), 4 * 50 * 9);
}

TEST(Engine, RunsOneGraphInSeveralThreads) {
  const Tensor x = full({8}, 2.0, {.requires_grad = true});
  const Tensor y = (x * x * x).sum();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const Tensor gradient = autograd::grad(y, x, {.retain_graph = true});
        EXPECT_EQ(gradient[0].item<float>(), 12);
      }
    });
  for (auto& t : threads) t.join();
}

TEST(Engine, SteadyStateReusesCachedMemory) {
  const Tensor x = ones({1000}, {.requires_grad = true});
  const auto step = [&] {
    x.set_grad({});
    (x * x + x).sum().backward();
  };
  for (int i = 0; i < 3; ++i) step();
  const auto before = memory::stats();
  for (int i = 0; i < 10; ++i) step();
  const auto after = memory::stats();
  EXPECT_GT(after.allocations, before.allocations);
  if (!build::kSanitized) { EXPECT_EQ(after.system_allocations, before.system_allocations); }
  EXPECT_EQ(after.allocated, before.allocated);
}

struct Cube : autograd::Function<Cube> {
  static Tensor forward(autograd::Context& ctx, const Tensor& a, double scale) {
    ctx.save_for_backward({a});
    ctx.state<double>() = scale;
    return a * a * a * scale;
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    const Tensor a = ctx.saved_tensors()[0];
    return {grads[0] * a * a * (3 * ctx.state<double>()), {}};
  }
};
struct WrongCube : autograd::Function<WrongCube> {
  static Tensor forward(autograd::Context& ctx, const Tensor& a) {
    ctx.save_for_backward({a});
    return a * a * a;
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    const Tensor a = ctx.saved_tensors()[0];
    return {grads[0] * a * a * 3.1};
  }
};

TEST(Engine, CustomFunctionsAreTwiceDifferentiable) {
  const Tensor x = tensor({0.5, -1.0, 2.0}, {.dtype = float64, .requires_grad = true});
  const Tensor y = Cube::apply(x, 2.0);
  EXPECT_EQ(y.grad_fn().name(), "CubeBackward");
  const auto cube = [](const Tensor& t) { return Cube::apply(t, 2.0); };
  EXPECT_TRUE(autograd::gradcheck(cube, x));
  EXPECT_TRUE(autograd::gradgradcheck(cube, x));
  const auto wrong = [](const Tensor& t) { return WrongCube::apply(t); };
  EXPECT_FALSE(autograd::gradcheck(wrong, x, {.raise_exception = false}));
  EXPECT_THROW(autograd::gradcheck(wrong, x), RuntimeError);
}

TEST(Gradcheck, AcceptsFunctionsOfTensorsOfVectorsAndModules) {
  const TensorOptions options{.dtype = float64, .requires_grad = true};
  const Tensor x = tensor({0.5, -1.0}, options), w = tensor({2.0, 3.0}, options);
  const auto product = [](const Tensor& a, const Tensor& b) { return a * b; };
  EXPECT_TRUE(autograd::gradcheck(product, {x, w}));
  EXPECT_TRUE(autograd::gradgradcheck(product, {x, w}));
  EXPECT_TRUE(
      autograd::gradcheck([](const std::vector<Tensor>& in) { return in[0] * in[1]; }, {x, w}));
  EXPECT_TRUE(autograd::gradcheck(
      [](const Tensor& a) {
        return std::vector<Tensor>{a * 2, a.square()};
      },
      x));
  nn::Linear linear(2, 3, {.dtype = float64});
  EXPECT_TRUE(autograd::gradcheck(linear, x));
  EXPECT_THROW(autograd::gradcheck(product, {x}), ValueError);
}

TEST(Engine, NodesOfStaleViewsRunOnceWithAllGradients) {
  const Tensor x = ones({4}, {.requires_grad = true});
  const Tensor base = x * 1, view = base.slice(0, 0, 2);
  base.mul_(2);  // regenerates the view's history at its next use
  const Tensor squared = view * view, scaled = view * 5;
  int calls = 0;
  view.register_hook([&](const Tensor& g) {
    ++calls;
    EXPECT_TRUE(equal(g, full({2}, 2. * 2 + 5)));
    return Tensor();
  });
  const Tensor y = (squared + scaled).sum();
  EXPECT_TRUE(equal(autograd::grad(y, view, {.retain_graph = true}), full({2}, 9.)));
  y.backward();
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(equal(x.grad(), tensor({18., 18., 0., 0.})));
}

TEST(Engine, RecordsOpsOnViewsWhoseBaseGotHistoryLater) {
  const Tensor x = ones({4}, {.requires_grad = true});
  const Tensor base = zeros({4}), view = base.slice(0, 1, 3), other = base.slice(0, 1, 3);
  base.add_(x);
  (view * 2 + other.slice(0, 0, 1)).sum().backward();
  EXPECT_TRUE(equal(x.grad(), tensor({0., 4., 2., 0.})));
}

TEST(Engine, ErrorInBackwardLeavesGradientsUnchanged) {
  const Tensor x = ones({3}, {.requires_grad = true});
  const Tensor y = x * x;
  y.sum().backward();
  const Tensor before = x.grad().clone();
  EXPECT_THROW(y.sum().backward(), RuntimeError);
  EXPECT_TRUE(equal(x.grad(), before));
}

TEST(Engine, WarnsOfCyclesThroughDifferentiableGradientsOfLeaves) {
  const test::WarningCapture capture;
  const Tensor x = ones({1024}, {.requires_grad = true});
  x.square().sum().backward();
  const Tensor y = x.square().sum();
  static_cast<void>(autograd::grad(y, x, {.create_graph = true}));
  EXPECT_EQ(capture.count(), 0u);
  const std::size_t before = memory::stats().allocated;
  {
    const Tensor leaf = x.detach().clone().requires_grad_();
    leaf.square().sum().backward(Tensor(), false, true);
    EXPECT_EQ(capture.last(),
              "Using backward() with create_graph=True will create a reference cycle between the "
              "parameter and its gradient which can cause a memory leak. We recommend using "
              "autograd.grad when creating the graph to avoid this. If you have to use this "
              "function, make sure to reset the .grad fields of your parameters to None after use "
              "to break the cycle and avoid the leak.");
    leaf.set_grad({});
  }
  EXPECT_EQ(memory::stats().allocated, before);
}

// The sum of such a gradient is NaN.
TEST(DetectAnomaly, AcceptsInfinitiesOfBothSigns) {
  const Tensor x = zeros({2}).requires_grad_();
  const test::WarningCapture capture;
  const DetectAnomaly guard;
  (x / tensor({0., -0.})).sum().backward();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(equal(x.grad(), tensor({kInfinity, -kInfinity})));
}

}  // namespace
}  // namespace taper
