// Uninitialized parameters and buffers, which do not have a shape yet.
#include "nets.h"

#include "support/contains.h"

namespace {

using taper::test::contains;

using namespace nets;

// R1.4-08
TEST(Uninitialized, HasNoShapeAndPrintsItsKind) {
  const nn::UninitializedParameter p;
  const nn::UninitializedBuffer b;
  const std::string text =
      "Can't access the shape of an uninitialized parameter or buffer. This error usually happens "
      "in `load_state_dict` when trying to load an uninitialized parameter into an initialized "
      "one. Call `forward` to initialize the parameters before accessing their attributes.";
  EXPECT_EQ(error_text<RuntimeError>([&] { p.shape(); }), text);
  EXPECT_EQ(error_text<RuntimeError>([&] { b.shape(); }), text);
  EXPECT_EQ(p.size(0), 0);
  EXPECT_EQ(p.str(), "<UninitializedParameter>");
  EXPECT_EQ(b.str(), "<UninitializedBuffer>");
  Identity m;
  m.register_parameter("p", p);
  m.register_buffer("b", b);
  EXPECT_EQ(m.own_parameters().repr(), "{'p': <UninitializedParameter>}");
  EXPECT_EQ(m.own_buffers().repr(), "{'b': <UninitializedBuffer>}");
  EXPECT_TRUE(p.requires_grad());
  EXPECT_FALSE(b.requires_grad());
  EXPECT_TRUE(b.persistent);
  const nn::UninitializedParameter half(false, {.dtype = float16, .device = "meta"});
  EXPECT_EQ(half.dtype(), float16);
  EXPECT_TRUE(half.device().is_meta());
  EXPECT_FALSE(half.requires_grad());
  EXPECT_FALSE(nn::UninitializedBuffer(true, {}, false).persistent);
}

// R1.4-09
TEST(Uninitialized, RejectsOpsThatNeedShape) {
  const nn::UninitializedParameter p;
  const nn::UninitializedBuffer b;
  const auto text = [](const std::string& what, const std::string& kind) {
    return "Attempted to use an uninitialized parameter in " + what +
           ". This error happens when you are using a `LazyModule` or explicitly manipulating "
           "`torch.nn.parameter." +
           kind +
           "` objects. When using LazyModules Call `forward` with a dummy batch to initialize the "
           "parameters before calling torch functions";
  };
  EXPECT_EQ(error_text<ValueError>([&] { p + 1; }), text("add", "UninitializedParameter"));
  EXPECT_EQ(error_text<ValueError>([&] { ones({2}) * p; }), text("mul", "UninitializedParameter"));
  EXPECT_EQ(error_text<ValueError>([&] { b.exp(); }), text("exp", "UninitializedBuffer"));
  EXPECT_EQ(error_text<ValueError>([&] { p.clone(); }), text("clone", "UninitializedParameter"));
  EXPECT_EQ(error_text<ValueError>([&] { p.dim(); }), text("dim", "UninitializedParameter"));
  EXPECT_EQ(error_text<ValueError>([&] { p.numel(); }), text("numel", "UninitializedParameter"));
  EXPECT_EQ(error_text<ValueError>([&] { p.stride(0); }), text("stride", "UninitializedParameter"));
  EXPECT_EQ(p.dtype(), float32);
  EXPECT_TRUE(p.is_leaf());
}

// R1.4-09
TEST(Uninitialized, IsConvertedAndCloned) {
  Identity m;
  m.register_parameter("p", nn::UninitializedParameter());
  m.register_buffer("b", nn::UninitializedBuffer(), false);
  m.to(float64);
  EXPECT_EQ(m.get_parameter("p").dtype(), float64);
  EXPECT_TRUE(nn::is_lazy(m.get_parameter("p")));
  EXPECT_TRUE(nn::is_lazy(m.get_buffer("b")));
  m.to("meta");
  EXPECT_TRUE(m.get_parameter("p").device().is_meta());
  EXPECT_TRUE(nn::is_lazy(m.get_parameter("p")));
  EXPECT_TRUE(nn::is_lazy(m.get_buffer("b")));
  EXPECT_TRUE(contains(error_text<ValueError>([&] { m.clone(); }), "UninitializedBuffer"));
  m.del_attr("b");
  Identity copy = m.clone();
  EXPECT_TRUE(nn::is_lazy(copy.get_parameter("p")));
  EXPECT_FALSE(copy.get_parameter("p").is_same(m.get_parameter("p")));
}

// R1.4-10
TEST(Uninitialized, MaterializesInPlace) {
  nn::Parameter p = nn::UninitializedParameter(true, {.dtype = float64});
  const Tensor same = p;
  p.materialize({2, 3});
  EXPECT_TRUE(p.is_same(same));
  EXPECT_EQ(same.shape(), Shape({2, 3}));
  EXPECT_EQ(same.dtype(), float64);
  EXPECT_TRUE(same.requires_grad());
  EXPECT_TRUE((p * 2).requires_grad());
  nn::Buffer b = nn::UninitializedBuffer();
  b.materialize({2}, {.dtype = float16, .device = "meta"});
  EXPECT_EQ(b.dtype(), float16);
  EXPECT_TRUE(b.device().is_meta());
  EXPECT_EQ(error_text<RuntimeError>([&] { p.materialize({1}); }),
            "materialize: the tensor is already initialized: got shape [2, 3]");
}

// R1.4-11
TEST(Uninitialized, IsLazyRecognizesBothKinds) {
  EXPECT_TRUE(nn::is_lazy(nn::UninitializedParameter()));
  EXPECT_TRUE(nn::is_lazy(nn::UninitializedBuffer()));
  EXPECT_FALSE(nn::is_lazy(nn::Parameter()));
  EXPECT_FALSE(nn::is_lazy(nn::Buffer()));
  EXPECT_FALSE(nn::is_lazy(Tensor()));
}

}  // namespace
