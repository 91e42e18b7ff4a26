// Training under each form of data parallelism, compared with one process: to rounding with the
// global batch, in float64 because steps of a network with batch normalization amplify differences,
// and to the bit with the batches of the ranks, whose gradients the process accumulates.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "gpt2/gpt2.h"
#include "lenet/lenet.h"
#include "taper/core/generator.h"
#include "taper/dist/dist.h"
#include "taper/taper.h"
#include "vision/resnet.h"

namespace taper::distributed {
namespace {

constexpr int kSteps = 2;
constexpr std::int64_t kRows = 2;  // per rank

enum class Method : std::uint8_t { replicated, sharded_state, sharded_gradients, fully_sharded };

constexpr Method kMethods[] = {Method::replicated, Method::sharded_state, Method::sharded_gradients,
                               Method::fully_sharded};

std::string_view name_of(Method method) {
  constexpr std::array names = {"DDP", "ZeRO-1", "ZeRO-2", "fully_shard"};
  return names[static_cast<std::size_t>(method)];
}

optim::SGDOptions sgd() { return {.lr = 0.05, .momentum = 0.9}; }

/// Returns the modules that are sharded before the whole network.
std::vector<nn::Module*> units_of(nn::Module& net) {
  if (auto* const gpt = dynamic_cast<gpt2::GPT2LMHeadModel*>(&net))
    return gpt->transformer.h.children();  // the embedding is also the last layer
  std::vector<nn::Module*> units;
  for (nn::Module* const child : net.children())
    if (!child->parameters().empty()) units.push_back(child);
  return units;
}

using Net = std::shared_ptr<nn::Module>;
/// Returns the mean loss over `count` rows, from row `first`.
using Loss = std::function<Tensor(nn::Module& net, std::int64_t first, std::int64_t count)>;

struct Result {
  std::vector<Tensor> params;
  double loss = 0;
};

/// Performs steps. In each, `accumulate` adds to the gradients and returns the loss.
template <class F> double train(optim::Optimizer& opt, const F& accumulate) {
  double loss = 0;
  for (int step = 0; step < kSteps; ++step) {
    opt.zero_grad();
    loss = accumulate();
    opt.step();
  }
  return loss;
}

/// Trains on the rows of each rank. Returns whole parameters, and the loss of the global batch.
template <class Make>
Result train_on_ranks(Method method, const Make& make, const Loss& loss_of, const Group& group) {
  manual_seed(static_cast<std::uint64_t>(method == Method::fully_sharded ? 1 : 1 + get_rank()));
  const Net net = make();
  const auto accumulate = [&] {
    const Tensor loss = loss_of(*net, get_rank() * kRows, kRows);
    loss.backward();
    return loss.item<double>();
  };
  double loss = 0;
  if (method == Method::fully_sharded) {
    const DeviceMesh mesh({get_world_size()}, {group});
    for (nn::Module* const unit : units_of(*net)) fully_shard(*unit, {.mesh = mesh});
    fully_shard(*net, {.mesh = mesh});
    optim::SGD opt(net->parameters(), sgd());
    loss = train(opt, accumulate);
  } else {
    DistributedDataParallel ddp(*net, {.process_group = group, .bucket_cap_mb = 0.05});
    if (method == Method::replicated) {
      optim::SGD opt(net->parameters(), sgd());
      loss = train(opt, accumulate);
    } else {
      ZeroRedundancyOptimizer opt(net->parameters(),
                                  [](optim::Params params) {
                                    return std::make_unique<optim::SGD>(std::move(params), sgd());
                                  },
                                  {.process_group = group});
      if (method == Method::sharded_gradients) opt.shard_gradients(ddp);
      loss = train(opt, accumulate);
    }
  }
  Result result;
  for (const Tensor& p : net->parameters()) result.params.push_back(full_tensor(p).detach());
  const Tensor mean = full({}, loss, {.dtype = float64});
  all_reduce(mean, {.op = ReduceOp::avg});
  result.loss = mean.item<double>();
  return result;
}

/// Trains in this process.
template <class F> Result train_alone(nn::Module& net, const F& accumulate) {
  optim::SGD opt(net.parameters(), sgd());
  const double loss = train(opt, accumulate);
  return {.params = net.parameters(), .loss = loss};
}

/// Expects results close to those of one process and the global batch.
template <class Make> void expect_global_batch(const Make& make, const Loss& loss_of) {
  const auto make_double = [&] {
    Net net = make();
    net->to(float64);
    return net;
  };
  manual_seed(1);
  const Net net = make_double();
  const Result expected = train_alone(*net, [&] {
    const Tensor loss = loss_of(*net, 0, get_world_size() * kRows);
    loss.backward();
    return loss.item<double>();
  });
  for (const Method method : kMethods) {
    SCOPED_TRACE(name_of(method));
    const Result actual = train_on_ranks(
        method, [&] { return nn::SyncBatchNorm::convert_sync_batchnorm(make_double()); }, loss_of,
        default_group());
    EXPECT_NEAR(actual.loss, expected.loss, 1e-9);
    ASSERT_EQ(actual.params.size(), expected.params.size());
    for (std::size_t i = 0; i < expected.params.size(); ++i)
      EXPECT_TRUE(allclose(actual.params[i], expected.params[i], 1e-8, 1e-10)) << "parameter " << i;
  }
}

/// Expects the bits of one process that accumulates the gradients of the ranks' batches in the
/// order of the ranks. Their number is a power of two, by which divisions do not round.
template <class Make> void expect_micro_batches(const Make& make, const Loss& loss_of) {
  const int size = get_world_size();
  const Group group = new_group({}, {.deterministic = true});
  manual_seed(1);
  const Net net = make();
  const Result expected = train_alone(*net, [&] {
    double sum = 0;
    for (int rank = 0; rank < size; ++rank) {
      const Tensor loss = loss_of(*net, rank * kRows, kRows) / size;
      loss.backward();
      sum += loss.item<double>();
    }
    return sum;
  });
  for (const Method method : kMethods) {
    SCOPED_TRACE(name_of(method));
    const Result actual = train_on_ranks(method, make, loss_of, group);
    EXPECT_EQ(actual.loss, expected.loss);
    ASSERT_EQ(actual.params.size(), expected.params.size());
    for (std::size_t i = 0; i < expected.params.size(); ++i)
      EXPECT_TRUE(equal(actual.params[i], expected.params[i])) << "parameter " << i;
  }
  destroy_process_group(group);
}

template <class Make> void expect_one_process(const Make& make, const Loss& loss_of) {
  expect_global_batch(make, loss_of);
  expect_micro_batches(make, loss_of);
}

/// Returns rows of a batch that is the same on all ranks, in the dtype of the network if they are
/// floating-point numbers.
Tensor rows_of(const nn::Module& net, const Tensor& batch, std::int64_t first, std::int64_t count) {
  const Tensor rows = batch.narrow(0, first, count);
  return is_floating_point(rows.dtype()) ? rows.to(net.parameters()[0].dtype()) : rows;
}

Tensor images(const Shape& shape) {
  manual_seed(7);
  return randn(shape, {.dtype = float64});
}

Tensor classes() {
  manual_seed(8);
  return randint(0, 10, {get_world_size() * kRows});
}

TEST(Training, OfLeNetMatchesOneProcess) {
  const Tensor x = images({get_world_size() * kRows, 1, 28, 28}), y = classes();
  expect_one_process([] { return std::make_shared<lenet::LeNet>(); },
                     [&](nn::Module& net, std::int64_t first, std::int64_t count) {
                       return F::nll_loss(net(rows_of(net, x, first, count)),
                                          rows_of(net, y, first, count));
                     });
}

TEST(Training, OfAnEncoderMatchesOneProcess) {
  const Tensor x = images({get_world_size() * kRows, 5, 16});
  expect_one_process(
      [] {
        const auto net = std::make_shared<nn::Sequential>();
        for (int i = 0; i < 2; ++i)
          net->append(nn::TransformerEncoderLayer(
              16, 4, {.dim_feedforward = 32, .dropout = 0.0, .batch_first = true}));
        return net;
      },
      [&](nn::Module& net, std::int64_t first, std::int64_t count) {
        return (net(rows_of(net, x, first, count)) - 0.5).square().mean();
      });
}

TEST(Training, OfGpt2MatchesOneProcess) {
  manual_seed(9);
  const Tensor tokens = randint(0, 64, {get_world_size() * kRows, 8});
  expect_one_process(
      [] {
        gpt2::GPT2Config c;
        c.vocab_size = 64, c.n_positions = 8, c.n_embd = 32, c.n_layer = 2, c.n_head = 4;
        c.embd_pdrop = c.resid_pdrop = c.attn_pdrop = 0;
        return std::make_shared<gpt2::GPT2LMHeadModel>(c);
      },
      [&](nn::Module& net, std::int64_t first, std::int64_t count) {
        const Tensor rows = rows_of(net, tokens, first, count);
        const Tensor logits = static_cast<gpt2::GPT2LMHeadModel&>(net)(rows).logits;
        return F::cross_entropy(logits.flatten(0, 1), rows.flatten());
      });
}

TEST(Training, OfResNetMatchesOneProcess) {
  const Tensor x = images({get_world_size() * kRows, 3, 16, 16}), y = classes();
  expect_one_process(
      [] { return std::make_shared<vision::ResNet>(vision::resnet18({.num_classes = 10})); },
      [&](nn::Module& net, std::int64_t first, std::int64_t count) {
        return F::cross_entropy(net(rows_of(net, x, first, count)), rows_of(net, y, first, count));
      });
}

}  // namespace
}  // namespace taper::distributed
