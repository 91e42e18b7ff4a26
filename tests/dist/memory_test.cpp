// Memory of a rank under ZeroRedundancyOptimizer and fully_shard, compared with formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "core/allocation_count.h"
#include "dist/support.h"
#include "gpt2/gpt2.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::on_ranks;

constexpr int kRanks = 4;

gpt2::GPT2Config small_config() {
  gpt2::GPT2Config c;
  c.vocab_size = 96, c.n_positions = 8, c.n_embd = 64, c.n_layer = 6, c.n_head = 4;
  return c;
}

std::int64_t bytes_of(const std::vector<Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const Tensor& t : tensors)
    if (t.defined()) bytes += static_cast<std::int64_t>(t.nbytes());
  return bytes;
}

std::vector<Tensor> gradients_of(const nn::Module& net) {
  std::vector<Tensor> gradients;
  for (const Tensor& p : net.parameters()) gradients.push_back(p.grad());
  return gradients;
}

/// Returns the bytes of the tensors with the shapes of parameters that an optimizer stores.
std::int64_t state_bytes(optim::Optimizer& optimizer) {
  std::int64_t bytes = 0;
  const Value state = optimizer.state_dict()["state"];
  for (const auto& parameter : state.as_dict())
    for (const auto& entry : parameter.second.as_dict())
      if (entry.second.is_tensor() && entry.second.as_tensor().dim() > 0)
        bytes += static_cast<std::int64_t>(entry.second.as_tensor().nbytes());
  return bytes;
}

Tensor tokens() { return zeros({1, 1}, {.dtype = int64}); }

void compute_gradients(gpt2::GPT2LMHeadModel& net) { net(tokens()).logits.sum().backward(); }

/// Bytes of one process: parameters, gradients and AdamW's two averages have the same size.
std::int64_t parameter_bytes() {
  static const std::int64_t bytes = bytes_of(gpt2::GPT2LMHeadModel(small_config()).parameters());
  return bytes;
}

TEST(ZeroMemory, DividesOptimizerState) {
  std::mutex mutex;
  std::int64_t sum = 0;
  on_ranks(kRanks, [&](int) {
    manual_seed(1);
    gpt2::GPT2LMHeadModel net(small_config());
    DistributedDataParallel ddp(net);
    ZeroRedundancyOptimizer opt(net.parameters(), "AdamW");
    compute_gradients(net);
    opt.step();
    const std::int64_t mine = state_bytes(opt.local_optimizer());
    EXPECT_LE(static_cast<double>(mine), 0.30 * 2 * static_cast<double>(parameter_bytes()));
    EXPECT_EQ(bytes_of(net.parameters()), parameter_bytes());
    EXPECT_EQ(bytes_of(gradients_of(net)), parameter_bytes());
    const std::lock_guard lock(mutex);
    sum += mine;
  });
  EXPECT_EQ(sum, 2 * parameter_bytes());
}

/// Memory that this thread has allocated and not released, above that at construction.
class ThreadMemory {
 public:
  std::int64_t bytes() const { return allocation_count::balance_of_thread() - start_; }
  /// Records the maximum at the results of a module, in forward and in backward.
  void observe(nn::Module& module) {
    module.register_forward_hook([this](nn::Module&, const Values&, Value& result) {
      record();
      if (!result.is_tensor() || !result.as_tensor().requires_grad()) return;
      result.as_tensor().register_hook([this](const Tensor&) {
        record();
        return Tensor();
      });
    });
  }
  std::int64_t peak() const { return peak_; }

 private:
  void record() { peak_ = std::max(peak_, bytes()); }

  std::int64_t start_ = allocation_count::balance_of_thread(), peak_ = 0;
};

TEST(ZeroMemory, DividesGradients) {
  on_ranks(kRanks, [&](int) {
    manual_seed(1);
    ThreadMemory memory;
    gpt2::GPT2LMHeadModel net(small_config());
    DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.02});
    ZeroRedundancyOptimizer opt(net.parameters(), "AdamW");
    opt.shard_gradients(ddp);
    // Buckets have their capacity once the first pass has recorded the order of the gradients.
    compute_gradients(net);
    opt.step();
    opt.zero_grad();
    for (nn::Module* const m : net.modules())
      if (m->children().empty()) memory.observe(*m);
    compute_gradients(net);
    const auto whole = static_cast<double>(parameter_bytes());
    EXPECT_LE(static_cast<double>(bytes_of(gradients_of(net))), 0.30 * whole);
    // Parameters, own gradients and state; and the gradients of some parameters on their way.
    double largest = 0;
    for (const Tensor& p : net.parameters())
      largest = std::max(largest, static_cast<double>(p.nbytes()));
    EXPECT_LE(static_cast<double>(memory.peak()), whole + 0.30 * 3 * whole + 8 * largest);
  });
}

TEST(FullyShardMemory, DividesParametersGradientsAndState) {
  const std::int64_t whole = parameter_bytes();
  on_ranks(kRanks, [&](int) {
    manual_seed(1);
    const ThreadMemory memory;
    gpt2::GPT2LMHeadModel net(small_config());
    for (nn::Module* const block : net.transformer.h.children()) fully_shard(*block);
    fully_shard(net);
    // All sizes are multiples of the number of ranks.
    EXPECT_EQ(bytes_of(net.parameters()), whole / kRanks);
    optim::AdamW opt(net.parameters());
    compute_gradients(net);
    EXPECT_EQ(bytes_of(gradients_of(net)), whole / kRanks);
    opt.step();
    EXPECT_EQ(state_bytes(opt), 2 * whole / kRanks);
    // Nothing whole is left after a step: the rest are modules, hooks and buffers.
    EXPECT_LE(static_cast<double>(memory.bytes()), 0.30 * 4 * static_cast<double>(whole));
  });
}

TEST(FullyShardMemory, GathersTwoUnitsAtATime) {
  const std::int64_t whole = parameter_bytes();
  on_ranks(kRanks, [&](int) {
    manual_seed(1);
    ThreadMemory memory;
    gpt2::GPT2LMHeadModel net(small_config());
    const std::int64_t block = bytes_of(net.transformer.h.children()[0]->parameters());
    const std::int64_t rest =
        whole - block * static_cast<std::int64_t>(net.transformer.h.children().size());
    for (nn::Module* const m : net.transformer.h.children()) fully_shard(*m);
    fully_shard(net);
    optim::AdamW opt(net.parameters());
    for (nn::Module* const m : net.modules())
      if (m->children().empty()) memory.observe(*m);
    for (int step = 0; step < 3; ++step) {
      opt.zero_grad();
      compute_gradients(net);
      opt.step();
    }
    // The network and a block with their gradients, the next block, and the buffers of the
    // reduction of the preceding one.
    const double units = static_cast<double>(2 * (rest + block) + block + 2 * block);
    EXPECT_LE(static_cast<double>(memory.peak()), 0.30 * 4 * static_cast<double>(whole) + units);
    EXPECT_LT(memory.peak(), 3 * whole);
  });
}

}  // namespace
}  // namespace taper::distributed
