// Ops accept exactly the dtypes that they declare.
#include <gtest/gtest.h>

#include "ops/op_cases.h"
#include "support/error_text.h"
#include "taper/core/generator.h"
#include "taper/taper.h"

namespace taper::optest {
namespace {

using test::error_text;

class SampleDtypes : public testing::TestWithParam<OpCase> {};
class OpDtypes : public testing::TestWithParam<const OpDescriptor*> {};

/// Returns the error of the op for inputs of `dtype`, or an empty string if it accepts them.
std::string error_of(const OpCase& c, DType dtype) {
  const NoGrad guard;
  const std::vector<Tensor> ins = draw(c.sample, dtype, 1);
  manual_seed(7);
  try {
    call(c, ins);
    return {};
  } catch (const Error& e) { return e.what(); }
}

TEST_P(SampleDtypes, AreAcceptedOrRejectedAsDeclared) {
  const OpCase& c = GetParam();
  ASSERT_FALSE(c.dtypes().empty());
  if (!c.takes_dtype()) {
    EXPECT_EQ(error_of(c, c.dtypes()[0]), "");
    return;
  }
  for (const DType t : all_dtypes()) {
    SCOPED_TRACE(print_op(*c.op, c.sample.attributes.get()) + " " + std::string(taper::name_of(t)));
    const std::string error = error_of(c, t);
    if (c.op->info.dtypes.contains(t) && c.sample.dtypes.contains(t))
      EXPECT_EQ(error, "");
    else
      EXPECT_NE(error, "") << "accepts a dtype that it does not declare";
  }
}

/// At least one sample must allow each declared dtype; otherwise the dtype would not be tested.
TEST_P(OpDtypes, AreCoveredBySamples) {
  const OpDescriptor* const op = GetParam();
  DTypeSet covered;
  for (const OpCase& c : all_cases())
    if (c.op == op && c.takes_dtype())
      for (const DType t : c.dtypes()) covered = covered | DTypeSet{t};
  EXPECT_EQ(covered, op->info.dtypes);
}

std::string error_for(DType dtype, Tensor (*compute)(const Tensor&)) {
  return error_text<Error>([&] { (void)compute(ones({2, 2}, {.dtype = dtype})); });
}

TEST(DtypeErrors, ReportOpAndDtype) {
  const auto error = error_for;
  EXPECT_EQ(error(DType::bool_, [](const Tensor& x) { return x.abs(); }),
            "abs: not implemented for 'Bool'");
  EXPECT_EQ(error(DType::bool_, [](const Tensor& x) { return x.mm(x); }),
            "mm: not implemented for 'Bool'");
  EXPECT_EQ(error(DType::i64, [](const Tensor& x) { return F::leaky_relu(x); }),
            "leaky_relu: not implemented for 'Long'");
  EXPECT_EQ(error(DType::bool_,
                  [](const Tensor& x) {
                    return conv2d(x.view({1, 1, 2, 2}), x.view({1, 1, 2, 2}));
                  }),
            "conv2d: not implemented for 'Bool'");
}

TEST(DtypeErrors, MatchPyTorchTexts) {
  const auto error = error_for;
  EXPECT_EQ(error(DType::bool_, [](const Tensor& x) { return -x; }),
            "neg: Negation, the `-` operator, on a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead.");
  EXPECT_EQ(error(DType::bool_, [](const Tensor& x) { return x.relu(); }),
            "relu: Boolean inputs not supported for relu");
  EXPECT_EQ(error(DType::bool_, [](const Tensor& x) { return x - x; }),
            "sub: Subtraction, the `-` operator, with two bool tensors is not supported. Use the "
            "`^` or `logical_xor()` operator instead.");
  EXPECT_EQ(error(DType::bool_, [](const Tensor& x) { return x - 1; }),
            "sub: Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
            "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
  EXPECT_EQ(error(DType::i64, [](const Tensor& x) { return x.var(); }),
            "var: only supports floating point dtypes: got int64");
  EXPECT_EQ(error(DType::i32, [](const Tensor& x) { return x.norm(); }),
            "linalg.vector_norm: Expected a floating point tensor as input. Got int32");
  EXPECT_EQ(error(DType::u8, [](const Tensor& x) { return multinomial(x, 1); }),
            "multinomial only supports floating-point dtypes for input, got: uint8");
  EXPECT_EQ(error(DType::f16, [](const Tensor& x) { return linalg::solve(x, x); }),
            "linalg.solve: Low precision dtypes not supported. Got float16");
  EXPECT_EQ(error(DType::i8, [](const Tensor& x) { return linalg::solve(x, x); }),
            "linalg.solve: Expected a floating point or complex tensor as input. Got int8");
}

std::string sample_name(const testing::TestParamInfo<OpCase>& info) {
  return info.param.test_name();
}
std::string op_name(const testing::TestParamInfo<const OpDescriptor*>& info) {
  return std::string(info.param->info.name);
}
INSTANTIATE_TEST_SUITE_P(Ops, SampleDtypes, testing::ValuesIn(all_cases()), sample_name);
INSTANTIATE_TEST_SUITE_P(Ops, OpDtypes, testing::ValuesIn(all_ops().begin(), all_ops().end()),
                         op_name);

}  // namespace
}  // namespace taper::optest
