#include <sstream>

#include "nets.h"
#include "taper/nn/activation.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/conv.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"

namespace {

using namespace nets;

struct Printed : nn::Module {
  std::string extra;
  Scale a;
  std::shared_ptr<nn::Module> c;
  TAPER_MODULE(Printed, a, c)
  Tensor forward(const Tensor& x) { return x; }
  std::string extra_repr() const override { return extra; }
};
struct Lines : Identity {
  TAPER_DERIVED_MODULE(Lines, Identity)
  Tensor forward(const Tensor& x) { return x; }
  std::string extra_repr() const override { return "x=1\ny=2"; }
};

// R8.1-01, R8.1-02, R8.1-03, R8.1-04, R8.1-05, R2.8-02, R2.8-03
TEST(Repr, MatchesLayoutOfPython) {
  EXPECT_EQ(Identity().str(), "Identity()");
  EXPECT_EQ(Scale().str(), "Scale(size=2)");
  EXPECT_EQ(Lines().str(), "Lines(\n  x=1\n  y=2\n)");
  Printed p;
  EXPECT_EQ(p.str(), "Printed(\n  (a): Scale(size=2)\n  (c): None\n)");
  p.extra = "x=1\ny=2";
  auto inner = std::make_shared<Printed>();
  inner->extra = "one";
  p.c = inner;
  std::ostringstream out;
  out << p;
  EXPECT_EQ(out.str(),
            "Printed(\n"
            "  x=1\n"
            "  y=2\n"
            "  (a): Scale(size=2)\n"
            "  (c): Printed(\n"
            "    one\n"
            "    (a): Scale(size=2)\n"
            "    (c): None\n"
            "  )\n"
            ")");
}

TEST(Repr, OmitsTrailingUnderscoresOfMembers) {
  EXPECT_EQ(Net().str(), "Net(\n  (first): Scale(size=2)\n  (class): Scale(size=2)\n)");
}

// R8.1-06
TEST(Repr, FormatsArgumentsAsPython) {
  EXPECT_EQ(nn::Hardtanh(-2, 2.5).str(), "Hardtanh(min_val=-2, max_val=2.5)");
  EXPECT_EQ(nn::Threshold(1e16, 1e-5).str(), "Threshold(threshold=1e+16, value=1e-05)");
  EXPECT_EQ(nn::LeakyReLU(1.0 / 3).str(), "LeakyReLU(negative_slope=0.3333333333333333)");
  EXPECT_EQ(nn::LeakyReLU(0.0001).str(), "LeakyReLU(negative_slope=0.0001)");
  EXPECT_EQ(nn::Conv1d(1, 2, 3).str(), "Conv1d(1, 2, kernel_size=(3,), stride=(1,))");
  EXPECT_EQ(nn::BatchNorm1d(4, {.momentum = std::nullopt, .affine = false}).str(),
            "BatchNorm1d(4, eps=1e-05, momentum=None, affine=False, bias=False, "
            "track_running_stats=True)");
}

// R8.1-02, R8.1-04
TEST(Repr, PrintsClassNameAndIndentsChildren) {
  nn::Sequential inner({{"fc", nn::Linear(1, 2)}, {"none", nullptr}});
  const nn::Sequential outer{std::move(inner), nn::ReLU()};
  EXPECT_EQ(outer.str(),
            "Sequential(\n"
            "  (0): Sequential(\n"
            "    (fc): Linear(in_features=1, out_features=2, bias=True)\n"
            "    (none): None\n"
            "  )\n"
            "  (1): ReLU()\n"
            ")");
}

// State dicts print as in Python.
TEST(Repr, PrintsStateDictsAsPython) {
  nn::Linear fc(1, 2, {.bias = false});
  fc.weight.data().zero_();
  EXPECT_EQ(fc.state_dict().repr(), "OrderedDict([('weight', tensor([[0.],\n        [0.]]))])");
  EXPECT_EQ(fc.own_parameters().repr(),
            "{'weight': Parameter containing:\ntensor([[0.],\n        [0.]], requires_grad=True), "
            "'bias': None}");
  EXPECT_EQ(Value(Shape({6, 3, 5, 5})).repr(), "torch.Size([6, 3, 5, 5])");
  EXPECT_EQ(Value::dict({{"lr", 0.001}, {"momentum", 0.9}, {"nesterov", false}}).repr(),
            "{'lr': 0.001, 'momentum': 0.9, 'nesterov': False}");
}

}  // namespace
