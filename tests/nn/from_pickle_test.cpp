// Modules from Python objects that the test data lacks: user-defined, of old versions, malformed.
#include "nets.h"
#include "support/warning_capture.h"
#include "taper/core/generator.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/pickled_module.h"
#include "taper/nn/nn.h"
#include "taper/nn/python_interop.h"

namespace whole {

using namespace nets;

/// Counterpart of a Python class with two layers and more attributes.
struct Stack : nn::Module {
  std::int64_t width, depth;
  nn::Linear first, second;
  std::shared_ptr<nn::Linear> third, fourth;
  nn::Parameter scale;
  nn::Buffer mean;
  explicit Stack(std::int64_t wide, std::int64_t deep = 1)
      : width(wide),
        depth(deep),
        first(wide, wide),
        second(wide, wide),
        third(std::make_shared<nn::Linear>(wide, wide)),
        fourth(std::make_shared<nn::Linear>(wide, wide)),
        scale(ones({1})),
        mean(zeros({1})) {}
  TAPER_MODULE(Stack, first, second, third, fourth, scale, mean)
  Tensor forward(const Tensor& x) { return (*fourth)((*third)(second(first(x)))) * scale + mean; }
};

/// Counterpart of the Python class my_project.nets.Tower.
struct Turm : nn::Module {
  nn::Parameter weight{ones({2})};
  TAPER_MODULE(Turm, weight)
  Tensor forward(const Tensor& x) { return x * weight; }
};

}  // namespace whole

TAPER_REGISTER(whole::Stack, width, depth)
TAPER_PYTHON_CLASS(whole::Stack, "my_project.nets.Stack")
TAPER_REGISTER(whole::Turm)
TAPER_PYTHON_CLASS(whole::Turm, "my_project.nets.Tower")

namespace {

using taper::test::WarningCapture;

using namespace whole;
using Entries = std::initializer_list<std::pair<Value, Value>>;

Value dict(Entries entries) { return Value::dict(entries); }

/// Returns a pickled module of class `path` with the attributes that modules of every PyTorch
/// version have, and `more`.
Value object(std::string_view path, Entries more = {}) {
  const std::size_t dot = path.rfind('.');
  Opaque o;
  o.callable = Value::global(path.substr(0, dot), path.substr(dot + 1));
  o.arguments = Value::tuple();
  o.is_new = true;
  o.state = dict({{"training", true},
                  {"_parameters", Value::ordered_dict()},
                  {"_buffers", Value::ordered_dict()},
                  {"_modules", Value::ordered_dict()}});
  for (const auto& [key, v] : more) o.state[key] = v;
  return Value::opaque(std::move(o));
}

Value parameter_value(const Shape& shape, bool requires_grad = true) {
  return Value::parameter(nn::Parameter(rand(shape), requires_grad));
}
Value linear_object(std::int64_t in, std::int64_t out) {
  return object("torch.nn.modules.linear.Linear",
                {{"in_features", in},
                 {"out_features", out},
                 {"_parameters", dict({{"weight", parameter_value({out, in})},
                                       {"bias", parameter_value({out})}})}});
}
Value child(const Value& object, const char* name) {
  return object.as_opaque().state["_modules"][name];
}
Tensor tensor_of(const Value& object, const char* name) {
  return object.as_opaque().state["_parameters"][name].as_tensor();
}

Value stack(const Value& first, const Value& third) {
  return object("anywhere.at_all.Stack",
                {{"training", false},
                 {"_parameters", dict({{"scale", parameter_value({1}, false)}})},
                 {"_buffers", dict({{"mean", full({1}, 5.0)}})},
                 {"_non_persistent_buffers_set", Value::set({"mean"})},
                 {"_modules",
                  dict({{"first", first}, {"second", first}, {"third", third}, {"fourth", third}})},
                 {"width", 2},
                 {"note", Value::list({1, "two"})}});
}

TEST(FromPickle, CreatesUserDefinedClassesWithOptionsAndTensors) {
  const Value from = stack(linear_object(2, 2), linear_object(2, 2));
  manual_seed(3);
  const Tensor next = rand({2});
  manual_seed(3);
  const auto made = nn::from_pickle(from);
  EXPECT_TRUE(equal(rand({2}), next)) << "nothing is drawn";
  const auto net = made->as<Stack>();
  ASSERT_TRUE(net);
  EXPECT_EQ(net->width, 2);
  EXPECT_EQ(net->depth, 1) << "the constructor's default";
  EXPECT_FALSE(net->training);
  EXPECT_TRUE(net->first.training);
  EXPECT_TRUE(net->scale.is_same(tensor_of(from, "scale")));
  EXPECT_FALSE(net->scale.requires_grad());
  EXPECT_EQ(net->mean.item<float>(), 5);
  EXPECT_FALSE(net->mean.persistent);
  EXPECT_EQ(net->get_attr("note").repr(), "[1, 'two']");
  // A module that is a member by value is not shared, but its parameters can be.
  EXPECT_TRUE(net->first.weight.is_same(tensor_of(child(from, "first"), "weight")));
  EXPECT_TRUE(net->second.weight.is_same(net->first.weight));
  EXPECT_EQ(net->third, net->fourth);
  EXPECT_TRUE(net->third->bias->is_same(tensor_of(child(from, "third"), "bias")));
  const Tensor x = rand({1, 2});
  const Tensor y = net->first(x), z = (*net->third)(net->second(y));
  EXPECT_TRUE(equal((*made)(x), (*net->fourth)(z)*net->scale + 5));
}

TEST(FromPickle, FindsClassesByPythonNames) {
  const Value tower =
      object("my_project.nets.Tower", {{"_parameters", dict({{"weight", parameter_value({2})}})}});
  EXPECT_EQ(nn::from_pickle(tower)->type_name(), "Turm");
  const Value turm =
      object("elsewhere.Turm", {{"_parameters", dict({{"weight", parameter_value({2})}})}});
  EXPECT_EQ(nn::from_pickle(turm)->type_name(), "Turm");
}

TEST(FromPickle, PreservesSharing) {
  const Value inner = linear_object(2, 2), tied = linear_object(2, 2);
  tied.as_opaque().state["_parameters"]["weight"] =
      inner.as_opaque().state["_parameters"]["weight"];
  const auto net = nn::from_pickle(object(
      "torch.nn.modules.container.Sequential",
      {{"_modules", dict({{"0", inner}, {"1", Value()}, {"again", inner}, {"tied", tied}})}}));
  EXPECT_EQ(&net->get_submodule("0"), &net->get_submodule("again"));
  EXPECT_NE(&net->get_submodule("0"), &net->get_submodule("tied"));
  EXPECT_TRUE(net->get_parameter("0.weight").is_same(net->get_parameter("tied.weight")));
  EXPECT_EQ(net->own_modules()["1"].type_name(), "NoneType");
  EXPECT_EQ(net->parameters().size(), 3u);
}

// Checks the defaults for attributes that old files lack: those that the __setstate__ methods of
// PyTorch's classes set, and further ones.
TEST(FromPickle, CompletesAttributesMissingInOldFiles) {
  const Value weight = parameter_value({2, 1, 3});
  const auto conv =
      nn::from_pickle(object("torch.nn.modules.conv.Conv1d",
                             {{"in_channels", 1},
                              {"out_channels", 2},
                              {"kernel_size", Value::tuple({3})},
                              {"stride", Value::tuple({2})},
                              {"_parameters", dict({{"weight", weight}, {"bias", Value()}})}}));
  EXPECT_EQ(conv->str(), "Conv1d(1, 2, kernel_size=(3,), stride=(2,), bias=False)");
  EXPECT_EQ(nn::from_pickle(object("torch.nn.modules.activation.Softmax"))->str(),
            "Softmax(dim=None)");
  const auto recurrent = [](const char* path, Entries more) {
    Value o = object(
        path,
        {{"input_size", 1},
         {"hidden_size", 1},
         {"num_layers", 1},
         {"bias", false},
         {"batch_first", false},
         {"dropout", 0},
         {"bidirectional", false},
         {"all_weights", Value::list()},
         {"_parameters", dict({{"weight_ih_l0", parameter_value({path[21] == 'R' ? 1 : 4, 1})},
                               {"weight_hh_l0", parameter_value({path[21] == 'R' ? 1 : 4, 1})}})}});
    for (const auto& [key, v] : more) o.as_opaque().state[key] = v;
    return o;
  };
  const auto rnn = nn::from_pickle(recurrent("torch.nn.modules.rnn.RNN", {{"mode", "RNN_RELU"}}));
  EXPECT_EQ(rnn->as<nn::RNN>()->nonlinearity, "relu");
  EXPECT_FALSE(rnn->has_attr("all_weights"));
  EXPECT_EQ(nn::from_pickle(recurrent("torch.nn.modules.rnn.LSTM", {{"mode", "LSTM"}}))
                ->as<nn::LSTM>()
                ->proj_size,
            0);
  const auto norm = nn::from_pickle(object(
      "torch.nn.modules.batchnorm.BatchNorm1d",
      {{"num_features", 2},
       {"_parameters", dict({{"weight", parameter_value({2})}, {"bias", parameter_value({2})}})},
       {"_buffers", dict({{"running_mean", zeros({2})}, {"running_var", ones({2})}})}}));
  EXPECT_EQ(norm->get_buffer("num_batches_tracked").item<std::int64_t>(), 0);
  (*norm)(rand({3, 2}));
  EXPECT_EQ(norm->get_buffer("num_batches_tracked").item<std::int64_t>(), 1);
  const Value two = dict({{"0", parameter_value({1})}, {"1", parameter_value({1})}});
  const auto list =
      nn::from_pickle(object("torch.nn.modules.container.ParameterList", {{"_parameters", two}}));
  EXPECT_EQ(list->as<nn::ParameterList>()->size(), 2u);
  const auto dict =
      nn::from_pickle(object("torch.nn.modules.container.ParameterDict", {{"_parameters", two}}));
  EXPECT_TRUE(dict->as<nn::ParameterDict>()->contains("1"));
  const auto loss =
      nn::from_pickle(object("torch.nn.modules.loss.MSELoss", {{"reduction", "sum"}}));
  EXPECT_EQ(loss->as<nn::MSELoss>()->reduction, "sum");
}

TEST(FromPickle, ReportsHooksWithoutRunningThem) {
  const Value hooked = linear_object(1, 1);
  hooked.as_opaque().state["_forward_hooks"] = dict({{4, Value::global("my.hooks", "show")}});
  const Value net =
      object("torch.nn.modules.container.Sequential", {{"_modules", dict({{"a", hooked}})}});
  std::vector<std::string> hooks;
  EXPECT_EQ(nn::from_pickle(net, {.hooks = &hooks})
                ->get_submodule("a")
                .hooks(nn::HookKind::forward)
                .hooks.size(),
            0u);
  EXPECT_EQ(hooks, std::vector<std::string>{"a: my.hooks.show"});
  const WarningCapture warnings;
  nn::from_pickle(net);
  EXPECT_EQ(warnings.last(), "from_pickle: Python hooks are ignored:\n  a: my.hooks.show");
}

TEST(FromPickle, RejectsInvalidObjects) {
  const auto in_row = [](const Value& o) {
    return object("torch.nn.modules.container.Sequential", {{"_modules", dict({{"a", o}})}});
  };
  EXPECT_EQ(error_text<TypeError>([] { nn::from_pickle(dict({})); }),
            "from_pickle: not a pickled module: got dict. Use load_state_dict for state dicts");
  EXPECT_EQ(error_text<AttributeError>([&] {
              nn::from_pickle(in_row(in_row(object("torch.nn.modules.activation.Missing"))));
            }),
            "from_pickle: 'a.a' is a torch.nn.modules.activation.Missing, which is not a "
            "registered class: state_dict_of(value) returns its tensors");
  EXPECT_EQ(error_text<AttributeError>([&] { nn::from_pickle(object("my.Net")); }),
            "from_pickle: the module is a my.Net, which is not a registered class: write "
            "TAPER_REGISTER for a module of that name with its attributes as options; "
            "state_dict_of(value) returns its tensors");
  EXPECT_EQ(error_text<ValueError>([&] { nn::from_pickle(in_row(3)); }),
            "from_pickle: 'a' is not a module: got int");
  EXPECT_EQ(
      error_text<TypeError>([&] {
        nn::from_pickle(in_row(object("torch.nn.modules.linear.Linear", {{"in_features", 1}})));
      }),
      "from_pickle: 'a' (torch.nn.modules.linear.Linear): Linear() missing 1 required "
      "positional argument: 'out_features'");
  const auto broken = [&](const char* name, const Value& v) {
    const Value o = linear_object(2, 3);
    o.as_opaque().state["_parameters"][name] = v;
    return error_text<ValueError>([&] { nn::from_pickle(o); });
  };
  const std::string at = "from_pickle: the module (torch.nn.modules.linear.Linear): ";
  EXPECT_EQ(broken("weight", ones({3, 2})),
            at + "the parameter 'weight' is a Tensor, not a Parameter");
  EXPECT_EQ(broken("bias", 7), at + "the parameter 'bias' is a int, not a Parameter");
  const Value foreign =
      Value::opaque({.callable = Value::global("torch._utils", "_rebuild_parameter"),
                     .arguments = Value::tuple({to_value({.dtype = "complex64",
                                                          .shape = {3, 2},
                                                          .strides = {2, 1},
                                                          .bytes = zeros({48}, {.dtype = uint8})}),
                                                false, Value::ordered_dict()})});
  EXPECT_EQ(broken("weight", foreign),
            at + "the parameter 'weight' has unsupported dtype torch.complex64");
  const Value as_data = linear_object(2, 3);
  as_data.as_opaque().state["_parameters"]["weight"] = foreign;
  EXPECT_EQ(foreign_tensor(state_dict_of(as_data)["weight"])->dtype, "complex64");
  const Value normed = linear_object(2, 3);
  normed.as_opaque().state["_parameters"].as_dict().erase("weight");
  normed.as_opaque().state["_forward_pre_hooks"] =
      dict({{0, object("torch.nn.utils.weight_norm.WeightNorm")}});
  EXPECT_EQ(error_text<ValueError>([&] { nn::from_pickle(normed); }),
            at + "missing parameter 'weight'; these hooks may have created it and should be "
                 "removed before saving: torch.nn.utils.weight_norm.WeightNorm");
  EXPECT_EQ(error_text<ValueError>(
                [&] { nn::from_pickle(object("torch.nn.modules.linear.LazyLinear")); }),
            "from_pickle: the module (torch.nn.modules.linear.LazyLinear): lazy module was pickled "
            "before its parameters were initialized");
  EXPECT_EQ(error_text<ValueError>([&] {
              nn::from_pickle(
                  object("torch.nn.modules.rnn.GRU",
                         {{"input_size", 1}, {"hidden_size", 1}, {"num_layers", 1'000'000'000}}));
            }),
            "from_pickle: the module (torch.nn.modules.rnn.GRU): inconsistent attributes: got "
            "num_layers=1000000000 and 0 parameters");
  EXPECT_EQ(error_text<ValueError>([&] {
              nn::from_pickle(object("torch.nn.modules.batchnorm.BatchNorm1d",
                                     {{"num_features", std::int64_t{1} << 40}, {"affine", false}}));
            }),
            "from_pickle: the module (torch.nn.modules.batchnorm.BatchNorm1d): missing buffer "
            "'running_mean'");
  // A member of class Linear cannot hold another layer, nor be missing.
  EXPECT_EQ(
      error_text<TypeError>([&] {
        nn::from_pickle(stack(object("torch.nn.modules.activation.Tanh"), linear_object(2, 2)));
      }),
      "from_pickle: the module (anywhere.at_all.Stack): cannot assign 'Tanh' as child module "
      "'first': the member is of another class");
  const Value part = stack(linear_object(2, 2), linear_object(2, 2));
  part.as_opaque().state["_modules"].as_dict().erase("second");
  EXPECT_EQ(error_text<ValueError>([&] { nn::from_pickle(part); }),
            "from_pickle: the module (anywhere.at_all.Stack): missing module 'second'");
  Value deep = linear_object(1, 1);
  for (int i = 0; i < 1001; ++i) deep = in_row(deep);
  EXPECT_EQ(error_text<ValueError>([&] { nn::from_pickle(deep); }),
            "from_pickle: modules are nested too deeply: got more than 1000 levels");
}

}  // namespace
