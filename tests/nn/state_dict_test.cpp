#include "nets.h"

namespace {

using namespace nets;

struct EveryKind : nn::Module {
  Scale child{1};
  nn::Buffer buffer{ones({1})};
  nn::Parameter own{zeros({1})};
  nn::Buffer fleeting{ones({1}), false};
  std::optional<nn::Parameter> none;
  TAPER_MODULE(EveryKind, child, buffer, own, fleeting, none)
  Tensor forward(const Tensor& x) { return x; }
  std::int64_t version() const override { return 3; }
};

// R5.1-01, R5.1-02, R5.1-04, R5.1-05, R5.1-08, R5.5-01, R5.5-02, R5.5-03, R1.2-01
TEST(StateDict, HasOwnParametersThenBuffersThenChildren) {
  EveryKind m;
  const Value s = m.state_dict();
  EXPECT_EQ(keys(s), "own buffer child.weight child.mean");
  EXPECT_EQ(s.type_name(), "OrderedDict");
  EXPECT_EQ(s.as_dict().attribute("_metadata")->repr(),
            "OrderedDict([('', {'version': 3}), ('child', {'version': 1})])");
  EXPECT_EQ(Scale(1, 1).state_dict().repr(),
            "OrderedDict([('weight', tensor([1.])), ('mean', tensor([0.]))])");
}

// R5.1-10, R5.1-11
TEST(StateDict, SharesElementsWithModule) {
  Scale m;
  const Value s = m.state_dict();
  const Tensor t = s["weight"].as_tensor();
  EXPECT_FALSE(t.is_same(m.weight));
  EXPECT_FALSE(t.requires_grad());
  t.fill_(9);
  EXPECT_EQ(m.weight.data<float>()[0], 9);
  const Value vars = m.state_dict({.keep_vars = true});
  EXPECT_TRUE(vars["weight"].as_tensor().is_same(m.weight));
  EXPECT_TRUE(vars["weight"].is_parameter());
}

// R5.1-12, R5.1-15
TEST(StateDict, ContainsSharedModulesTwice) {
  Identity m;
  const auto shared = std::make_shared<Scale>();
  m.register_module("a", shared);
  m.register_module("b", shared);
  EXPECT_EQ(keys(m.state_dict()), "a.weight a.mean b.weight b.mean");
  const Value state = m.state_dict();
  EXPECT_EQ(state.as_dict().attribute("_metadata")->size(), 3u);
}

// R5.1-14: metadata is an attribute of the dict object, which `copy` copies.
TEST(StateDict, CopiesPreserveMetadataAndRebuildingLosesIt) {
  const Value s = Scale().state_dict();
  const Value handle = s, copied = s.as_dict().copy(), rebuilt = Value::ordered_dict();
  for (const auto& [key, v] : s.as_dict()) rebuilt[key] = v;
  EXPECT_EQ(handle.as_dict().attribute("_metadata")->repr(), "OrderedDict([('', {'version': 1})])");
  EXPECT_EQ(copied.as_dict().attribute("_metadata")->repr(), "OrderedDict([('', {'version': 1})])");
  EXPECT_EQ(rebuilt.as_dict().attribute("_metadata"), nullptr);
}

// R5.1-02: a destination without metadata does not receive any.
// R5.1-13
TEST(StateDict, UsesPrefixVerbatimAndFillsDestination) {
  Net net;
  const Value into = Value::dict({{"there", 1}});
  EXPECT_EQ(keys(net.state_dict({.destination = into, .prefix = "p"})),
            "there pfirst.weight pfirst.mean pclass.weight pclass.mean");
  EXPECT_EQ(into.size(), 5u);
}

// R5.2-20, R5.2-07, R5.2-08
TEST(LoadStateDict, CopiesIntoSameParameters) {
  Net a, b;
  a.first.weight.mutable_data<float>()[0] = 42;
  const Tensor before = b.first.weight;
  const auto result = b.load_state_dict(a.state_dict());
  EXPECT_EQ(result.str(), "<All keys matched successfully>");
  EXPECT_TRUE(b.first.weight.is_same(before));
  EXPECT_TRUE(before.requires_grad());
  EXPECT_EQ(before.data<float>()[0], 42);
  const Value doubles =
      Value::dict({{"weight", tensor({1.5, 2.5}, {.dtype = float64})}, {"mean", tensor({1, 2})}});
  b.first.load_state_dict(doubles);
  EXPECT_EQ(b.first.weight.dtype(), float32);
  EXPECT_EQ(b.first.weight.data<float>()[1], 2.5f);
  EXPECT_EQ(b.first.mean.data<float>()[1], 2);
}

// R5.2-01
TEST(LoadStateDict, RejectsNonDict) {
  Net net;
  EXPECT_EQ(error_text<TypeError>([&] { net.load_state_dict(Value::list()); }),
            "Expected state_dict to be dict-like, got <class 'list'>.");
}

// R5.2-11, R5.2-14, R5.2-12, R5.2-19, R5.3-01, R5.3-02, R5.3-03, R5.3-04, R5.5-07
TEST(LoadStateDict, ReportsAllErrorsAndChangesNothing) {
  EveryKind m;
  Value s = m.state_dict();
  const Value file = Value::ordered_dict();
  for (const auto& [key, v] : s.as_dict()) file[key] = v.as_tensor().clone();
  file["own"] = full({1}, 7.0);
  file.as_dict().erase("child.mean");
  file.as_dict().erase("buffer");
  file["fleeting"] = ones({1});
  file["child.weight"] = ones({3, 2});
  file["child.extra.deep"] = ones({1});
  file["other.x"] = ones({1});
  EXPECT_EQ(error_text<RuntimeError>([&] { m.load_state_dict(file); }),
            "Error(s) in loading state_dict for EveryKind:\n"
            "\tMissing key(s) in state_dict: \"buffer\", \"child.mean\". \n"
            "\tUnexpected key(s) in state_dict: \"fleeting\", \"other.x\", \"child.extra.deep\". \n"
            "\tsize mismatch for child.weight: copying a param with shape torch.Size([3, 2]) from "
            "checkpoint, the shape in current model is torch.Size([2]).");
  EXPECT_EQ(m.own.data<float>()[0], 0);
  file["child.weight"] = 5;
  EXPECT_EQ(error_text<RuntimeError>([&] { m.load_state_dict(file, {.strict = false}); }),
            "Error(s) in loading state_dict for EveryKind:\n"
            "\tWhile copying the parameter named \"child.weight\", expected torch.Tensor or "
            "Tensor-like object from checkpoint but received <class 'int'>");
  EXPECT_EQ(m.own.data<float>()[0], 0);
  file["child.weight"] = zeros({2});
  const auto keys = m.load_state_dict(file, {.strict = false});
  EXPECT_EQ(keys.str(),
            "_IncompatibleKeys(missing_keys=['buffer', 'child.mean'], unexpected_keys=['fleeting', "
            "'other.x', 'child.extra.deep'])");
  EXPECT_EQ(m.own.data<float>()[0], 7);
}

struct Sparse : nn::Module {
  std::optional<nn::Buffer> gone;
  nn::Buffer fleeting{ones({1}), false}, kept{ones({1})};
  std::optional<nn::Parameter> none;
  nn::Parameter weight{ones({1})};
  Tensor plain = ones({1});
  TAPER_MODULE(Sparse, gone, fleeting, kept, none, weight)
  Tensor forward(const Tensor& x) { return x; }
};

// R5.2-10, R5.5-02, R5.5-04, R5.5-05, R5.5-07
TEST(LoadStateDict, ExpectsPresentAndPersistentEntries) {
  Sparse m;
  EXPECT_EQ(m.load_state_dict(Value::dict(), {.strict = false}).str(),
            "_IncompatibleKeys(missing_keys=['weight', 'kept'], unexpected_keys=[])");
  Value state = Value::dict();
  for (const char* key : {"gone", "none", "fleeting", "kept", "weight", "plain"})
    state[key] = zeros({1});
  EXPECT_EQ(m.load_state_dict(state, {.strict = false}).str(),
            "_IncompatibleKeys(missing_keys=[], unexpected_keys=['gone', 'none', 'fleeting', "
            "'plain'])");
  EXPECT_EQ(keys(m.state_dict()), "weight kept");
  EXPECT_EQ(names(m.named_buffers()), "fleeting kept");
  EXPECT_EQ(m.fleeting.item<float>(), 1);
}

// R5.3-05, R5.5-06
TEST(LoadStateDict, IgnoresKeysOfNoneChild) {
  Identity m;
  m.register_module("none", nullptr);
  EXPECT_TRUE(m.load_state_dict(Value::dict({{"none.weight", ones({1})}})).empty());
}

struct Zero : nn::Module {
  nn::Parameter alpha{tensor(1.0)};
  TAPER_MODULE(Zero, alpha)
  Tensor forward(const Tensor& x) { return x * alpha; }
};

// R5.2-13
TEST(LoadStateDict, AcceptsScalarsOfOldFilesAsOneElement) {
  Zero m;
  m.load_state_dict(Value::dict({{"alpha", tensor({4.0})}}));
  EXPECT_EQ(m.alpha.item<float>(), 4);
  EXPECT_THROW(m.load_state_dict(Value::dict({{"alpha", tensor({{4.0}})}})), RuntimeError);
}

struct Extra : nn::Module {
  int epoch = 0;
  TAPER_MODULE(Extra)
  Tensor forward(const Tensor& x) { return x; }
  Value get_extra_state() override { return Value::dict({{"epoch", epoch}}); }
  void set_extra_state(const Value& v) override { epoch = static_cast<int>(v["epoch"].as_int()); }
};

// R5.2-18, R2.6-02
TEST(ExtraState, IsSavedWithTensors) {
  Extra a, b;
  a.epoch = 5;
  const Value s = a.state_dict();
  EXPECT_EQ(s.repr(), "OrderedDict([('_extra_state', {'epoch': 5})])");
  b.load_state_dict(s);
  EXPECT_EQ(b.epoch, 5);
  EXPECT_EQ(b.load_state_dict(Value::dict(), {.strict = false}).missing_keys.at(0), "_extra_state");
  Identity plain;
  EXPECT_EQ(plain.load_state_dict(s, {.strict = false}).unexpected_keys.at(0), "_extra_state");
  EXPECT_THROW(plain.get_extra_state(), RuntimeError);
}

struct Migrating : nn::Module {
  nn::Parameter weight{zeros({1})};
  TAPER_MODULE(Migrating, weight)
  Tensor forward(const Tensor& x) { return x; }
  std::int64_t version() const override { return 2; }
  void load_from_state_dict(nn::LoadState& state) override {
    const std::string old = state.key("w");
    if (state.version().value_or(0) < 2 && state.state.contains(old)) {
      state.state.set(state.key("weight"), *std::as_const(state.state).find(old));
      state.state.erase(old);
    }
    nn::Module::load_from_state_dict(state);
  }
};

TEST(LoadStateDict, ClassesMigrateOldLayoutsWithoutChangingInput) {
  Identity root;
  auto& m = root.register_module("m", Migrating());
  const Value file = Value::dict({{"m.w", ones({1})}});
  root.load_state_dict(file);
  EXPECT_EQ(m.weight.item<float>(), 1);
  EXPECT_EQ(keys(file), "m.w");
}

}  // namespace
