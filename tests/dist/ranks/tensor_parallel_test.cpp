// Training of networks whose layers are divided among processes, compared with one process.
#include <gtest/gtest.h>

#include "dist/small_gpt.h"

namespace taper::distributed {
namespace {

TEST(TensorParallel, OfALanguageModelMatchesOneProcess) {
  small_gpt::expect_gpt_training(small_gpt::gpt_plan());
}

TEST(TensorParallel, OverPartsOfTheSequenceMatchesOneProcess) {
  small_gpt::expect_gpt_training(small_gpt::sequence_plan());
}

TEST(TensorParallel, OfAnEncoderLayerMatchesOneProcess) { small_gpt::expect_encoder_training(); }

}  // namespace
}  // namespace taper::distributed
