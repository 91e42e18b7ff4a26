// Training under each form of data parallelism, compared with one process and the global batch, in
// float64: steps of a network with batch normalization amplify differences of rounding.
#include <gtest/gtest.h>

#include <array>

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

struct Result {
  std::vector<Tensor> params;
  double loss = 0;
};

/// Performs steps on the mean over `count` rows, from row `first`.
template <class Loss> double train(optim::Optimizer& opt, nn::Module& net, const Loss& loss_of,
                                   std::int64_t first, std::int64_t count) {
  Tensor loss;
  for (int step = 0; step < kSteps; ++step) {
    opt.zero_grad();
    loss = loss_of(net, first, count);
    loss.backward();
    opt.step();
  }
  return loss.item<double>();
}

/// Returns the result of all ranks: whole parameters, and the loss of the global batch.
template <class Make, class Loss>
Result train_on_ranks(Method method, const Make& make, const Loss& loss_of) {
  manual_seed(static_cast<std::uint64_t>(method == Method::fully_sharded ? 1 : 1 + get_rank()));
  const std::shared_ptr<nn::Module> net = nn::SyncBatchNorm::convert_sync_batchnorm(make());
  net->to(float64);
  const std::int64_t first = get_rank() * kRows;
  double loss = 0;
  if (method == Method::fully_sharded) {
    for (nn::Module* const unit : units_of(*net)) fully_shard(*unit);
    fully_shard(*net);
    optim::SGD opt(net->parameters(), sgd());
    loss = train(opt, *net, loss_of, first, kRows);
  } else {
    DistributedDataParallel ddp(*net, {.bucket_cap_mb = 0.05});
    if (method == Method::replicated) {
      optim::SGD opt(net->parameters(), sgd());
      loss = train(opt, *net, loss_of, first, kRows);
    } else {
      ZeroRedundancyOptimizer opt(net->parameters(), [](optim::Params params) {
        return std::make_unique<optim::SGD>(std::move(params), sgd());
      });
      if (method == Method::sharded_gradients) opt.shard_gradients(ddp);
      loss = train(opt, *net, loss_of, first, kRows);
    }
  }
  Result result;
  for (const Tensor& p : net->parameters()) result.params.push_back(full_tensor(p).detach());
  const Tensor mean = full({}, loss, {.dtype = float64});
  all_reduce(mean, {.op = ReduceOp::avg});
  result.loss = mean.item<double>();
  return result;
}

template <class Make, class Loss> void expect_same_training(const Make& make, const Loss& loss_of) {
  manual_seed(1);
  const std::shared_ptr<nn::Module> net = make();
  net->to(float64);
  optim::SGD opt(net->parameters(), sgd());
  const double expected = train(opt, *net, loss_of, 0, get_world_size() * kRows);
  for (const Method method : {Method::replicated, Method::sharded_state, Method::sharded_gradients,
                              Method::fully_sharded}) {
    const Result actual = train_on_ranks(method, make, loss_of);
    EXPECT_NEAR(actual.loss, expected, 1e-9) << name_of(method);
    const std::vector<Tensor> params = net->parameters();
    ASSERT_EQ(actual.params.size(), params.size());
    for (std::size_t i = 0; i < params.size(); ++i)
      EXPECT_TRUE(allclose(actual.params[i], params[i], 1e-8, 1e-10))
          << name_of(method) << ", parameter " << i;
  }
}

/// Rows of a batch that is the same on all ranks.
Tensor rows_of(const Tensor& batch, std::int64_t first, std::int64_t count) {
  return batch.narrow(0, first, count);
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
  expect_same_training([] { return std::make_shared<lenet::LeNet>(); },
                       [&](nn::Module& net, std::int64_t first, std::int64_t count) {
                         return F::nll_loss(net(rows_of(x, first, count)),
                                            rows_of(y, first, count));
                       });
}

TEST(Training, OfAnEncoderMatchesOneProcess) {
  const Tensor x = images({get_world_size() * kRows, 5, 16});
  expect_same_training(
      [] {
        const auto net = std::make_shared<nn::Sequential>();
        for (int i = 0; i < 2; ++i)
          net->append(nn::TransformerEncoderLayer(
              16, 4, {.dim_feedforward = 32, .dropout = 0.0, .batch_first = true}));
        return net;
      },
      [&](nn::Module& net, std::int64_t first, std::int64_t count) {
        return (net(rows_of(x, first, count)) - 0.5).square().mean();
      });
}

TEST(Training, OfGpt2MatchesOneProcess) {
  manual_seed(9);
  const Tensor tokens = randint(0, 64, {get_world_size() * kRows, 8});
  expect_same_training(
      [] {
        gpt2::GPT2Config c;
        c.vocab_size = 64, c.n_positions = 8, c.n_embd = 32, c.n_layer = 2, c.n_head = 4;
        c.embd_pdrop = c.resid_pdrop = c.attn_pdrop = 0;
        return std::make_shared<gpt2::GPT2LMHeadModel>(c);
      },
      [&](nn::Module& net, std::int64_t first, std::int64_t count) {
        const Tensor rows = rows_of(tokens, first, count);
        const Tensor logits = static_cast<gpt2::GPT2LMHeadModel&>(net)(rows).logits;
        return F::cross_entropy(logits.flatten(0, 1), rows.flatten());
      });
}

TEST(Training, OfResNetWithSyncBatchNormMatchesOneProcess) {
  const Tensor x = images({get_world_size() * kRows, 3, 16, 16}), y = classes();
  expect_same_training(
      [] { return std::make_shared<vision::ResNet>(vision::resnet18({.num_classes = 10})); },
      [&](nn::Module& net, std::int64_t first, std::int64_t count) {
        return F::cross_entropy(net(rows_of(x, first, count)), rows_of(y, first, count));
      });
}

}  // namespace
}  // namespace taper::distributed
