// Training of networks whose layers are divided among ranks, compared with one process.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "dist/small_gpt.h"
#include "dist/support.h"
#include "taper/core/dict.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using namespace small_gpt;
using test::on_ranks;

TEST(TensorParallelTraining, OfALanguageModelMatchesOneProcess) {
  for (const int ranks : {2, 4}) on_ranks(ranks, [](int) { expect_gpt_training(gpt_plan()); });
}

TEST(TensorParallelTraining, OverPartsOfTheSequenceMatchesOneProcess) {
  for (const int ranks : {2, 4}) on_ranks(ranks, [](int) { expect_gpt_training(sequence_plan()); });
}

TEST(TensorParallelTraining, OfAnEncoderLayerMatchesOneProcess) {
  for (const int ranks : {2, 4}) on_ranks(ranks, [](int) { expect_encoder_training(); });
}

TEST(TensorParallelTraining, StoresPartsOfParametersAndOptimizerState) {
  on_ranks(4, [](int rank) {
    const auto net = new_gpt();
    parallelize_module(*net, init_device_mesh({4}), gpt_plan());
    optim::AdamW opt(net->parameters(), {.lr = 0.02});
    const auto scope = loss_parallel();
    gpt_loss(*net, 0).backward();
    opt.step();
    const std::int64_t rows = rank < 3 ? 4 : 1, columns = rank < 3 ? 3 : 1;
    EXPECT_EQ(net->wte.weight.shape(), (Shape{rows, kWidth}));
    EXPECT_EQ(net->first.attn.q.weight.shape(), (Shape{2, kWidth}));
    EXPECT_EQ(net->first.attn.q.bias->shape(), (Shape{2}));
    EXPECT_EQ(net->first.attn.o.bias->shape(), (Shape{kWidth}));
    EXPECT_EQ(net->first.proj.weight.shape(), (Shape{kWidth, columns}));
    EXPECT_EQ(net->first.proj.weight.storage_offset(), 0);
    EXPECT_EQ(net->wte.weight.grad().shape(), net->wte.weight.shape());
    EXPECT_EQ(Value(opt.state(net->wte.weight)["exp_avg"]).as_tensor().shape(),
              (Shape{rows, kWidth}));
    EXPECT_EQ(placement_of(net->first.proj.weight).str(), "Shard(dim=1)");
    EXPECT_TRUE(placement_of(net->first.proj.bias.value()).is_replicate());
    EXPECT_EQ(full_shape(net->wte.weight), (Shape{kVocabulary, kWidth}));
    // Scores are not gathered: each rank has those of its words.
    EXPECT_EQ(net->call({tokens_of(0).narrow(1, 0, kLength)}).as_tensor().size(-1), rows);

    const Value full = get_optimizer_state_dict(*net, opt, {.full_state_dict = true});
    EXPECT_EQ(Value(full["state"]["first.proj.weight"]["exp_avg"]).as_tensor().shape(),
              (Shape{kWidth, 10}));
    optim::AdamW other(net->parameters(), {.lr = 0.02});
    set_optimizer_state_dict(*net, other, full, {.full_state_dict = true});
    EXPECT_TRUE(equal(Value(other.state(net->first.proj.weight)["exp_avg"]).as_tensor(),
                      Value(opt.state(net->first.proj.weight)["exp_avg"]).as_tensor()));
    const Value state = get_model_state_dict(*net, {.full_state_dict = true});
    EXPECT_TRUE(set_model_state_dict(*net, state, {.full_state_dict = true}).empty());
  });
}

}  // namespace
}  // namespace taper::distributed
