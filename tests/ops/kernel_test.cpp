// Every kernel against the reference kernel for each row of an op, over layouts and dtypes.
#include <gtest/gtest.h>

#include "ops/launch.h"
#include "ops/op_cases.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"

namespace taper::optest {
namespace {

class Kernel : public testing::TestWithParam<OpCase> {};

std::vector<Tensor> seeded_call(const OpCase& c, const std::vector<Tensor>& ins) {
  manual_seed(7);
  return call(c, ins);
}

/// Returns the results of the reference kernel for row-major copies of the inputs; empty if the op
/// rejects them.
std::vector<Tensor> expected_of(const OpCase& c, const std::vector<Tensor>& ins) {
  std::vector<Tensor> plain;
  for (const Tensor& t : ins) plain.push_back(t.defined() ? t.clone() : t);
  ReferenceOnly only;
  try {
    return seeded_call(c, plain);
  } catch (const Error&) { return {}; }
}

TEST_P(Kernel, MatchesReferenceForEveryLayoutAndDtype) {
  const OpCase& c = GetParam();
  NoGrad guard;
  int accepted = 0;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32,
                            DType::i16, DType::i8, DType::u8, DType::bool_}) {
    const std::vector<Tensor> drawn = draw(c.sample, dtype, 1);
    for (const Variant v : variants()) {
      if (v != Variant::contiguous && !c.sample.strided_ok) continue;
      SCOPED_TRACE(c.name() + " " + print_op(*c.op, c.sample.attributes.get()) + " " +
                   std::string(taper::name_of(dtype)) + " " + name_of(v));
      std::vector<Tensor> ins;
      bool any = false;
      for (const Tensor& t : drawn) {
        const Tensor other = relaid(t, v);
        any |= t.defined() && other.defined();
        ins.push_back(t.defined() && !other.defined() ? t : other);
      }
      if (!any) continue;
      std::vector<Tensor> before;
      for (const Tensor& t : ins) before.push_back(t.defined() ? t.clone() : t);
      const std::vector<Tensor> expected = expected_of(c, ins);
      if (expected.empty()) {
        EXPECT_THROW(seeded_call(c, ins), Error);
        continue;
      }
      ++accepted;
      const std::vector<Tensor> got = seeded_call(c, ins);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(difference(got[i], expected[i]), "");
      for (std::size_t i = 0; i < ins.size(); ++i)
        if (ins[i].defined()) {
          EXPECT_EQ(difference(ins[i], before[i]), "") << "input " << i << " was changed";
        }
      const std::vector<Tensor> again = seeded_call(c, ins);
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(!got[i].defined() || equal(got[i], again[i]) ||
                    difference(got[i], again[i]).empty());
    }
  }
  EXPECT_GT(accepted, 0) << c.name() << " accepted no dtype";
}

TEST_P(Kernel, MetaInfersShapesAndDtypesOfCpu) {
  const OpCase& c = GetParam();
  NoGrad guard;
  std::vector<Tensor> ins = draw(c.sample, DType::f32, 1), metas;
  for (const Tensor& t : ins) metas.push_back(t.defined() ? t.to(Device::meta()) : t);
  const std::vector<Tensor> real = seeded_call(c, ins), meta = seeded_call(c, metas);
  for (std::size_t i = 0; i < real.size(); ++i) {
    ASSERT_EQ(real[i].defined(), meta[i].defined());
    if (!real[i].defined()) continue;
    EXPECT_EQ(real[i].shape(), meta[i].shape());
    EXPECT_EQ(real[i].dtype(), meta[i].dtype());
    EXPECT_TRUE(meta[i].device().is_meta());
  }
}

TEST_P(Kernel, InPlaceMatchesOutOfPlace) {
  const OpCase& c = GetParam();
  if (!c.op->info.inplace) return;
  NoGrad guard;
  for (const DType dtype : {DType::f32, DType::f64}) {
    std::vector<Tensor> ins = draw(c.sample, dtype, 3);
    const std::vector<Tensor> expected = seeded_call(c, ins);
    const Tensor self = ins[0].clone();
    std::vector<OpInput> in(ins.begin(), ins.end());
    in[0] = OpInput(self);
    Tensor out;
    manual_seed(7);
    if (!(expected[0].shape() == self.shape()) || expected[0].dtype() != dtype) {
      if (!(expected[0].shape() == self.shape())) {
        EXPECT_THROW(dispatch(*c.op, c.sample.attributes.get(), in, &out, &self), Error);
        EXPECT_EQ(difference(self, ins[0]), "") << "a refused op changed its input";
      }
      continue;
    }
    const std::uint32_t version = self.version();
    dispatch(*c.op, c.sample.attributes.get(), in, &out, &self);
    EXPECT_EQ(difference(self, expected[0]), "");
    EXPECT_TRUE(out.is_same(self));
    EXPECT_EQ(self.version(), version + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Kernel, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.test_name(); });

}  // namespace
}  // namespace taper::optest
