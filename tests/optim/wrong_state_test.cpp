// State dicts that do not belong to an optimizer: of another class, other shapes, other counts.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/core/error.h"
#include "taper/optim/make.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::error_text;

/// An optimizer of one class after two steps on matrices of the given shapes, one per group.
struct Stepped {
  std::vector<Tensor> params;
  std::unique_ptr<optim::Optimizer> optimizer;

  Stepped(std::string_view name, const std::vector<Shape>& shapes) {
    std::vector<optim::ParamGroup> groups;
    for (const Shape& shape : shapes) {
      params.push_back(test::arange_shaped(shape).sin().requires_grad_());
      groups.emplace_back(std::vector<Tensor>{params.back()});
    }
    const bool has_momentum = name == "SGD" || name == "RMSprop";
    optimizer =
        optim::make(name, groups, has_momentum ? Value::dict({{"momentum", 0.9}}) : Value());
    for (int t = 0; t < 2; ++t) step();
  }
  void step() const {
    optimizer->step([&] {
      for (const Tensor& p : params) p.set_grad(p.detach().cos());
      return params[0].detach().sum();
    });
  }
  std::string snapshot() const {
    std::string text = optimizer->state_dict().repr();
    for (const Tensor& p : params) text += p.detach().str();
    return text;
  }
  void expect_rejected(const Value& state_dict, const std::string& text = "") const {
    const std::string before = snapshot();
    const std::string found =
        error_text<ValueError>([&] { optimizer->load_state_dict(state_dict); });
    if (!text.empty()) { EXPECT_EQ(found, text); }
    EXPECT_EQ(snapshot(), before);
    EXPECT_NO_THROW(step());
  }
};

TEST(LoadStateDict, RejectsOtherCountsInEveryOptimizer) {
  for (const std::string_view name : optim::optimizer_names()) {
    SCOPED_TRACE(name);
    const Stepped one(name, {{3, 2}});
    Value groups = one.optimizer->state_dict();
    groups["param_groups"].append(groups["param_groups"][0]);
    one.expect_rejected(groups, "loaded state dict has a different number of parameter groups");
    Value params = one.optimizer->state_dict();
    params["param_groups"][0]["params"] = Value::list({0, 1});
    one.expect_rejected(params,
                        "loaded state dict contains a parameter group that doesn't match the size "
                        "of optimizer's group");
  }
}

TEST(LoadStateDict, RejectsOtherShapesInEveryOptimizer) {
  for (const std::string_view name : optim::optimizer_names()) {
    SCOPED_TRACE(name);
    Stepped(name, {{3, 2}}).expect_rejected(Stepped(name, {{4, 3}}).optimizer->state_dict());
    if (name == "LBFGS") continue;  // has no groups
    // The first group is suitable, the second is not.
    Stepped(name, {{3, 2}, {3, 2}})
        .expect_rejected(Stepped(name, {{3, 2}, {4, 3}}).optimizer->state_dict());
  }
}

TEST(LoadStateDict, RejectsValuesThatAreNotTensorsInEveryOptimizer) {
  for (const std::string_view name : optim::optimizer_names()) {
    const Stepped good(name, {{3, 2}});
    const Value state = good.optimizer->state(good.params[0]);
    for (const auto& [key, value] : state.as_dict()) {
      if (!value.is_tensor() || value.as_tensor().dim() == 0) continue;
      SCOPED_TRACE(std::string(name) + " " + key.as_string());
      Value dict = good.optimizer->state_dict();
      dict["state"][0][key] = "x";
      good.expect_rejected(dict);
    }
  }
}

// As in PyTorch, the state of another class is accepted if its tensors are suitable, and the
// options are those of the other class. Steps that they do not suit fail and change nothing.
TEST(LoadStateDict, RejectsOrAcceptsTheStateOfEveryOtherOptimizer) {
  int rejected = 0, accepted = 0;
  for (const std::string_view name : optim::optimizer_names())
    for (const std::string_view from : optim::optimizer_names()) {
      SCOPED_TRACE(std::string(name) + " from " + std::string(from));
      const Stepped into(name, {{3, 2}});
      const Value dict = Stepped(from, {{3, 2}}).optimizer->state_dict();
      const std::string before = into.snapshot();
      try {
        into.optimizer->load_state_dict(dict);
        ++accepted;
      } catch (const ValueError&) {
        EXPECT_NE(name, from);
        EXPECT_EQ(into.snapshot(), before);
        ++rejected;
      }
      const std::string loaded = into.snapshot();
      try {
        into.step();
      } catch (const Error&) {
        EXPECT_NE(loaded, before);
        EXPECT_EQ(into.snapshot(), loaded);
      }
    }
  EXPECT_GT(rejected, 100);
  EXPECT_GT(accepted, 14);
}

}  // namespace
}  // namespace taper
