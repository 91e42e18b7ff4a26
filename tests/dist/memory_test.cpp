// Memory of a rank under ZeroRedundancyOptimizer and fully_shard, compared with formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "core/allocation_count.h"
#include "dist/shard_unit.h"
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
  /// Records the maximum within the steps of an optimizer, which allocate less than the threshold
  /// at which the counters of a thread are flushed.
  void observe(optim::Optimizer& optimizer) {
    using allocation_count::thread_counters;
    optimizer.register_step_pre_hook([](optim::Optimizer&) {
      allocation_count::flush_thread_counters();  // the maximum begins with the current balance
    });
    optimizer.register_step_post_hook([this](optim::Optimizer&) {
      record(thread_counters.flushed + thread_counters.high.load() - start_);
    });
  }
  std::int64_t peak() const { return peak_; }

 private:
  void record() { record(bytes()); }
  void record(std::int64_t bytes) { peak_ = std::max(peak_, bytes); }

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

/// Calls `f` before and after the forward pass of each module without children, when the gradient
/// of its result arrives, and before and after each step of the optimizer.
void observe_training(nn::Module& net, optim::Optimizer& optimizer,
                      const SharedFunction<void()>& f) {
  for (nn::Module* const m : net.modules()) {
    if (!m->children().empty()) continue;
    m->register_forward_pre_hook([f](nn::Module&, Values&) { f(); });
    m->register_forward_hook([f](nn::Module&, const Values&, Value& result) {
      f();
      if (!result.is_tensor() || !result.as_tensor().requires_grad()) return;
      result.as_tensor().register_hook([f](const Tensor&) {
        f();
        return Tensor();
      });
    });
  }
  optimizer.register_step_pre_hook([f](optim::Optimizer&) { f(); });
  optimizer.register_step_post_hook([f](optim::Optimizer&) { f(); });
}

/// Bytes of the units of GPT-2: a block, and the parameters outside of blocks.
struct UnitBytes {
  explicit UnitBytes(const gpt2::GPT2LMHeadModel& net)
      : block(bytes_of(net.transformer.h.children()[0]->parameters())),
        rest(parameter_bytes() -
             block * static_cast<std::int64_t>(net.transformer.h.children().size())) {}
  std::int64_t block, rest;
};

void shard_blocks(gpt2::GPT2LMHeadModel& net) {
  for (nn::Module* const block : net.transformer.h.children()) fully_shard(*block);
  fully_shard(net);
}

TEST(FullyShardMemory, DividesParametersGradientsAndState) {
  const std::int64_t whole = parameter_bytes();
  on_ranks(kRanks, [&](int) {
    manual_seed(1);
    const ThreadMemory memory;
    gpt2::GPT2LMHeadModel net(small_config());
    shard_blocks(net);
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

TEST(FullyShardMemory, GathersParametersOfTheOutermostModuleAndTwoBlocks) {
  on_ranks(kRanks, [&](int) {
    manual_seed(1);
    gpt2::GPT2LMHeadModel net(small_config());
    const UnitBytes unit(net);
    shard_blocks(net);
    optim::AdamW opt(net.parameters());
    std::int64_t peak = 0, peak_of_step = 0;
    bool is_in_step = false;
    observe_training(net, opt, [&] {
      std::int64_t& maximum = is_in_step ? peak_of_step : peak;
      maximum = std::max(maximum, gathered_bytes(net));
    });
    for (int step = 0; step < 3; ++step) {
      opt.zero_grad();
      compute_gradients(net);
      is_in_step = true;
      opt.step();
      is_in_step = false;
    }
    EXPECT_GE(peak, unit.rest + unit.block);  // the hooks run while a block computes
    EXPECT_LE(peak, unit.rest + 2 * unit.block);
    EXPECT_EQ(peak_of_step, 0);
  });
}

TEST(FullyShardMemory, GathersTwoUnitsAtATime) {
  const std::int64_t whole = parameter_bytes();
  on_ranks(kRanks, [&](int) {
    manual_seed(1);
    ThreadMemory memory;
    gpt2::GPT2LMHeadModel net(small_config());
    const UnitBytes unit(net);
    shard_blocks(net);
    optim::AdamW opt(net.parameters());
    memory.observe(opt);
    for (nn::Module* const m : net.modules())
      if (m->children().empty()) memory.observe(*m);
    for (int step = 0; step < 3; ++step) {
      opt.zero_grad();
      compute_gradients(net);
      opt.step();
    }
    // The network and a block with their gradients, the next block, and the buffers of the
    // reduction of the preceding one.
    const double units =
        static_cast<double>(2 * (unit.rest + unit.block) + unit.block + 2 * unit.block);
    EXPECT_LE(static_cast<double>(memory.peak()), 0.30 * 4 * static_cast<double>(whole) + units);
    EXPECT_LT(memory.peak(), 3 * whole);
  });
}

}  // namespace
}  // namespace taper::distributed
