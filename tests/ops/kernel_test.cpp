// Compares every kernel with the reference kernel for each sample, over layouts and dtypes.
#include <gtest/gtest.h>

#include "ops/guarded_launch.h"
#include "ops/op_cases.h"
#include "support/sampling.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"

namespace taper::optest {
namespace {

using Kernels = GuardedLaunch::Kernels;
using Poison = GuardedLaunch::Poison;

class Kernel : public testing::TestWithParam<OpCase> {};
class KernelInPlace : public testing::TestWithParam<OpCase> {};
class CpuKernel : public testing::TestWithParam<const OpDescriptor*> {};

std::vector<Tensor> seeded_call(const OpCase& c, const std::vector<Tensor>& ins,
                                Poison poison = Poison::nan) {
  manual_seed(7);
  GuardedLaunch guarded(Kernels::all, poison);
  return call(c, ins);
}

/// Returns the results of the reference kernel for row-major copies of the inputs; empty if the op
/// rejects them.
std::vector<Tensor> expected_of(const OpCase& c, const std::vector<Tensor>& ins) {
  std::vector<Tensor> plain;
  for (const Tensor& t : ins) plain.push_back(t.defined() ? t.clone() : t);
  manual_seed(7);
  GuardedLaunch guarded(Kernels::reference, Poison::number);
  try {
    return call(c, plain);
  } catch (const Error&) { return {}; }
}

TEST_P(Kernel, MatchesReferenceForEveryLayoutAndDtype) {
  const OpCase& c = GetParam();
  NoGrad guard;
  test::Sample sample(5, c.index);
  bool is_first = true;
  for (const DType dtype : c.dtypes()) {
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
      if (!any || (!sample.next() && !is_first)) continue;
      is_first = false;
      std::vector<Tensor> before;
      for (const Tensor& t : ins) before.push_back(t.defined() ? t.clone() : t);
      const std::vector<Tensor> expected = expected_of(c, ins);
      if (expected.empty()) {  // repeating x[0] may produce an invalid mask
        EXPECT_EQ(v, Variant::expanded) << "the op rejects a sample of a dtype that it declares";
        EXPECT_THROW(seeded_call(c, ins), Error);
        continue;
      }
      const std::vector<Tensor> got = seeded_call(c, ins);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(difference(got[i], expected[i]), "");
      for (std::size_t i = 0; i < ins.size(); ++i)
        if (ins[i].defined()) {
          EXPECT_EQ(difference(ins[i], before[i]), "") << "input " << i << " was changed";
        }
      const std::vector<Tensor> again = seeded_call(c, ins, Poison::number);
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(!got[i].defined() || equal(got[i], again[i]) ||
                    difference(got[i], again[i]).empty());
    }
  }
}

TEST_P(Kernel, MetaInfersShapesAndDtypesOfCpu) {
  const OpCase& c = GetParam();
  NoGrad guard;
  std::vector<Tensor> ins = draw(c.sample, main_dtype(*c.op), 1), metas;
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

/// Returns the number of samples in a dtype that the CPU kernel of the op accepts.
int count_accepted(const OpDescriptor* op, DType dtype) {
  int num_accepted = 0;
  for (const OpCase& c : all_cases()) {
    if (c.op != op || !op->info.dtypes.contains(dtype) || !c.sample.dtypes.contains(dtype))
      continue;
    const std::vector<Tensor> ins = draw(c.sample, dtype, 1);
    manual_seed(7);
    GuardedLaunch guarded;
    call(c, ins);
    num_accepted += guarded.num_accepted();
  }
  return num_accepted;
}

/// A CPU kernel may reject calls, which the reference kernel then computes, but not all of them.
TEST_P(CpuKernel, AcceptsContiguousInputs) {
  const OpDescriptor* const op = GetParam();
  NoGrad guard;
  int num_accepted = count_accepted(op, main_dtype(*op));
  for (int i = 0; i < kDTypeCount && num_accepted == 0; ++i)
    num_accepted = count_accepted(op, static_cast<DType>(i));
  EXPECT_GT(num_accepted, 0) << "the CPU kernel of " << op->info.name
                             << " leaves all samples to the reference kernel";
}

TEST_P(KernelInPlace, MatchesOutOfPlace) {
  const OpCase& c = GetParam();
  NoGrad guard;
  const bool floats = c.op->info.dtypes.contains(DType::f32);
  for (const DType dtype : {floats ? DType::f32 : DType::i32, floats ? DType::f64 : DType::i64}) {
    std::vector<Tensor> ins = draw(c.sample, dtype, 3);
    const std::vector<Tensor> expected = seeded_call(c, ins);
    const Tensor self = ins[0].clone();
    std::vector<OpInput> in(ins.begin(), ins.end());
    in[0] = OpInput(self);
    Tensor out;
    manual_seed(7);
    GuardedLaunch guarded;
    if (!(expected[0].shape() == self.shape())) {
      EXPECT_THROW(dispatch(*c.op, c.sample.attributes.get(), in, &out, &self), Error);
      EXPECT_EQ(difference(self, ins[0]), "") << "a rejected op changed its input";
      continue;
    }
    const std::uint32_t version = self.version();
    dispatch(*c.op, c.sample.attributes.get(), in, &out, &self);
    EXPECT_EQ(difference(self, expected[0].to(self.dtype())), "");
    EXPECT_TRUE(out.is_same(self));
    EXPECT_EQ(self.version(), version + 1);
  }
}

std::vector<OpCase> cases_in_place_of_kernels() {
  std::vector<OpCase> cases = all_cases();
  std::erase_if(cases, [](const OpCase& c) { return !c.op->info.inplace; });
  return cases;
}
std::vector<const OpDescriptor*> ops_with_cpu_kernel() {
  std::vector<const OpDescriptor*> ops(all_ops().begin(), all_ops().end());
  std::erase_if(ops, [](const OpDescriptor* op) { return !op->cpu_kernel; });
  return ops;
}
std::string kernel_case(const testing::TestParamInfo<OpCase>& info) {
  return info.param.test_name();
}
std::string kernel_op(const testing::TestParamInfo<const OpDescriptor*>& info) {
  return std::string(info.param->info.name);
}
INSTANTIATE_TEST_SUITE_P(Ops, Kernel, testing::ValuesIn(all_cases()), kernel_case);
INSTANTIATE_TEST_SUITE_P(Ops, KernelInPlace, testing::ValuesIn(cases_in_place_of_kernels()),
                         kernel_case);
INSTANTIATE_TEST_SUITE_P(Ops, CpuKernel, testing::ValuesIn(ops_with_cpu_kernel()), kernel_op);

}  // namespace
}  // namespace taper::optest
