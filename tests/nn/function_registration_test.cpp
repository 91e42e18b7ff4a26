// nn::FunctionRegistration: functions that create modules by name.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/core/dict.h"
#include "taper/nn/linear.h"
#include "taper/nn/registry.h"

namespace {

using namespace taper;
using taper::test::error_text;

std::shared_ptr<nn::Module> make_square(const nn::Arguments& a) {
  const std::int64_t width = a.integer("width");
  return std::make_shared<nn::Linear>(width, width, nn::LinearOptions{.bias = a.flag("bias")});
}

TEST(FunctionRegistration, CreatesModulesWhileItExists) {
  {
    const nn::FunctionRegistration registration("square", "width=2, *, bias=False", make_square);
    EXPECT_EQ(nn::make("square")->str(), "Linear(in_features=2, out_features=2, bias=False)");
    EXPECT_EQ(nn::make("square", {5}, Value::dict({{"bias", true}}))->str(),
              "Linear(in_features=5, out_features=5, bias=True)");
    EXPECT_EQ(nn::describe(*nn::make("square")).name, "Linear");
  }
  EXPECT_THROW(nn::make("square"), AttributeError);
}

TEST(FunctionRegistration, RejectsInvalidArguments) {
  const nn::FunctionRegistration registration("square", "width=2, *, bias=False", make_square);
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("square", {}, Value::dict({{"depth", 1}}));
            }),
            "square() got an unexpected keyword argument 'depth'");
  EXPECT_EQ(error_text<TypeError>([] { nn::make("square", {"a"}); }),
            "square(): argument 'width' must be int, not str");
}

TEST(FunctionRegistration, RejectsRegisteredNames) {
  const nn::FunctionRegistration registration("square", "width=2, *, bias=False", make_square);
  EXPECT_EQ(error_text<KeyError>(
                [&] { const nn::FunctionRegistration again("square", "", make_square); }),
            "make: 'square' is already registered");
  EXPECT_EQ(error_text<KeyError>(
                [&] { const nn::FunctionRegistration again("Linear", "", make_square); }),
            "make: 'Linear' is already registered");
}

}  // namespace
