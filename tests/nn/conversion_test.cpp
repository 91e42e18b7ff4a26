#include <sys/wait.h>
#include <unistd.h>

#include "nets.h"
#include "probe.h"
#include "support/contains.h"
#include "taper/nn/conv.h"
#include "taper/nn/functional.h"

namespace {

using taper::test::contains;

using namespace nets;

struct Counted : nn::Module {
  Scale layer{2};
  nn::Buffer count{zeros({}, {.dtype = int64})};
  Tensor plain = ones({2});
  TAPER_MODULE(Counted, layer, count)
  Tensor forward(const Tensor& x) { return layer(x); }
};

// R2.5-02, R6.1-01, R6.1-02, R6.1-03, R6.1-06, R6.1-07, R6.1-08, R6.1-09, R6.2-04, R6.2-11,
// R4.2-01, R5.5-07
TEST(To, DtypeConvertsFloatingTensorsAndRetainsParameters) {
  Counted m;
  m(row(1, 2)).sum().backward();
  const Tensor before = m.layer.weight, grad = m.layer.weight.grad();
  EXPECT_EQ(&m.to(float64), &m);
  EXPECT_TRUE(m.layer.weight.is_same(before));
  EXPECT_EQ(before.dtype(), float64);
  EXPECT_TRUE(before.requires_grad());
  EXPECT_TRUE(before.grad().is_same(grad));
  EXPECT_EQ(grad.dtype(), float64);
  EXPECT_EQ(m.layer.mean.dtype(), float64);
  EXPECT_EQ(m.count.dtype(), int64);
  EXPECT_EQ(m.plain.dtype(), float32);
  m.to(zeros({1}));
  EXPECT_EQ(before.dtype(), float32);
  EXPECT_EQ(before.data<float>()[1], 2);
  m(row(1, 2)).sum().backward();
  EXPECT_EQ(grad.data<float>()[1], 4);  // backward accumulates in the same tensor
}

// R6.1-13
TEST(To, TiedParametersStayTied) {
  Net net;
  net.class_.weight = net.first.weight;
  net.to(float64);
  EXPECT_TRUE(net.class_.weight.is_same(net.first.weight));
  EXPECT_EQ(net.first.weight.dtype(), float64);
}

TEST(To, RetainsStaticTypeAndSupportsChaining) {
  auto net = Net().to(Device::cpu()).to(float64).eval();
  static_assert(std::is_same_v<decltype(net), Net>);
  EXPECT_EQ(net.first.weight.dtype(), float64);
  EXPECT_FALSE(net.training);
}

// R6.2-05
TEST(To, RejectsIntegerDtypes) {
  Net net;
  EXPECT_EQ(error_text<TypeError>([&] { net.to(int32); }),
            "nn.Module.to only accepts floating point or complex dtypes, but got desired "
            "dtype=torch.int32");
  EXPECT_THROW(net.to(tensor({1})), TypeError);
}

// R6.1-11, R6.1-04, R6.2-08
TEST(To, MetaReplacesParametersAndIsIrreversible) {
  Counted m;
  const Tensor before = m.layer.weight;
  m.to("meta");
  EXPECT_FALSE(m.layer.weight.is_same(before));
  EXPECT_TRUE(m.layer.weight.device().is_meta());
  EXPECT_TRUE(m.layer.weight.requires_grad());
  EXPECT_TRUE(m.count.device().is_meta());
  EXPECT_EQ(
      error_text<NotImplementedError>([&] { m.to(Device::cpu()); }),
      "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead "
      "of torch.nn.Module.to() when moving module from meta to a different device.");
}

TEST(To, UnavailableDeviceLeavesModuleUnchanged) {
  Net net;
  EXPECT_THROW(net.to(Device::cuda()), Error);
  EXPECT_TRUE(net.first.weight.device().is_cpu());
}

// R6.1-07, R6.1-13, R6.1-14
TEST(ConvertTensors, RunsOncePerParentAndUnsharesBuffers) {
  const auto shared = std::make_shared<Scale>();
  Identity a, b, root;
  a.register_module("x", shared);
  a.register_module("again", shared);
  root.register_module("a", std::make_shared<Identity>(std::move(a)));
  root.register_module("b", shared);
  int calls = 0;
  root.convert_tensors([&](const Tensor& t) { return ++calls, t; });
  EXPECT_EQ(calls, 2 * 2);  // a weight and a mean, once for each parent
  Net net;
  const Tensor mean = net.first.mean;
  net.class_.mean = mean;
  net.convert_tensors([](const Tensor& t) { return t; });
  EXPECT_TRUE(net.class_.mean.is_same(net.first.mean));  // the function returned the same tensor
  net.to(float64);
  EXPECT_FALSE(net.class_.mean.is_same(net.first.mean));
  EXPECT_EQ(mean.dtype(), float32);
}

// R6.1-01
TEST(ConvertTensors, WithoutRecurseConvertsOwnTensorsOnly) {
  Counted m;
  m.convert_tensors([](const Tensor& t) { return t.to(float64); }, false);
  EXPECT_EQ(m.count.dtype(), float64);
  EXPECT_EQ(m.layer.weight.dtype(), float32);
}

/// RAII guard that sets a conversion flag.
struct Flag {
  void (*set)(bool);
  explicit Flag(void (*f)(bool)) : set(f) { set(true); }
  ~Flag() { set(false); }
};

// R1.3-10, R6.1-04
TEST(ConversionFlags, OverwriteCreatesNewParameters) {
  EXPECT_FALSE(nn::get_overwrite_module_params_on_conversion());
  EXPECT_FALSE(nn::get_swap_module_params_on_conversion());
  const Flag overwrite(nn::set_overwrite_module_params_on_conversion);
  EXPECT_TRUE(nn::get_overwrite_module_params_on_conversion());
  Net net;
  net.first.weight.set_grad(ones({2}));
  net.class_.weight = net.first.weight;
  net.class_.requires_grad_(false);
  const Tensor before = net.first.weight;
  net.to(float32);  // replaces the parameters even without a change of dtype
  EXPECT_FALSE(net.first.weight.is_same(before));
  EXPECT_FALSE(net.class_.weight.is_same(net.first.weight));  // ties are broken
  EXPECT_FALSE(net.first.weight.requires_grad());
  EXPECT_TRUE(net.first.weight.grad().defined());
}

// R1.3-10, R6.1-05
TEST(ConversionFlags, SwapPreservesObjectsEvenToMeta) {
  const Flag overwrite(nn::set_overwrite_module_params_on_conversion);
  const Flag swap(nn::set_swap_module_params_on_conversion);  // takes precedence over `overwrite`
  Net net;
  const Tensor before = net.first.weight;
  net.first.weight.set_grad(ones({2}));
  net.to(float64);
  EXPECT_TRUE(net.first.weight.is_same(before));
  EXPECT_EQ(before.grad().dtype(), float64);
  net.to("meta");
  EXPECT_TRUE(net.first.weight.is_same(before));
  EXPECT_TRUE(before.device().is_meta());
  EXPECT_TRUE(before.requires_grad());
  Net other;
  other.class_.weight = nn::Parameter::of(ones({4}).slice(0, 0, 2));  // is a view
  EXPECT_EQ(error_text<RuntimeError>([&] { other.to(float64); }),
            "_apply(): Couldn't swap Scale.weight");
}

// R6.2-01
TEST(To, ConvertsToFloatingTypesByName) {
  Counted m;
  EXPECT_EQ(m.to_double().layer.weight.dtype(), float64);
  EXPECT_EQ(m.to_half().layer.mean.dtype(), float16);
  EXPECT_EQ(m.to_bfloat16().layer.weight.dtype(), bfloat16);
  EXPECT_EQ(m.to_float().layer.weight.dtype(), float32);
  EXPECT_EQ(m.count.dtype(), int64);
}

// R6.2-02
TEST(To, TypeConvertsEveryTensor) {
  Counted m;
  EXPECT_EQ(m.type(float64).count.dtype(), float64);
  EXPECT_EQ(m.layer.weight.dtype(), float64);
  EXPECT_EQ(error_text<RuntimeError>([&] { m.type(int32); }),
            "data set to a tensor that requires gradients must be floating point or complex dtype");
  EXPECT_EQ(m.count.dtype(), float64);  // the failed call changed no tensor
  m.requires_grad_(false).type(int32);
  EXPECT_EQ(m.layer.weight.dtype(), int32);
}

// R6.1-10, R6.2-03, R6.2-04: the probe backend represents any device with separate memory.
TEST(To, DeviceMovesAllTensorsAndRetainsParameters) {
  load_probe();
  Counted m;
  m(row(1, 2)).sum().backward();
  const Tensor weight = m.layer.weight, grad = weight.grad();
  m.to("probe:1", {.non_blocking = true});
  EXPECT_TRUE(m.layer.weight.is_same(weight));
  EXPECT_TRUE(weight.grad().is_same(grad));
  EXPECT_EQ(weight.device().str(), "probe:1");
  EXPECT_EQ(grad.device().str(), "probe:1");
  EXPECT_EQ(m.count.device().str(), "probe:1");
  EXPECT_TRUE(m.plain.device().is_cpu());
  m.to("probe:0", float64);
  EXPECT_EQ(weight.device().str(), "probe:0");
  EXPECT_EQ(weight.dtype(), float64);
  EXPECT_EQ(m.count.dtype(), int64);
  EXPECT_EQ(m.cpu().to(weight.to(float32)).layer.weight.data<float>()[1], 2);
  EXPECT_TRUE(m.layer.weight.is_same(weight));
  EXPECT_THROW(m.cuda(), Error);
}

// R6.2-04: `copy` is rejected, at run time in PyTorch and by the compiler here.
template <class Options>
concept HasCopy = requires(Options o) {
  o.copy;
};
static_assert(!HasCopy<nn::ToOptions>);

// R6.1-12, R6.2-06: sparse, mkldnn and complex tensors do not exist, so every conversion is one of
// those above.
template <class T>
concept HasOtherLayouts = requires(T t) {
  t.to_sparse();
}
|| requires(T t) { t.to_mkldnn(); }
|| requires(T t) { t.is_complex(); };
TEST(To, SupportsDenseRealTensorsOnly) {
  static_assert(!HasOtherLayouts<Tensor>);
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    Net net;
    if (is_floating_point(type))
      EXPECT_EQ(net.to(type).first.weight.dtype(), type);
    else
      EXPECT_THROW(net.to(type), TypeError);
  }
}

// R6.2-07
TEST(To, MemoryFormatChangesStridesOfFourAndFiveDimensions) {
  nn::Conv2d conv(3, 4, 3);
  nn::Conv1d flat(3, 4, 3);
  const Tensor weight = conv.weight, values = conv.weight.detach().clone();
  weight.set_grad(ones(weight.shape()));
  conv.to(channels_last);
  EXPECT_TRUE(conv.weight.is_same(weight));
  EXPECT_EQ(weight.shape(), Shape({4, 3, 3, 3}));
  EXPECT_EQ(weight.strides(), Shape({27, 1, 9, 3}));
  EXPECT_EQ(weight.grad().strides(), Shape({27, 1, 9, 3}));
  EXPECT_EQ(conv.bias->strides(), Shape({1}));
  EXPECT_TRUE(equal(weight, values));
  EXPECT_EQ(flat.to(channels_last).weight.strides(), Shape({9, 3, 1}));
  const Tensor x = ones({1, 3, 5, 5});
  EXPECT_TRUE(allclose(conv(x), nn::functional::conv2d(x, values, *conv.bias)));
  conv.to(preserve_format);
  EXPECT_EQ(weight.strides(), Shape({27, 1, 9, 3}));
  conv.to(float64, {.memory_format = contiguous_format});
  EXPECT_EQ(weight.strides(), Shape({27, 9, 3, 1}));
  EXPECT_EQ(weight.dtype(), float64);
  nn::Conv3d deep(2, 2, 2);
  EXPECT_EQ(error_text<RuntimeError>([&] { deep.to(channels_last); }),
            "required rank 4 tensor to use channels_last format");
  EXPECT_EQ(error_text<RuntimeError>([&] { conv.to(channels_last_3d); }),
            "required rank 5 tensor to use channels_last_3d format");
  EXPECT_EQ(deep.to(channels_last_3d).weight.strides(), Shape({16, 1, 8, 4, 2}));
}

// R6.2-09
TEST(To, EmptyAllocatesWithoutCopy) {
  Counted m;
  m.to("meta");
  m.layer.mean.requires_grad_();
  const Tensor there = m.layer.weight;
  m.to_empty("cpu");
  EXPECT_FALSE(m.layer.weight.is_same(there));  // meta parameters are replaced
  EXPECT_TRUE(m.layer.weight.device().is_cpu());
  EXPECT_TRUE(m.layer.weight.requires_grad());
  EXPECT_EQ(m.layer.weight.shape(), Shape({2}));
  EXPECT_EQ(m.count.dtype(), int64);
  const Tensor here = m.layer.weight;
  m.to_empty("cpu");
  EXPECT_TRUE(m.layer.weight.is_same(here));
  Counted outer;
  outer.to_empty("meta", false);
  EXPECT_TRUE(outer.count.device().is_meta());
  EXPECT_TRUE(outer.layer.weight.device().is_cpu());
  Identity lazy;
  lazy.register_parameter("p", nn::UninitializedParameter());
  EXPECT_TRUE(contains(error_text<ValueError>([&] { lazy.to_empty("cpu"); }),
                       "Attempted to use an uninitialized parameter in empty_like."));
}

// R6.2-10
TEST(To, ShareMemoryMovesStoragesInPlace) {
  Net net;
  const Tensor alias = net.first.weight.detach(), weight = net.first.weight;
  EXPECT_EQ(&net.share_memory(), &net);
  EXPECT_TRUE(net.first.weight.is_same(weight));
  EXPECT_TRUE(alias.shares_storage_with(weight));
  float* const elements = alias.mutable_data_ptr<float>();
  EXPECT_EQ(elements[0], 2);
  const pid_t child = fork();
  if (child == 0) {
    elements[0] = 11;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(net.first.weight.data<float>()[0], 11);
  net.share_memory();  // a second call has no effect
  EXPECT_EQ(alias.data<float>().data(), elements);
  Identity lazy;
  lazy.register_buffer("b", nn::UninitializedBuffer());
  EXPECT_EQ(error_text<RuntimeError>([&] { lazy.share_memory(); }),
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before calling `module.share_memory()`.");
}

// R1.4-07: persistence belongs to the name, so conversions preserve it; buffers() returns plain
// tensors.
TEST(To, BuffersPreservePersistence) {
  Identity m;
  m.register_buffer("saved", ones({1}));
  m.register_buffer("unsaved", ones({1}), false);
  m.to(float64).to("meta");
  EXPECT_EQ(keys(m.state_dict()), "saved");
  EXPECT_EQ(m.buffers().size(), 2u);
  static_assert(std::is_same_v<decltype(m.buffers()), std::vector<Tensor>>);
}

TEST(To, ConvertsModulesOfUnknownClass) {
  Net net;
  nn::Module& m = net;
  m.to(float64).to("meta", {.non_blocking = true});
  EXPECT_TRUE(net.first.weight.device().is_meta());
  EXPECT_EQ(net.first.weight.dtype(), float64);
}

}  // namespace
