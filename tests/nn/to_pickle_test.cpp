// Modules as Python objects: user-defined classes, rejected modules, sharing.

#include "nets.h"
#include "support/contains.h"
#include "support/temp_dir.h"
#include "support/warning_capture.h"
#include "taper/io/load.h"
#include "taper/io/pickled_module.h"
#include "taper/io/save.h"
#include "taper/nn/nn.h"
#include "taper/nn/python_interop.h"
#include "taper/nn/utils/parametrizations.h"
#include "taper/nn/utils/weight_norm.h"

namespace written {

using namespace nets;

/// A user-defined class with a counterpart in Python.
struct Head : nn::Module {
  std::int64_t width;
  double rate;
  nn::Linear fc;
  nn::Parameter scale;
  std::optional<nn::Parameter> shift;
  explicit Head(std::int64_t wide, double r = 0.5)
      : width(wide), rate(r), fc(wide, 1), scale(ones({1})) {}
  TAPER_MODULE(Head, fc, scale, shift)
  Tensor forward(const Tensor& x) { return fc(x) * scale; }
};

}  // namespace written

TAPER_REGISTER(written::Head, width, rate)
TAPER_PYTHON_CLASS(written::Head, "my_project.nets.Head")

namespace {

using taper::test::contains, taper::test::TempDir, taper::test::WarningCapture;

using namespace written;

const Dict& state(const Value& pickled) { return pickled.as_opaque().state.as_dict(); }

std::string warning_of(const SharedFunction<void()>& f) {
  const WarningCapture warnings;
  f();
  std::string all;
  for (const std::string& text : warnings.all()) all += text;
  return all;
}

Value through_file(const Value& v) {
  const TempDir dir;
  save(v, dir / "x.pt");
  return load(dir / "x.pt");
}

TEST(ToPickle, IsObjectOfPythonClass) {
  Head head(2);
  head.register_buffer("mean", zeros({1}), false);
  head.set_attr("note", Value::list({1, "two"}));
  head.eval();
  const Value object = nn::to_pickle(head);
  const auto m = pickled_module(object);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->class_name, "my_project.nets.Head");
  EXPECT_FALSE(m->training);
  EXPECT_EQ(keys(m->parameters), "scale shift");
  EXPECT_TRUE(m->parameters["shift"].is_none());
  EXPECT_TRUE(m->parameters["scale"].as_tensor().is_same(head.scale)) << "it shares the elements";
  EXPECT_EQ(keys(m->buffers), "mean");
  EXPECT_EQ(m->non_persistent, std::vector<std::string>{"mean"});
  EXPECT_EQ(m->attributes.repr(), "{'width': 2, 'rate': 0.5, 'note': [1, 'two']}");
  EXPECT_EQ(pickled_module(m->modules["fc"])->class_name, "torch.nn.modules.linear.Linear");
  EXPECT_EQ(keys(object.as_opaque().state),
            "training _parameters _buffers _non_persistent_buffers_set _backward_pre_hooks "
            "_backward_hooks _is_full_backward_hook _forward_hooks _forward_hooks_with_kwargs "
            "_forward_hooks_always_called _forward_pre_hooks _forward_pre_hooks_with_kwargs "
            "_state_dict_hooks _state_dict_pre_hooks _load_state_dict_pre_hooks "
            "_load_state_dict_post_hooks _modules width rate note");
  for (const auto& [key, v] : state(object))
    if (key.as_string().ends_with("_hooks")) {
      EXPECT_EQ(v.repr(), "OrderedDict()") << key;
      EXPECT_EQ(v.as_dict().class_name(), "collections.OrderedDict");
    }
  const auto again = nn::from_pickle(object);
  EXPECT_EQ(again->str(), head.str());
  const Value lists = state_dict_of(object);
  EXPECT_EQ(keys(lists), keys(head.state_dict()));
  const Value own = head.state_dict();
  EXPECT_EQ(lists.as_dict().attribute("_metadata")->repr(),
            own.as_dict().attribute("_metadata")->repr());
}

// R1.4-05
TEST(ToPickle, PreservesTiesAndSharingInFile) {
  auto first = std::make_shared<nn::Linear>(2, 2), second = std::make_shared<nn::Linear>(2, 2);
  second->weight = first->weight;
  second->bias->requires_grad_(false);
  auto net = std::make_shared<nn::Sequential>();
  for (const auto& layer : {first, second, first}) net->append(layer);
  net->append(nn::BatchNorm1d(2));
  const Value v = through_file(Value::dict({{"step", 3},
                                            {"model", nn::value_of(net)},
                                            {"encoder", nn::value_of(first)},
                                            {"weight", Value::parameter(first->weight)},
                                            {"state", net->state_dict()}}));
  const Value model = v["model"];
  const auto children = [&](const char* name) { return *state(model).at("_modules").find(name); };
  const Value zero = children("0"), two = children("2");
  EXPECT_EQ(&zero.as_opaque(), &two.as_opaque());
  EXPECT_EQ(&zero.as_opaque(), &v["encoder"].as_opaque());
  const auto read = nn::from_pickle(model);
  EXPECT_EQ(read->str(), net->str());
  const nn::Parameter weight = read->get_parameter("0.weight");
  EXPECT_TRUE(weight.is_same(read->get_parameter("1.weight")));
  EXPECT_TRUE(weight.is_same(v["weight"].as_tensor()));
  const Tensor in_state = v["state"]["0.weight"].as_tensor();
  EXPECT_EQ(weight.data<float>().data(), in_state.data<float>().data());
  EXPECT_TRUE(equal(weight, first->weight));
  EXPECT_FALSE(read->get_parameter("1.bias").requires_grad());
  EXPECT_EQ(&read->get_submodule("0"), &read->get_submodule("2"));
  const Tensor x = rand({4, 2});
  EXPECT_TRUE(equal((*read)(x), (*net)(x)));
}

TEST(ToPickle, LazyLayerIsWrittenAsInitializedClass) {
  nn::Sequential net{nn::LazyLinear(3), nn::ReLU()};
  EXPECT_EQ(error_text<RuntimeError>([&] { nn::to_pickle(net); }),
            "to_pickle: '0' is a LazyLinear with uninitialized parameters. Call `forward` to "
            "initialize them");
  net(ones({1, 2}));
  EXPECT_EQ(pickled_module(state(nn::to_pickle(net)).at("_modules")["0"])->class_name,
            "torch.nn.modules.linear.Linear");
}

TEST(ToPickle, RejectsModulesUnknownToPython) {
  nn::Sequential net{nn::ModuleDict({{"mine", Scale()}})};
  EXPECT_EQ(
      error_text<RuntimeError>([&] { nn::to_pickle(net); }),
      "to_pickle: '0.mine' is a Scale, which has no Python class: write TAPER_PYTHON_CLASS(Scale, "
      "\"my_project.nets.Scale\") in a source file, or save its state_dict()");
  // The message contains PyTorch's text, which does not name the module.
  nn::Sequential normed{nn::Linear(2, 2)};
  nn::utils::parametrizations::weight_norm(*normed[0].as<nn::Linear>());
  const std::string rejected = error_text<RuntimeError>([&] { nn::to_pickle(normed); });
  EXPECT_EQ(
      rejected.find("to_pickle: '0' is a ParametrizedLinear whose 'weight' is computed from other "
                    "tensors. Serialization of parametrized modules is only supported through "
                    "state_dict(). See:\nhttps://pytorch.org/"),
      0u)
      << rejected;
  nn::Linear old(2, 2);
  nn::utils::weight_norm(old);
  EXPECT_EQ(error_text<RuntimeError>([&] { nn::to_pickle(old); }),
            "to_pickle: the module is a Linear whose 'weight' is computed from other tensors: make "
            "it a parameter first (remove_weight_norm, remove_spectral_norm, prune::remove), or "
            "save its state_dict()");
  auto self = std::make_shared<nn::Sequential>();
  self->append(self);
  EXPECT_TRUE(contains(error_text<RuntimeError>([&] { nn::to_pickle(*self); }), "contains itself"));
  self->pop(-1);
  Value gone;
  {
    nn::Linear temporary(1, 1);
    gone = nn::value_of(temporary);
  }
  EXPECT_TRUE(contains(error_text<RuntimeError>([&] { through_file(Value::list({gone})); }),
                       "has been destroyed"));
}

TEST(ToPickle, OmitsHooksWithWarning) {
  nn::Sequential net{nn::Linear(1, 1)};
  net[0].register_forward_hook([](nn::Module&, const nn::Values&, nn::Value&) {});
  Value object;
  EXPECT_EQ(warning_of([&] { object = nn::to_pickle(net); }),
            "to_pickle: '0' is a Linear with hooks, which cannot be saved: they are omitted");
  EXPECT_TRUE(pickled_module(state(object).at("_modules")["0"])->hooks.empty());
}

}  // namespace
