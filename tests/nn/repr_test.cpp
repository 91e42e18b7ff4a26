#include <sstream>

#include "nets.h"

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
TEST(Repr, FollowsPythonsLayout) {
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

TEST(Repr, UnderscoresOfGoogleStyleMembersAreNotShown) {
  EXPECT_EQ(Net().str(), "Net(\n  (first): Scale(size=2)\n  (class): Scale(size=2)\n)");
}

}  // namespace
