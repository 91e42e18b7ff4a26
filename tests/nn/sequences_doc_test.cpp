// The code of docs/module-system.md about sequences.
#include "nets.h"
#include "taper/nn/nn.h"

namespace {

using namespace taper;

TEST(ModuleDoc, RecurrentLayersAndSequences) {
  namespace rnn = nn::utils::rnn;
  nn::LSTM lstm(3, 4, {.num_layers = 2, .batch_first = true, .bidirectional = true});
  const Tensor padded = rnn::pad_sequence({ones({5, 3}), ones({2, 3})}, {.batch_first = true});
  const auto packed = rnn::pack_padded_sequence(padded, {5, 2}, {.batch_first = true});
  auto [output, state] = lstm(packed);
  std::tie(output, state) = lstm(packed, state);
  const auto [y, lengths] = rnn::pad_packed_sequence(output, {.batch_first = true});
  const auto& w = lstm.attr<nn::Parameter>("weight_hh_l1_reverse");
  EXPECT_EQ(y.shape(), Shape({2, 5, 8}));
  EXPECT_EQ(w.shape(), Shape({16, 4}));
}

}  // namespace
