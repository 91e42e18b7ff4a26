// Recurrent layers and their cells.
#include <cmath>

#include "nets.h"
#include "support/warning_capture.h"
#include "taper/autograd/gradcheck.h"
#include "taper/core/generator.h"
#include "taper/nn/functional.h"
#include "taper/nn/rnn.h"
#include "taper/nn/rnn_cell.h"

namespace {

using taper::test::WarningCapture;

using namespace nets;
namespace rnn = nn::utils::rnn;

// R8.2-48, R8.2-49, R8.2-50, R8.2-51, R8.2-52
TEST(Recurrent, PrintsAsPyTorch) {
  EXPECT_EQ(nn::LSTM(10, 20).str(), "LSTM(10, 20)");
  EXPECT_EQ(nn::LSTM(10, 20,
                     {.num_layers = 2,
                      .bias = false,
                      .batch_first = true,
                      .dropout = 0.5,
                      .bidirectional = true})
                .str(),
            "LSTM(10, 20, num_layers=2, bias=False, batch_first=True, dropout=0.5, "
            "bidirectional=True)");
  EXPECT_EQ(nn::LSTM(10, 20, {.proj_size = 5}).str(), "LSTM(10, 20, proj_size=5)");
  EXPECT_EQ(nn::RNN(10, 20, {.num_layers = 2, .nonlinearity = "relu", .batch_first = true}).str(),
            "RNN(10, 20, num_layers=2, batch_first=True)");
  EXPECT_EQ(nn::GRU(3, 2).str(), "GRU(3, 2)");
  EXPECT_EQ(nn::RNNCell(3, 4, {.nonlinearity = "relu"}).str(), "RNNCell(3, 4, nonlinearity=relu)");
  EXPECT_EQ(nn::RNNCell(3, 4, {.bias = false}).str(), "RNNCell(3, 4, bias=False)");
  EXPECT_EQ(nn::GRUCell(3, 4, {.bias = false}).str(), "GRUCell(3, 4, bias=False)");
  EXPECT_EQ(nn::LSTMCell(3, 4).str(), "LSTMCell(3, 4)");
}

TEST(Recurrent, HasParameterNamesOfPyTorch) {
  nn::LSTM lstm(3, 4, {.num_layers = 2, .bidirectional = true, .proj_size = 2});
  EXPECT_EQ(names(lstm.named_parameters()),
            "weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0 weight_hr_l0 "
            "weight_ih_l0_reverse weight_hh_l0_reverse bias_ih_l0_reverse bias_hh_l0_reverse "
            "weight_hr_l0_reverse weight_ih_l1 weight_hh_l1 bias_ih_l1 bias_hh_l1 weight_hr_l1 "
            "weight_ih_l1_reverse weight_hh_l1_reverse bias_ih_l1_reverse bias_hh_l1_reverse "
            "weight_hr_l1_reverse");
  EXPECT_EQ(lstm.attr<nn::Parameter>("weight_ih_l1").shape(), Shape({16, 4}));
  const auto all = lstm.all_weights();
  EXPECT_EQ(all.size(), 4u);
  EXPECT_TRUE(all[1][4].is_same(lstm.attr<nn::Parameter>("weight_hr_l0_reverse")));
  nn::GRU plain(3, 4, {.bias = false});
  EXPECT_EQ(keys(plain.state_dict()), "weight_ih_l0 weight_hh_l0") << "absent, not None";
  EXPECT_EQ(names(nn::RNNCell(3, 4).named_parameters()), "weight_ih weight_hh bias_ih bias_hh");
  EXPECT_EQ(nn::LSTMCell(3, 4, {.bias = false}).own_parameters()["bias_ih"].repr(), "None");
}

// The parameters are drawn in the order in which named_parameters() returns them.
TEST(Recurrent, InitializesWithinInverseRootOfHiddenSize) {
  manual_seed(3);
  nn::GRU gru(2, 4, {.num_layers = 2});
  manual_seed(3);
  for (const auto& [name, p] : gru.named_parameters())
    EXPECT_TRUE(equal(p, empty(p.shape()).uniform_(-0.5, 0.5))) << name;
  manual_seed(3);
  gru.reset_parameters();
  manual_seed(3);
  EXPECT_TRUE(equal(gru.parameters()[0], empty({12, 2}).uniform_(-0.5, 0.5)));
  manual_seed(4);
  nn::LSTMCell cell(2, 4);
  manual_seed(4);
  for (const auto& [name, p] : cell.named_parameters())
    EXPECT_TRUE(equal(p, empty(p.shape()).uniform_(-0.5, 0.5))) << name;
}

template <class Layer, class Cell> void copy_weights(Layer& layer, Cell& cell) {
  cell.weight_ih = layer.template attr<nn::Parameter>("weight_ih_l0");
  cell.weight_hh = layer.template attr<nn::Parameter>("weight_hh_l0");
  cell.bias_ih = layer.template attr<nn::Parameter>("bias_ih_l0");
  cell.bias_hh = layer.template attr<nn::Parameter>("bias_hh_l0");
}

TEST(Recurrent, MatchesCells) {
  const Tensor x = randn({5, 2, 3}), h0 = randn({1, 2, 4}), c0 = randn({1, 2, 4});
  nn::RNN rnn(3, 4, {.nonlinearity = "relu"});
  nn::RNNCell rnn_cell(3, 4, {.nonlinearity = "relu"});
  nn::LSTM lstm(3, 4);
  nn::LSTMCell lstm_cell(3, 4);
  nn::GRU gru(3, 4);
  nn::GRUCell gru_cell(3, 4);
  copy_weights(rnn, rnn_cell), copy_weights(lstm, lstm_cell), copy_weights(gru, gru_cell);
  auto [r, rh] = rnn(x, h0);
  auto [g, gh] = gru(x, h0);
  auto [l, state] = lstm(x, nn::LSTM::State(h0, c0));
  Tensor rn = h0[0], gn = h0[0];
  nn::LSTM::State ln(h0[0], c0[0]);
  for (std::int64_t t = 0; t < 5; ++t) {
    rn = rnn_cell(x[t], rn), gn = gru_cell(x[t], gn), ln = lstm_cell(x[t], ln);
    EXPECT_TRUE(allclose(r[t], rn) && allclose(g[t], gn) && allclose(l[t], ln.first)) << t;
  }
  EXPECT_TRUE(equal(rh[0], r[4]) && equal(gh[0], g[4]) && equal(state.first[0], l[4]));
  EXPECT_TRUE(allclose(state.second[0], ln.second));
}

TEST(Recurrent, ReverseDirectionReadsBackward) {
  nn::GRU gru(3, 4, {.bidirectional = true});
  const Tensor x = randn({5, 2, 3});
  auto [y, h] = gru(x);
  EXPECT_EQ(y.shape(), Shape({5, 2, 8}));
  EXPECT_EQ(h.shape(), Shape({2, 2, 4}));
  EXPECT_TRUE(equal(h[1], y[0].slice(1, 4, 8))) << "it ends at the first step";
  nn::GRU forward_only(3, 4);
  for (const std::string name : {"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"})
    forward_only.register_parameter(name, gru.attr<nn::Parameter>(name + "_reverse"));
  const Tensor turned = stack({x[4], x[3], x[2], x[1], x[0]});
  EXPECT_TRUE(allclose(forward_only(turned).second[0], h[1]));
}

TEST(Recurrent, AcceptsBatchFirstUnbatchedAndPackedInputs) {
  nn::LSTM lstm(3, 4,
                {.num_layers = 2, .batch_first = true, .bidirectional = true, .proj_size = 2});
  const Tensor x = randn({2, 5, 3});
  const auto [y, state] = lstm(x);
  EXPECT_EQ(y.shape(), Shape({2, 5, 4}));
  EXPECT_EQ(state.first.shape(), Shape({4, 2, 2}));
  EXPECT_EQ(state.second.shape(), Shape({4, 2, 4}));
  const auto [one, its] = lstm(x[1]);
  EXPECT_TRUE(allclose(one, y[1], 1e-5, 1e-6));
  EXPECT_TRUE(allclose(its.second, state.second.select(1, 1), 1e-5, 1e-6));
  // In packed form, each sequence is processed separately, including its states, and the results
  // are in the original order.
  const auto packed = rnn::pack_padded_sequence(x, {3, 5}, {true, false});
  const nn::LSTM::State start(randn({4, 2, 2}), randn({4, 2, 4}));
  const auto [out, last] = lstm(packed, start);
  const auto apart = rnn::unpack_sequence(out);
  for (std::int64_t b = 0; b < 2; ++b) {
    const nn::LSTM::State own(start.first.select(1, b), start.second.select(1, b));
    const auto [alone, end] = lstm(x[b].narrow(0, 0, b ? 5 : 3), own);
    EXPECT_TRUE(allclose(apart[static_cast<std::size_t>(b)], alone, 1e-5, 1e-6)) << b;
    EXPECT_TRUE(allclose(last.first.select(1, b), end.first, 1e-5, 1e-6)) << b;
    EXPECT_TRUE(allclose(last.second.select(1, b), end.second, 1e-5, 1e-6)) << b;
  }
}

TEST(Recurrent, AcceptsIntegersWithStrides) {
  const auto strided = [](const Tensor& t) {
    return stack({t, full_like(t, 77)}, 1).select(1, 0);  // other numbers lie between
  };
  const Tensor data = randn({6, 4}), sizes = tensor({3, 2, 1});
  const Tensor sorted = tensor({2, 0, 1}), unsorted = tensor({1, 2, 0});
  ASSERT_FALSE(strided(sizes).is_contiguous());
  const rnn::PackedSequence packed(data, sizes, sorted, unsorted);
  const rnn::PackedSequence from_strided(data, strided(sizes), strided(sorted), strided(unsorted));
  const Tensor h = randn({1, 3, 5}), c = randn({1, 3, 5});
  const auto expect_equal = [](const Tensor& a, const Tensor& b) { EXPECT_TRUE(equal(a, b)); };
  for (int i = 0; i < 3; ++i) {
    nn::LSTM lstm(4, 5);
    const auto expected = lstm(packed, nn::LSTM::State(h, c));
    const auto got = lstm(from_strided, nn::LSTM::State(h, c));
    expect_equal(got.first.data, expected.first.data);
    expect_equal(got.second.first, expected.second.first);
    expect_equal(got.second.second, expected.second.second);
    nn::GRU gru(4, 5);
    expect_equal(gru(from_strided, h).first.data, gru(packed, h).first.data);
    nn::RNN plain(4, 5);
    expect_equal(plain(from_strided).first.data, plain(packed).first.data);
    const auto [padded, lengths] = rnn::pad_packed_sequence(from_strided);
    expect_equal(padded, rnn::pad_packed_sequence(packed).first);
    const Tensor input = randn({4, 3, 2});
    for (const bool is_sorted : {true, false}) {
      const Tensor steps = is_sorted ? tensor({4, 2, 1}) : tensor({2, 4, 1});
      const rnn::PackOptions options{.enforce_sorted = is_sorted};
      const auto a = rnn::pack_padded_sequence(input, strided(steps), options),
                 b = rnn::pack_padded_sequence(input, steps, options);
      expect_equal(a.data, b.data);
      expect_equal(a.batch_sizes, b.batch_sizes);
    }
    EXPECT_EQ(rnn::unpad_sequence(input, strided(tensor({2, 4, 1})))[1].size(0), 4);
  }
}

TEST(Recurrent, AppliesDropoutBetweenLayersInTraining) {
  nn::RNN rnn(3, 4, {.num_layers = 2, .dropout = 0.5});
  const Tensor x = randn({5, 2, 3});
  const Tensor whole = rnn.eval()(x).first;
  EXPECT_TRUE(equal(rnn(x).first, whole));
  nn::RNN below(3, 4), above(4, 4);
  for (const std::string part : {"weight_ih_l", "weight_hh_l", "bias_ih_l", "bias_hh_l"}) {
    below.register_parameter(part + "0", rnn.attr<nn::Parameter>(part + "0"));
    above.register_parameter(part + "0", rnn.attr<nn::Parameter>(part + "1"));
  }
  manual_seed(1);
  const Tensor dropped = rnn.train()(x).first;
  manual_seed(1);
  EXPECT_TRUE(allclose(dropped, above(nn::functional::dropout(below(x).first, 0.5)).first));
  const WarningCapture warnings;
  nn::GRU(3, 4, {.dropout = 0.5});
  ASSERT_EQ(warnings.count(), 1u);
  EXPECT_EQ(warnings.last(),
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
            "expects num_layers greater than 1, but got dropout=0.5 and num_layers=1");
}

TEST(Recurrent, GradientsMatchFiniteDifferences) {
  const auto x = randn({3, 2, 2}, {.dtype = float64, .requires_grad = true});
  nn::LSTM lstm(2, 3, {.num_layers = 2, .bidirectional = true, .proj_size = 2, .dtype = float64});
  nn::GRU gru(2, 3, {.dtype = float64});
  const auto of_packed = [](auto& layer) {
    return [&layer](const Tensor& t) {
      const auto packed = rnn::pack_padded_sequence(t, {1, 3}, {.enforce_sorted = false});
      return rnn::pad_packed_sequence(layer(packed).first).first;
    };
  };
  EXPECT_TRUE(autograd::gradcheck([&](const Tensor& t) { return lstm(t).second.second; }, x));
  EXPECT_TRUE(autograd::gradcheck(of_packed(lstm), x));
  EXPECT_TRUE(autograd::gradcheck(of_packed(gru), x));
  EXPECT_TRUE(autograd::gradgradcheck([&](const Tensor& t) { return gru(t).first; }, x));
}

TEST(Recurrent, SupportsErasedCallsAndHooks) {
  nn::LSTM lstm(3, 4);
  const Tensor x = randn({5, 2, 3});
  const auto packed = rnn::pack_padded_sequence(x, {5, 2});
  int calls = 0;
  lstm.register_forward_hook([&](nn::Module&, const Values& args, Value& result) {
    ++calls;
    EXPECT_EQ(result.as_sequence().size(), 2u);
    EXPECT_EQ(args[0].is_tuple(), calls == 2 || calls == 3);
  });
  const auto [y, state] = lstm(x);
  EXPECT_TRUE(
      equal(lstm(packed, state).first.data, lstm.call({nn::Convert<rnn::PackedSequence>::to(packed),
                                                       Value::tuple({state.first, state.second})})
                                                .as_sequence()[0]
                                                .as_sequence()[0]
                                                .as_tensor()));
  EXPECT_EQ(calls, 3);
  EXPECT_THROW(lstm.call({}), TypeError);
  EXPECT_THROW(static_cast<nn::Module&>(lstm)(x), TypeError) << "gives no single tensor";
}

TEST(Recurrent, IsConvertedClonedAndLoaded) {
  auto gru = nn::GRU(3, 4).to(float64);
  EXPECT_EQ(gru(randn({2, 1, 3}, {.dtype = float64})).first.dtype(), float64);
  nn::GRU copy = gru.clone();
  const Tensor x = randn({2, 1, 3}, {.dtype = float64});
  EXPECT_TRUE(equal(copy(x).first, gru(x).first));
  NoGrad guard;
  gru.attr<nn::Parameter>("weight_hh_l0").zero_();
  EXPECT_FALSE(equal(copy(x).first, gru(x).first)) << "the copy's weights are its own";
  copy.load_state_dict(gru.state_dict());
  EXPECT_TRUE(equal(copy(x).first, gru(x).first));
  EXPECT_EQ(copy.to("meta")(x.to(Device::meta())).first.shape(), Shape({2, 1, 4}));
}

TEST(Recurrent, RejectsAsPyTorch) {
  EXPECT_EQ(error_message<ValueError>([] { nn::GRU(0, 2); }),
            "input_size must be greater than zero");
  EXPECT_EQ(error_message<ValueError>([] { nn::GRU(2, 0); }),
            "hidden_size must be greater than zero");
  EXPECT_EQ(error_message<ValueError>([] { nn::GRU(2, 2, {.num_layers = 0}); }),
            "num_layers must be greater than zero");
  EXPECT_EQ(error_message<ValueError>([] { nn::LSTM(2, 2, {.proj_size = -1}); }),
            "proj_size should be a positive integer or zero to disable projections");
  EXPECT_EQ(error_message<ValueError>([] { nn::LSTM(2, 2, {.proj_size = 2}); }),
            "proj_size has to be smaller than hidden_size");
  EXPECT_EQ(error_message<ValueError>([] { nn::RNN(2, 2, {.nonlinearity = "sigmoid"}); }),
            "Unknown nonlinearity 'sigmoid'. Select from 'tanh' or 'relu'.");
  EXPECT_EQ(error_message<ValueError>([] { nn::RNN(2, 2, {.dropout = 1.5}); }),
            "dropout should be a number in range [0, 1] representing the probability of an element "
            "being zeroed");
  nn::RNN rnn(3, 2);
  nn::LSTM lstm(3, 2);
  EXPECT_EQ(error_message<ValueError>([&] {
              rnn(zeros({4, 2, 3, 1}));
            }),
            "RNN: Expected input to be 2D or 3D, got 4D tensor instead");
  EXPECT_EQ(error_message<ValueError>([&] { lstm(zeros({3})); }),
            "LSTM: Expected input to be 2D or 3D, got 1D instead");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              rnn(zeros({4, 2, 5}));
            }),
            "input.size(-1) must be equal to input_size. Expected 3, got 5");
  EXPECT_EQ(error_message<ValueError>([&] {
              rnn(zeros({4, 2, 3}, {.dtype = float64}));
            }),
            "RNN input dtype (torch.float64) does not match weight dtype (torch.float32). Convert "
            "input: input.to(torch.float32), or convert model: model.to(torch.float64)");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              rnn(zeros({4, 2, 3}), zeros({1, 3, 2}));
            }),
            "Expected hidden size (1, 2, 2), got [1, 3, 2]");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              rnn(zeros({4, 2, 3}), zeros({1, 2}));
            }),
            "For batched 3-D input, hx should also be 3-D but got 2-D tensor");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              rnn(zeros({4, 3}), zeros({1, 1, 2}));
            }),
            "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              lstm(zeros({4, 3}), nn::LSTM::State(zeros({1, 1, 2}), zeros({1, 2})));
            }),
            "For unbatched 2-D input, hx and cx should also be 2-D but got (3-D, 2-D) tensors");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              lstm(zeros({4, 2, 3}), nn::LSTM::State(zeros({1, 2, 2}), zeros({1, 2, 3})));
            }),
            "Expected hidden[1] size (1, 2, 2), got [1, 2, 3]");
  EXPECT_THROW(lstm(zeros({4, 2, 3}), nn::LSTM::State(zeros({1, 2, 2}), {})), ValueError);
  EXPECT_THROW(rnn(zeros({4, 2, 3}), zeros({1, 2, 2}, {.dtype = float64})), RuntimeError);
  EXPECT_EQ(error_message<RuntimeError>([&] {
              rnn(zeros({0, 2, 3}));
            }),
            "Expected sequence length to be larger than 0 in RNN");
  EXPECT_EQ(rnn(zeros({4, 0, 3})).first.shape(), Shape({4, 0, 2}));
  EXPECT_EQ(error_message<RuntimeError>([&] {
              rnn(rnn::pack_padded_sequence(zeros({4, 2}), {4, 2}));
            }),
            "input must have 2 dimensions, got 1");
}

TEST(RecurrentCell, RejectsAsPyTorch) {
  nn::GRUCell gru(3, 2);
  nn::LSTMCell lstm(3, 2);
  nn::RNNCell odd(3, 2, {.nonlinearity = "gelu"});
  EXPECT_EQ(error_message<ValueError>([&] {
              gru(zeros({1, 2, 3}));
            }),
            "GRUCell: Expected input to be 1D or 2D, got 3D instead");
  EXPECT_EQ(error_message<ValueError>([&] {
              gru(zeros({2, 3}), zeros({1, 2, 2}));
            }),
            "GRUCell: Expected hidden to be 1D or 2D, got 3D instead");
  EXPECT_EQ(error_message<ValueError>([&] {
              lstm(zeros({2, 3}), nn::LSTMCell::State(zeros({2, 2}), zeros({1, 2, 2})));
            }),
            "LSTMCell: Expected hx[1] to be 1D or 2D, got 3D instead");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              gru(zeros({2, 4}));
            }),
            "input has inconsistent input_size: got 4 expected 3");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              gru(zeros({2, 3}), zeros({3, 2}));
            }),
            "Input batch size 2 doesn't match hidden0 batch size 3");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              gru(zeros({2, 3}), zeros({2, 3}));
            }),
            "hidden0 has inconsistent hidden_size: got 3, expected 2");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              gru(zeros({3}), zeros({1, 2}));
            }),
            "Expected 2D hidden0 (batch x hidden_size), but got 3D tensor");
  EXPECT_EQ(error_message<RuntimeError>([&] { odd(zeros({2, 3})); }), "Unknown nonlinearity: gelu");
  EXPECT_THROW(nn::GRUCell(-1, 2), ValueError);
  EXPECT_EQ(gru(zeros({3})).shape(), Shape({2}));
  EXPECT_EQ(lstm(zeros({3})).second.shape(), Shape({2}));
}

}  // namespace
