// Options of load_state_dict: assign, and Taper's extensions.
#include "hook_nets.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"

namespace {

using namespace nets;

Value some_state() { return Value::dict({{"weight", row(5, 6)}, {"mean", row(7, 8)}}); }

// R5.2-21
TEST(LoadAssign, TensorBecomesParameter) {
  Scale m;
  m.weight.requires_grad_(false);
  const Tensor before = m.weight, given = tensor({5., 6.}, {.dtype = float64});
  Value state = some_state();
  state["weight"] = given;
  m.load_state_dict(state, {.assign = true});
  EXPECT_FALSE(m.weight.is_same(before));
  EXPECT_FALSE(m.weight.is_same(given));  // a new Parameter that shares the elements
  EXPECT_EQ(m.weight.dtype(), float64);
  given.fill_(9);
  EXPECT_EQ(m.weight.data<double>()[1], 9);
  EXPECT_FALSE(m.weight.requires_grad());
  Scale trained;
  trained.load_state_dict(some_state(), {.assign = true});
  EXPECT_TRUE(trained.weight.requires_grad());
}

// R5.2-21
TEST(LoadAssign, ParameterIsUsedItself) {
  Scale from(3), m;
  m.weight.requires_grad_(false);
  m.load_state_dict(from.state_dict({.keep_vars = true}), {.assign = true});
  EXPECT_TRUE(m.weight.is_same(from.weight));
  EXPECT_FALSE(from.weight.requires_grad());  // the module's setting is applied to the same object
}

// R5.2-21, R5.2-16
TEST(LoadAssign, RejectsIntegersThatRequireGrad) {
  Scale m;
  Value state = some_state();
  state["weight"] = tensor({1, 2});
  EXPECT_EQ(error_text<RuntimeError>([&] { m.load_state_dict(state, {.assign = true}); }),
            "Error(s) in loading state_dict for Scale:\n"
            "\tWhile copying the parameter named \"weight\", whose dimensions in the model are "
            "torch.Size([2]) and whose dimensions in the checkpoint are torch.Size([2]), an "
            "exception occurred : ('Only Tensors of floating point and complex dtype can require "
            "gradients',).");
  EXPECT_EQ(m.weight.dtype(), float32);
}

// R5.2-22
TEST(LoadAssign, BuffersAreAssignedAndStayPersistent) {
  Scale m;
  const Value state = some_state();
  m.load_state_dict(state, {.assign = true});
  EXPECT_TRUE(m.mean.is_same(state["mean"].as_tensor()));
  EXPECT_TRUE(m.mean.persistent);
  EXPECT_EQ(keys(m.state_dict()), "weight mean");
}

struct ZeroDim : nn::Module {
  nn::Parameter alpha{tensor(1.0)};
  TAPER_MODULE(ZeroDim, alpha)
  Tensor forward(const Tensor& x) { return x * alpha; }
};

// R5.2-13
TEST(LoadAssign, AcceptsScalarsOfOldFilesAsOneElement) {
  ZeroDim m;
  m.load_state_dict(Value::dict({{"alpha", tensor({4.0})}}), {.assign = true});
  EXPECT_EQ(m.alpha.dim(), 0);
  EXPECT_EQ(m.alpha.item<float>(), 4);
}

// R5.2-03
TEST(LoadAssign, MarksMetadataOfCaller) {
  Scale from(3), m;
  const Value state = from.state_dict();
  m.load_state_dict(state, {.assign = true});
  EXPECT_EQ(state.as_dict().attribute("_metadata")->repr(),
            "OrderedDict([('', {'version': 1, 'assign_to_params_buffers': True})])");
  Scale later;
  const Tensor before = later.mean;
  later.load_state_dict(state);  // assigns as well, because the metadata is marked
  EXPECT_FALSE(later.mean.is_same(before));
  EXPECT_TRUE(later.mean.is_same(state["mean"].as_tensor()));
}

// R5.2-15
TEST(LoadMeta, CopyIntoMetaTensorDoesNothingAndWarns) {
  Scale m;
  m.to("meta");
  const WarningCapture warnings;
  EXPECT_TRUE(m.load_state_dict(some_state()).empty());
  EXPECT_TRUE(m.weight.device().is_meta());
  EXPECT_EQ(warnings.count(), 2u);
  EXPECT_EQ(warnings.last().find(
                "for mean: copying from a non-meta parameter in the checkpoint to a meta parameter "
                "in the current model, which is a no-op. (Did you mean to pass `assign=True`"),
            0u);
  m.load_state_dict(some_state(), {.assign = true});
  EXPECT_EQ(warnings.count(), 2u);
  EXPECT_EQ(m.weight.data<float>()[0], 5);
}

struct Overlapping : nn::Module {
  nn::Parameter a{zeros({2})};
  nn::Buffer b{zeros({1}).expand({2})};
  TAPER_MODULE(Overlapping, a, b)
  Tensor forward(const Tensor& x) { return x; }
};

// R5.2-16
TEST(LoadErrors, ReportsEntryThatCannotBeCopied) {
  Overlapping m;
  const Value state = Value::dict({{"a", row(1, 1)}, {"b", row(2, 2)}});
  const std::string text = error_text<RuntimeError>([&] { m.load_state_dict(state); });
  EXPECT_EQ(text.find("Error(s) in loading state_dict for Overlapping:\n\tWhile copying the "
                      "parameter named \"b\", whose dimensions in the model are torch.Size([2]) "
                      "and whose dimensions in the checkpoint are torch.Size([2]), an exception "
                      "occurred : ('"),
            0u)
      << text;
  EXPECT_EQ(text.substr(text.size() - 4), "',).");
  EXPECT_EQ(m.a.data<float>()[0], 0);
}

// R5.2-14
TEST(LoadErrors, RejectsOtherShapeEvenIfNotStrict) {
  Scale m;
  Value state = some_state();
  state["weight"] = ones({3});
  EXPECT_THROW(m.load_state_dict(state, {.strict = false}), RuntimeError);
  nn::LoadReport report;
  const auto keys = m.load_state_dict(
      state, {.strict = false, .ignore_mismatched_shapes = true, .report = &report});
  EXPECT_TRUE(keys.empty());
  EXPECT_EQ(report.str(),
            "1 loaded, 1 skipped, 1 unchanged\n  skipped weight: shape [3], the module has [2]\n"
            "  unchanged weight");
  EXPECT_EQ(m.weight.data<float>()[0], 1);
  EXPECT_EQ(m.mean.data<float>()[0], 7);
}

struct Layers : nn::Module {
  nn::Linear a{2, 2};
  nn::BatchNorm1d b{2};
  nn::Parameter own{zeros({1})};
  TAPER_MODULE(Layers, a, b, own)
  Tensor forward(const Tensor& x) { return x; }
};

// R5.3-02, R5.3-04, R5.4-01, R5.2-18, R5.2-19: the expected texts are those of Python.
TEST(LoadErrors, KeysAreListedInPythonOrder) {
  Layers m;
  const Value state = m.state_dict();
  for (const char* key : {"zz", "b.q", "a", "a.weight.deep"}) state[key] = ones({1});
  state["_extra_state"] = 5;
  state["b._extra_state"] = 1;
  state.as_dict().erase("b.num_batches_tracked");
  const Value metadata = *state.as_dict().attribute("_metadata");
  state.as_dict().set_attribute("_metadata", Value());
  const std::string unexpected =
      "\tUnexpected key(s) in state_dict: \"_extra_state\", \"zz\", \"a\", \"a.weight.deep\", "
      "\"b._extra_state\", \"b.q\". ";
  const std::string header = "Error(s) in loading state_dict for Layers:\n";
  EXPECT_EQ(error_text<RuntimeError>([&] { m.load_state_dict(state); }), header + unexpected);
  state.as_dict().set_attribute("_metadata", metadata);
  EXPECT_EQ(error_text<RuntimeError>([&] { m.load_state_dict(state); }),
            header + "\tMissing key(s) in state_dict: \"b.num_batches_tracked\". \n" + unexpected);
}

// The module does not take the shapes of its uninitialized parameter from the state dict.
TEST(LoadAllOrNothing, IncludesUninitializedParameters) {
  Identity m;
  m.register_parameter("a", nn::Parameter(zeros({2})));
  m.register_parameter("b", nn::UninitializedParameter());
  const Value state = Value::dict({{"a", ones({2})}, {"b", ones({3})}});
  EXPECT_THROW(m.load_state_dict(state), RuntimeError);
  EXPECT_TRUE(equal(m.own_parameters()["a"].as_tensor(), zeros({2})));
}

TEST(LoadAllOrNothing, IsDefault) {
  Net m;
  Value state = Net().state_dict();
  state["first.weight"] = row(9, 9);
  state["class.mean"] = ones({3});
  nn::LoadReport report;
  EXPECT_THROW(m.load_state_dict(state, {.report = &report}), RuntimeError);
  EXPECT_TRUE(report.loaded.empty());
  EXPECT_EQ(m.first.weight.data<float>()[0], 2);
  EXPECT_THROW(m.load_state_dict(state, {.all_or_nothing = false}), RuntimeError);
  EXPECT_EQ(m.first.weight.data<float>()[0], 9);  // Python leaves it in this state
  const Tensor before = m.first.weight;
  EXPECT_THROW(m.load_state_dict(state, {.assign = true}), RuntimeError);
  EXPECT_TRUE(m.first.weight.is_same(before));
}

/// Expects that loading `state`, in which only the set of keys is invalid, fails with `problem` in
/// every mode and leaves the module unchanged.
void expect_unchanged_by(const Value& state, const std::string& problem) {
  struct Way {
    const char* name;
    bool assign, swap, hooked;
  };
  for (const Way& way :
       {Way{"copy", false, false, false}, Way{"assign", true, false, false},
        Way{"swap", true, true, false}, Way{"copy, with hooks", false, false, true},
        Way{"assign, with hooks", true, false, true}}) {
    SCOPED_TRACE(way.name);
    Net m;
    if (way.hooked) m.register_load_state_dict_pre_hook([](nn::Module&, nn::LoadState&) {});
    const Value before = m.state_dict({.keep_vars = true});
    const Value values = Value::dict();
    for (const auto& [key, v] : before.as_dict()) values[key] = v.as_tensor().detach().clone();
    nn::LoadReport report;
    nn::set_swap_module_params_on_conversion(way.swap);
    const std::string text = error_text<RuntimeError>(
        [&] { m.load_state_dict(state, {.assign = way.assign, .report = &report}); });
    nn::set_swap_module_params_on_conversion(false);
    EXPECT_EQ(text, "Error(s) in loading state_dict for Net:\n\t" + problem + ". ");
    EXPECT_TRUE(report.loaded.empty());
    const Value after = m.state_dict({.keep_vars = true});
    ASSERT_EQ(keys(after), keys(before));
    for (const auto& [key, v] : after.as_dict()) {
      EXPECT_TRUE(v.as_tensor().is_same(before.find(key)->as_tensor())) << key.repr();
      EXPECT_TRUE(equal(v.as_tensor(), values.find(key)->as_tensor())) << key.repr();
    }
  }
}

TEST(LoadAllOrNothing, PreservesValuesIfOnlyKeysAreInvalid) {
  const auto nines = [] {
    const Value old = Net().state_dict();
    Value state = Value::ordered_dict();
    for (const auto& [key, v] : old.as_dict()) state[key] = full(v.as_tensor().shape(), 9.0);
    return state;
  };
  Value missing = nines(), unexpected = nines();
  missing.as_dict().erase("class.mean");  // erases the last key
  expect_unchanged_by(missing, "Missing key(s) in state_dict: \"class.mean\"");
  unexpected["other"] = ones({1});
  expect_unchanged_by(unexpected, "Unexpected key(s) in state_dict: \"other\"");
}

struct Stateful : nn::Module {
  nn::Parameter weight{zeros({1})};
  int seen = 0, epoch = 0;
  TAPER_MODULE(Stateful, weight)
  Tensor forward(const Tensor& x) { return x; }
  Value get_extra_state() override { return epoch; }
  void set_extra_state(const Value& v) override {
    if (v.as_int() < 0) throw ValueError("extra: below zero");
    epoch = static_cast<int>(v.as_int());
  }
  void load_from_state_dict(nn::LoadState& state) override {
    nn::Module::load_from_state_dict(state);
    seen = static_cast<int>(weight.item<float>());
  }
};

TEST(LoadAllOrNothing, RestoresModulesWithCustomLoading) {
  Identity root;
  auto& a = root.register_module("a", Stateful());
  auto& b = root.register_module("b", Stateful());
  Value state = root.state_dict();
  state["a.weight"] = ones({1}), state["a._extra_state"] = 4;
  root.load_state_dict(state);
  EXPECT_EQ(a.seen, 1);  // load_from_state_dict runs after the value is loaded
  EXPECT_EQ(a.epoch, 4);
  state["a.weight"] = full({1}, 2.0), state["a._extra_state"] = 5;
  state["b._extra_state"] = -1;
  EXPECT_EQ(error_text<ValueError>([&] { root.load_state_dict(state); }), "extra: below zero");
  EXPECT_EQ(a.weight.item<float>(), 1);
  EXPECT_EQ(a.epoch, 4);
  EXPECT_EQ(b.epoch, 0);
}

// R9.1-01
TEST(LoadNames, StripsPrefixesRepeatedly) {
  Net m;
  const Value state = Value::ordered_dict(), from = Net().state_dict();
  for (const auto& [key, v] : from.as_dict())
    state["module._orig_mod." + key.as_string()] = v.as_tensor() * 0 + 4;
  nn::LoadReport report;
  EXPECT_TRUE(
      m.load_state_dict(state, {.strip_prefixes = {"module.", "_orig_mod."}, .report = &report})
          .empty());
  EXPECT_EQ(m.class_.mean.data<float>()[0], 4);
  EXPECT_EQ(report.renamed.size(), 4u);
  EXPECT_EQ(report.renamed[0].key, "first.weight");
  EXPECT_EQ(report.renamed[0].text, "module._orig_mod.first.weight");
  EXPECT_TRUE(state.contains("module._orig_mod.first.weight"));
}

TEST(LoadNames, ChangesNamesByPatternsAndFunctions) {
  Net m;
  const Value state = Value::dict({{"blocks.0.gamma", row(1, 2)},
                                   {"blocks.0.mean", row(3, 4)},
                                   {"blocks.1.gamma", row(5, 6)},
                                   {"blocks.1.mean", row(7, 8)},
                                   {"head.bias", row(0, 0)}});
  const auto to_names = [](const std::string& key) {
    if (key.starts_with("head.")) return std::string();
    return (key[0] == '0' ? "first" : "class") + key.substr(1);
  };
  nn::LoadReport report;
  m.load_state_dict(state, {.rename_patterns = {{"blocks.*.gamma", "*.weight"}, {"blocks.*", "*"}},
                            .rename = to_names,
                            .report = &report});
  EXPECT_EQ(m.class_.weight.data<float>()[0], 5);
  EXPECT_EQ(m.first.mean.data<float>()[1], 4);
  EXPECT_EQ(report.str(),
            "4 loaded (0 cast, 4 renamed), 1 skipped, 0 unchanged\n"
            "  renamed first.weight: was blocks.0.gamma\n"
            "  renamed first.mean: was blocks.0.mean\n"
            "  renamed class.weight: was blocks.1.gamma\n"
            "  renamed class.mean: was blocks.1.mean\n"
            "  skipped head.bias: dropped by rename");
  EXPECT_EQ(error_text<ValueError>([&] {
              m.load_state_dict(state, {.rename_patterns = {{"blocks.*.gamma", "w"}}});
            }),
            "load_state_dict: both 'blocks.0.gamma' and 'blocks.1.gamma' are renamed to 'w'");
  EXPECT_EQ(error_text<ValueError>([&] {
              m.load_state_dict(state, {.rename_patterns = {{"blocks.0.gamma", "*"}}});
            }),
            "load_state_dict: the pattern '*' has more '*' than 'blocks.0.gamma'");
}

// R5.4-01
TEST(LoadNames, VersionsFollowRenamedModules) {
  nn::Sequential from(nn::BatchNorm1d(2)), to(nn::BatchNorm1d(2));
  Value state = from.state_dict({.prefix = "module."});
  state.as_dict().erase("module.0.num_batches_tracked");
  EXPECT_EQ(state.as_dict().attribute("_metadata")->as_dict().entries()[1].first.as_string(),
            "module.0");
  const auto result = to.load_state_dict(state, {.strict = false, .strip_prefixes = {"module."}});
  EXPECT_EQ(result.missing_keys.at(0), "0.num_batches_tracked");  // required since version 2
}

TEST(LoadReport, ListsCastAndRemainingEntries) {
  Net m;
  const Value state =
      Value::dict({{"first.weight", tensor({1., 2.}, {.dtype = float64})}, {"other", row(1, 1)}});
  nn::LoadReport report;
  m.load_state_dict(state, {.strict = false, .report = &report});
  EXPECT_EQ(report.str(),
            "1 loaded (1 cast, 0 renamed), 1 skipped, 3 unchanged\n"
            "  cast first.weight: float64 to float32\n"
            "  skipped other: unexpected\n"
            "  unchanged first.mean\n"
            "  unchanged class.weight\n"
            "  unchanged class.mean");
}

struct Swapping {
  Swapping() { nn::set_swap_module_params_on_conversion(true); }
  ~Swapping() { nn::set_swap_module_params_on_conversion(false); }
};

// R5.2-23
TEST(LoadSwap, SwapsContentsIntoExistingObjects) {
  const Swapping flag;
  Scale m;
  const Tensor weight = m.weight, mean = m.mean;
  const Value state = Value::dict(
      {{"weight", tensor({1.0, 2.0}).to(float64)}, {"mean", tensor({3.0, 4.0}).to(float64)}});
  m.load_state_dict(state);
  EXPECT_TRUE(m.weight.is_same(weight));
  EXPECT_EQ(weight.dtype(), float32);  // retains the dtype of the model
  EXPECT_EQ(weight.data<float>()[1], 2);
  m.load_state_dict(state, {.assign = true});
  EXPECT_TRUE(m.weight.is_same(weight));
  EXPECT_TRUE(m.mean.is_same(mean));
  EXPECT_EQ(weight.dtype(), float64);
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_TRUE(weight.shares_storage_with(state["weight"].as_tensor()));
  const Value wrong = Value::dict({{"weight", tensor({7, 8})}, {"mean", tensor({9.0, 9.0})}});
  EXPECT_EQ(
      error_text<RuntimeError>([&] { m.load_state_dict(wrong, {.assign = true}); }),
      "Error(s) in loading state_dict for Scale:\n\tWhile swapping the parameter named "
      "\"weight\", whose dimensions in the model are torch.Size([2]) and whose dimensions in "
      "the checkpoint are torch.Size([2]), an exception occurred : ('Only Tensors of floating "
      "point and complex dtype can require gradients',).");
  EXPECT_EQ(mean.dtype(), float64);  // the failed call did not change it
  EXPECT_EQ(mean.data<double>()[0], 3);
}

// R5.2-17
TEST(LoadLazy, RejectsUninitializedEntryImmediately) {
  Scale m;
  const std::string text = error_text<RuntimeError>([&] {
    m.load_state_dict(Value::dict({{"weight", nn::UninitializedParameter()}, {"x", 1}}));
  });
  EXPECT_EQ(text.find("Can't access the shape of an uninitialized parameter or buffer."), 0u);
  Identity lazy;
  lazy.register_parameter("p", nn::UninitializedParameter());
  const std::string collected = error_text<RuntimeError>([&] {
    lazy.load_state_dict(Value::dict({{"p", ones({2})}}));
  });
  EXPECT_EQ(
      collected.find("Error(s) in loading state_dict for Identity:\n\tWhile copying the parameter "
                     "named \"p\", whose dimensions in the model are torch.Size([0]) and whose "
                     "dimensions in the checkpoint are torch.Size([2]), an exception occurred : ("),
      0u)
      << collected;
  lazy.load_state_dict(Value::dict({{"p", ones({2})}}), {.assign = true});
  EXPECT_EQ(lazy.get_parameter("p").shape(), Shape({2}));
}

}  // namespace
