// Sequences of different lengths: padding and packing.
#include "nets.h"
#include "support/tensors.h"
#include "taper/autograd/gradcheck.h"
#include "taper/nn/utils/rnn.h"

namespace {

using taper::test::arange_shaped;

using namespace nets;
namespace rnn = nn::utils::rnn;
using rnn::PackedSequence;

// R9.4-09
TEST(PackPadded, ConcatenatesRowsOfEachStep) {
  const Tensor x = tensor({{1, 2, 0}, {3, 0, 0}, {4, 5, 6}});
  const PackedSequence p =
      rnn::pack_padded_sequence(x, {2, 1, 3}, {.batch_first = true, .enforce_sorted = false});
  EXPECT_EQ(p.str(),
            "PackedSequence(data=tensor([4, 1, 3, 5, 2, 6]), batch_sizes=tensor([3, 2, 1]), "
            "sorted_indices=tensor([2, 0, 1]), unsorted_indices=tensor([1, 2, 0]))");
  const auto [padded, lengths] = rnn::pad_packed_sequence(p, {.batch_first = true});
  EXPECT_TRUE(equal(padded, x));
  EXPECT_TRUE(equal(lengths, tensor({2, 1, 3}, {.dtype = int64})));
}

// R9.4-09
TEST(PackPadded, SortedLengthsNeedNoIndices) {
  const Tensor x = arange_shaped({3, 2, 2});
  const PackedSequence p = rnn::pack_padded_sequence(x, tensor({3, 1}, {.dtype = int64}));
  EXPECT_TRUE(equal(p.data, cat({x[0], x[1].narrow(0, 0, 1), x[2].narrow(0, 0, 1)})));
  EXPECT_FALSE(p.sorted_indices.defined() || p.unsorted_indices.defined());
  const auto [padded, lengths] =
      rnn::pad_packed_sequence(p, {.padding_value = -1.5, .total_length = 4});
  EXPECT_EQ(padded.shape(), Shape({4, 2, 2}));
  EXPECT_TRUE(equal(padded[3], full({2, 2}, -1.5)));
  EXPECT_TRUE(equal(padded[0], x[0]));
  EXPECT_TRUE(equal(padded[2][1], full({2}, -1.5)));
  EXPECT_TRUE(equal(lengths, tensor({3, 1}, {.dtype = int64})));
}

// R9.4-09
TEST(PackPadded, RejectsAsPyTorch) {
  const Tensor x = zeros({4, 2, 3});
  const auto text = [&](const Shape& lengths, bool sorted = true) {
    return error_message<RuntimeError>(
        [&] { rnn::pack_padded_sequence(x, lengths, {.enforce_sorted = sorted}); });
  };
  EXPECT_EQ(text({1, 3}),
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability.");
  EXPECT_EQ(text({3, 0}),
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0");
  EXPECT_EQ(text({-2, 3}, false), text({3, 0}));
  EXPECT_EQ(text({3, 2, 1}),
            "Expected `len(lengths)` to be equal to batch_size, but got 3 (batch_size=2)");
  EXPECT_EQ(text({5, 2}), "pack_padded_sequence: got a length of 5 in a batch padded to 4");
  EXPECT_EQ(error_message<RuntimeError>([&] {
              rnn::pack_padded_sequence(x, zeros({2, 2}));
            }),
            "'lengths' argument should be a 1D CPU int64 tensor, but got 2D cpu float32 tensor");
  EXPECT_EQ(error_message<RuntimeError>([] {
              rnn::pack_padded_sequence(zeros({0, 2}), {1, 1});
            }),
            "Cannot pack empty tensors.");
  EXPECT_THROW(rnn::pack_padded_sequence(zeros({4}), {4}), IndexError);
  const PackedSequence p = rnn::pack_padded_sequence(x, {3, 2});
  EXPECT_EQ(error_message<ValueError>([&] { rnn::pad_packed_sequence(p, {.total_length = 2}); }),
            "Expected total_length to be at least the length of the longest sequence in input, but "
            "got total_length=2 and max sequence length being 3");
  EXPECT_THROW(rnn::pad_packed_sequence(PackedSequence(zeros({4, 3}), p.batch_sizes)),
               RuntimeError);
  EXPECT_THROW(PackedSequence(zeros({2}), zeros({2}, {.dtype = int64, .device = "meta"})),
               ValueError);
  EXPECT_THROW(PackedSequence(zeros({2}), zeros({2})), ValueError);
}

// R9.4-09
TEST(PadSequence, PadsOnEitherSide) {
  const std::vector<Tensor> all{ones({1, 2}), full({3, 2}, 2), full({2, 2}, 3)};
  const Tensor padded = rnn::pad_sequence(all);
  EXPECT_EQ(padded.shape(), Shape({3, 3, 2}));
  EXPECT_TRUE(
      equal(padded.select(2, 0), tensor({{1.f, 2.f, 3.f}, {0.f, 2.f, 3.f}, {0.f, 2.f, 0.f}})));
  const Tensor left =
      rnn::pad_sequence(all, {.batch_first = true, .padding_value = 9, .padding_side = "left"});
  EXPECT_TRUE(
      equal(left.select(2, 1), tensor({{9.f, 9.f, 1.f}, {2.f, 2.f, 2.f}, {9.f, 3.f, 3.f}})));
  EXPECT_EQ(rnn::pad_sequence({zeros({2}, {.dtype = int64}), zeros({1})}).dtype(), int64);
  const Tensor before = padded.clone();
  const auto apart = rnn::unpad_sequence(padded, tensor({1, 3, 2}, {.dtype = int64}));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(equal(apart[i], all[i]));
  EXPECT_EQ(padded.shape(), Shape({3, 3, 2})) << "the argument stays as it was";
  apart[0].fill_(7);
  EXPECT_TRUE(equal(padded, before)) << "the sequences are tensors of their own";
  EXPECT_EQ(error_message<RuntimeError>([] { rnn::pad_sequence(std::vector<Tensor>{}); }),
            "received an empty list of sequences");
  EXPECT_EQ(error_message<RuntimeError>([&] { rnn::pad_sequence(all, {.padding_side = "up"}); }),
            "Expected padding_side to be one of left or right, but got up.");
  EXPECT_THROW(rnn::pad_sequence({zeros({2, 3}), zeros({2, 4})}), RuntimeError);
  EXPECT_THROW(rnn::pad_sequence({tensor(1.f)}), RuntimeError);
  EXPECT_THROW(rnn::unpad_sequence(padded, tensor({1, 3}, {.dtype = int64})), ValueError);
}

// R9.4-09
TEST(PackSequence, RoundTripsThroughUnpackSequence) {
  const std::vector<Tensor> all{ones({1, 2}), full({3, 2}, 2), full({2, 2}, 3)};
  EXPECT_THROW(rnn::pack_sequence(all), RuntimeError) << "lengths rise";
  const PackedSequence p = rnn::pack_sequence(all, false);
  EXPECT_TRUE(equal(p.sorted_indices, tensor({1, 2, 0}, {.dtype = int64})));
  EXPECT_TRUE(equal(rnn::invert_permutation(p.sorted_indices), p.unsorted_indices));
  EXPECT_FALSE(rnn::invert_permutation({}).defined());
  const auto back = rnn::unpack_sequence(p);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(equal(back[i], all[i]));
  const PackedSequence only_places(p.data, p.batch_sizes, {}, p.unsorted_indices);
  EXPECT_TRUE(equal(rnn::unpack_sequence(only_places)[0], all[0]));
  EXPECT_EQ(p.to(float64).data.dtype(), float64);
  EXPECT_TRUE(p.to(Device::meta()).sorted_indices.device().is_meta());
  EXPECT_TRUE(p.to(Device::meta()).batch_sizes.device().is_cpu());
}

// R9.4-09
TEST(Sequences, PropagateGradients) {
  const auto back_and_forth = [](const Tensor& x) {
    const PackedSequence p = rnn::pack_padded_sequence(x, {1, 3}, {.enforce_sorted = false});
    return rnn::pad_packed_sequence(p, {.padding_value = 2}).first.square();
  };
  EXPECT_TRUE(autograd::gradcheck(back_and_forth,
                                  randn({3, 2, 2}, {.dtype = float64, .requires_grad = true})));
  const Tensor a = ones({2}, {.requires_grad = true}), b = ones({3}, {.requires_grad = true});
  (rnn::pad_sequence({a, b}) * tensor({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}})).sum().backward();
  EXPECT_TRUE(equal(a.grad(), tensor({1.f, 3.f})));
  EXPECT_TRUE(equal(b.grad(), tensor({2.f, 4.f, 6.f})));
}

}  // namespace
