// nn::make and nn::describe: modules from names and arguments, and back.
#include "taper/nn/registry.h"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "lazy_samples.h"
#include "nets.h"
#include "pool_samples.h"
#include "spatial_samples.h"
#include "support/warning_capture.h"
#include "taper/nn/nn.h"
#include "taper_paths.h"

namespace {

using taper::test::WarningCapture;

using namespace nets;
using namespace layer_samples;

/// Returns samples of every class of the library, with a value for each argument.
const std::vector<Sample>& samples() {
  const Value norm = kw({{"num_features", 3},
                         {"eps", 0.5},
                         {"momentum", Value()},
                         {"affine", true},
                         {"track_running_stats", false},
                         {"device", Device::cpu()},
                         {"dtype", float64},
                         {"bias", false}});
  const std::string norm_text =
      "(3, eps=0.5, momentum=None, affine=True, bias=False, track_running_stats=False)";
  const Value inplace = kw({{"inplace", true}}), dropout = kw({{"p", 0.25}, {"inplace", true}});
  static std::vector<std::string> kept;  // owns the composed strings, to which samples refer
  const auto keep = [](std::string text) {
    kept.reserve(64);
    return kept.emplace_back(std::move(text)).c_str();
  };
  const auto conv = [&](std::vector<std::int64_t> kernel) {
    const auto all = [&](std::int64_t n) { return Value::tuple(Values(kernel.size(), n)); };
    return kw({{"in_channels", 4},
               {"out_channels", 8},
               {"kernel_size", Value::tuple({kernel.begin(), kernel.end()})},
               {"stride", all(2)},
               {"padding", all(1)},
               {"dilation", all(3)},
               {"groups", 2},
               {"bias", false},
               {"padding_mode", "circular"},
               {"device", Device::cpu()},
               {"dtype", float64}});
  };
  const auto transposed = [](std::vector<std::int64_t> kernel) {
    const auto all = [&](std::int64_t n) { return Value::tuple(Values(kernel.size(), n)); };
    return kw({{"in_channels", 4},
               {"out_channels", 8},
               {"kernel_size", Value::tuple({kernel.begin(), kernel.end()})},
               {"stride", all(2)},
               {"padding", all(1)},
               {"output_padding", all(1)},
               {"groups", 2},
               {"bias", false},
               {"dilation", all(3)},
               {"padding_mode", "zeros"},
               {"device", Device::cpu()},
               {"dtype", float64}});
  };
  const auto sized = [](const Value& more) {
    Value all = kw({{"input_size", 3},
                    {"hidden_size", 4},
                    {"bias", false},
                    {"device", Device::cpu()},
                    {"dtype", float64}});
    for (const auto& [key, value] : more.as_dict()) all.as_dict().set(key, value);
    return all;
  };
  const auto cell = [&](std::initializer_list<std::pair<Value, Value>> more) {
    return sized(kw(more));
  };
  const auto recurrent = [&](std::initializer_list<std::pair<Value, Value>> more) {
    Value all = sized(kw(more));
    all["num_layers"] = 2;
    all["batch_first"] = true;
    all["dropout"] = 0.5;
    all["bidirectional"] = true;
    return all;
  };
  const auto without = [](const Value& arguments, const char* name) {
    Value rest = arguments.as_dict().copy();
    rest.as_dict().erase(name);
    return rest;
  };
  const auto lazy_conv = [&](std::vector<std::int64_t> kernel) {
    return without(conv(std::move(kernel)), "in_channels");
  };
  Value sync_norm = norm.as_dict().copy();
  sync_norm["process_group"] = Value();
  const Value lazy_norm = without(norm, "num_features");
  static const std::vector<Sample> all = lazy_layer_samples(
      pool_layer_samples(spatial_layer_samples(loss_samples(sequence_layer_samples({
          {"Identity", kw({}), "Identity()"},
          {"Linear",
           kw({{"in_features", 2},
               {"out_features", 3},
               {"bias", false},
               {"device", Device::cpu()},
               {"dtype", float64}}),
           "Linear(in_features=2, out_features=3, bias=False)"},
          {"Conv1d", conv({3}),
           "Conv1d(4, 8, kernel_size=(3,), stride=(2,), padding=(1,), dilation=(3,), groups=2, "
           "bias=False, padding_mode=circular)"},
          {"Conv2d", conv({3, 5}),
           "Conv2d(4, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), dilation=(3, 3), "
           "groups=2, "
           "bias=False, padding_mode=circular)"},
          {"Conv3d", conv({1, 2, 3}),
           "Conv3d(4, 8, kernel_size=(1, 2, 3), stride=(2, 2, 2), padding=(1, 1, 1), dilation=(3, "
           "3, "
           "3), groups=2, bias=False, padding_mode=circular)"},
          {"ConvTranspose1d", transposed({3}),
           "ConvTranspose1d(4, 8, kernel_size=(3,), stride=(2,), padding=(1,), dilation=(3,), "
           "output_padding=(1,), groups=2, bias=False)"},
          {"ConvTranspose2d", transposed({3, 5}),
           "ConvTranspose2d(4, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), dilation=(3, "
           "3), "
           "output_padding=(1, 1), groups=2, bias=False)"},
          {"ConvTranspose3d", transposed({1, 2, 3}),
           "ConvTranspose3d(4, 8, kernel_size=(1, 2, 3), stride=(2, 2, 2), padding=(1, 1, 1), "
           "dilation=(3, 3, 3), output_padding=(1, 1, 1), groups=2, bias=False)"},
          {"LazyLinear",
           kw({{"out_features", 3},
               {"bias", false},
               {"device", Device::cpu()},
               {"dtype", float64}}),
           "LazyLinear(in_features=0, out_features=3, bias=False)"},
          {"LazyConv1d", lazy_conv({3}),
           "LazyConv1d(0, 8, kernel_size=(3,), stride=(2,), padding=(1,), dilation=(3,), groups=2, "
           "bias=False, padding_mode=circular)"},
          {"LazyConv2d", lazy_conv({3, 5}),
           "LazyConv2d(0, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), dilation=(3, 3), "
           "groups=2, bias=False, padding_mode=circular)"},
          {"LazyConv3d", lazy_conv({1, 2, 3}),
           "LazyConv3d(0, 8, kernel_size=(1, 2, 3), stride=(2, 2, 2), padding=(1, 1, 1), "
           "dilation=(3, "
           "3, 3), groups=2, bias=False, padding_mode=circular)"},
          {"SyncBatchNorm", sync_norm, keep("SyncBatchNorm" + norm_text)},
          {"LazyBatchNorm1d", lazy_norm, keep("LazyBatchNorm1d(0" + norm_text.substr(2))},
          {"LazyBatchNorm2d", lazy_norm, keep("LazyBatchNorm2d(0" + norm_text.substr(2))},
          {"LazyBatchNorm3d", lazy_norm, keep("LazyBatchNorm3d(0" + norm_text.substr(2))},
          {"CircularPad1d", kw({{"padding", Value::tuple({1, 2})}}), "CircularPad1d((1, 2))"},
          {"CircularPad2d", kw({{"padding", Value::tuple({1, 2, 3, 4})}}),
           "CircularPad2d((1, 2, 3, 4))"},
          {"CircularPad3d", kw({{"padding", Value::tuple({1, 2, 3, 4, 5, 6})}}),
           "CircularPad3d((1, 2, 3, 4, 5, 6))"},
          {"ConstantPad1d", kw({{"padding", Value::tuple({1, 2})}, {"value", 3.5}}),
           "ConstantPad1d(padding=(1, 2), value=3.5)"},
          {"ConstantPad2d", kw({{"padding", Value::tuple({1, 2, 3, 4})}, {"value", 3.5}}),
           "ConstantPad2d(padding=(1, 2, 3, 4), value=3.5)"},
          {"ConstantPad3d", kw({{"padding", Value::tuple({1, 2, 3, 4, 5, 6})}, {"value", 3.5}}),
           "ConstantPad3d(padding=(1, 2, 3, 4, 5, 6), value=3.5)"},
          {"ZeroPad1d", kw({{"padding", Value::tuple({1, 2})}}), "ZeroPad1d((1, 2))"},
          {"ZeroPad2d", kw({{"padding", Value::tuple({1, 2, 3, 4})}}), "ZeroPad2d((1, 2, 3, 4))"},
          {"ZeroPad3d", kw({{"padding", Value::tuple({1, 2, 3, 4, 5, 6})}}),
           "ZeroPad3d((1, 2, 3, 4, 5, 6))"},
          {"ReflectionPad1d", kw({{"padding", Value::tuple({1, 2})}}), "ReflectionPad1d((1, 2))"},
          {"ReflectionPad2d", kw({{"padding", Value::tuple({1, 2, 3, 4})}}),
           "ReflectionPad2d((1, 2, 3, 4))"},
          {"ReflectionPad3d", kw({{"padding", Value::tuple({1, 2, 3, 4, 5, 6})}}),
           "ReflectionPad3d((1, 2, 3, 4, 5, 6))"},
          {"ReplicationPad1d", kw({{"padding", Value::tuple({1, 2})}}), "ReplicationPad1d((1, 2))"},
          {"ReplicationPad2d", kw({{"padding", Value::tuple({1, 2, 3, 4})}}),
           "ReplicationPad2d((1, 2, 3, 4))"},
          {"ReplicationPad3d", kw({{"padding", Value::tuple({1, 2, 3, 4, 5, 6})}}),
           "ReplicationPad3d((1, 2, 3, 4, 5, 6))"},
          {"MaxPool2d",
           kw({{"kernel_size", 3},
               {"stride", pair_of(2, 1)},
               {"padding", 1},
               {"dilation", 2},
               {"return_indices", true},
               {"ceil_mode", true}}),
           "MaxPool2d(kernel_size=3, stride=(2, 1), padding=1, dilation=2, ceil_mode=True)"},
          {"AvgPool2d",
           kw({{"kernel_size", pair_of(3, 2)},
               {"stride", 2},
               {"padding", 1},
               {"ceil_mode", true},
               {"count_include_pad", false},
               {"divisor_override", 5}}),
           "AvgPool2d(kernel_size=(3, 2), stride=2, padding=1)"},
          {"AdaptiveAvgPool2d", kw({{"output_size", Value::tuple({Value(), 7})}}),
           "AdaptiveAvgPool2d(output_size=(None, 7))"},
          {"ReLU", inplace, "ReLU(inplace=True)"},
          {"Hardtanh", kw({{"min_val", -2}, {"max_val", 0.5}, {"inplace", true}}),
           "Hardtanh(min_val=-2, max_val=0.5, inplace=True)"},
          {"ReLU6", inplace, "ReLU6(inplace=True)"},
          {"LeakyReLU", kw({{"negative_slope", 0.5}, {"inplace", true}}),
           "LeakyReLU(negative_slope=0.5, inplace=True)"},
          {"RReLU", kw({{"lower", 0.25}, {"upper", 0.5}, {"inplace", true}}),
           "RReLU(lower=0.25, upper=0.5, inplace=True)"},
          {"Threshold", kw({{"threshold", 0.5}, {"value", 20}, {"inplace", true}}),
           "Threshold(threshold=0.5, value=20, inplace=True)"},
          {"ELU", kw({{"alpha", 0.5}, {"inplace", true}}), "ELU(alpha=0.5, inplace=True)"},
          {"SELU", inplace, "SELU(inplace=True)"},
          {"Hardswish", inplace, "Hardswish()"},
          {"Hardshrink", kw({{"lambd", 0.25}}), "Hardshrink(0.25)"},
          {"Softshrink", kw({{"lambd", 0.25}}), "Softshrink(0.25)"},
          {"Softsign", kw({}), "Softsign()"},
          {"GELU", kw({{"approximate", "tanh"}}), "GELU(approximate='tanh')"},
          {"Tanh", kw({}), "Tanh()"},
          {"Sigmoid", kw({}), "Sigmoid()"},
          {"SiLU", inplace, "SiLU(inplace=True)"},
          {"Mish", inplace, "Mish(inplace=True)"},
          {"Hardsigmoid", inplace, "Hardsigmoid()"},
          {"CELU", kw({{"alpha", 0.5}, {"inplace", true}}), "CELU(alpha=0.5, inplace=True)"},
          {"Softplus", kw({{"beta", 2}, {"threshold", 0.5}}), "Softplus(beta=2, threshold=0.5)"},
          {"LogSigmoid", kw({}), "LogSigmoid()"},
          {"Tanhshrink", kw({}), "Tanhshrink()"},
          {"GLU", kw({{"dim", 1}}), "GLU(dim=1)"},
          {"PReLU",
           kw({{"num_parameters", 3},
               {"init", 0.5},
               {"device", Device::cpu()},
               {"dtype", float64}}),
           "PReLU(num_parameters=3)"},
          {"Softmax", kw({{"dim", 1}}), "Softmax(dim=1)"},
          {"LogSoftmax", kw({{"dim", 1}}), "LogSoftmax(dim=1)"},
          {"Softmin", kw({{"dim", 1}}), "Softmin(dim=1)"},
          {"Softmax2d", kw({}), "Softmax2d()"},
          {"BatchNorm1d", norm, keep("BatchNorm1d" + norm_text)},
          {"BatchNorm2d", norm, keep("BatchNorm2d" + norm_text)},
          {"BatchNorm3d", norm, keep("BatchNorm3d" + norm_text)},
          {"RNN", recurrent({{"nonlinearity", "relu"}}),
           "RNN(3, 4, num_layers=2, bias=False, batch_first=True, dropout=0.5, "
           "bidirectional=True)"},
          {"LSTM", recurrent({{"proj_size", 2}}),
           "LSTM(3, 4, proj_size=2, num_layers=2, bias=False, batch_first=True, dropout=0.5, "
           "bidirectional=True)"},
          {"GRU", recurrent({}),
           "GRU(3, 4, num_layers=2, bias=False, batch_first=True, dropout=0.5, "
           "bidirectional=True)"},
          {"RNNCell", cell({{"nonlinearity", "relu"}}),
           "RNNCell(3, 4, bias=False, nonlinearity=relu)"},
          {"LSTMCell", cell({}), "LSTMCell(3, 4, bias=False)"},
          {"GRUCell", cell({}), "GRUCell(3, 4, bias=False)"},
          {"InstanceNorm1d", norm, keep("InstanceNorm1d" + norm_text)},
          {"InstanceNorm2d", norm, keep("InstanceNorm2d" + norm_text)},
          {"InstanceNorm3d", norm, keep("InstanceNorm3d" + norm_text)},
          {"LazyInstanceNorm1d", lazy_norm, keep("LazyInstanceNorm1d(0" + norm_text.substr(2))},
          {"LazyInstanceNorm2d", lazy_norm, keep("LazyInstanceNorm2d(0" + norm_text.substr(2))},
          {"LazyInstanceNorm3d", lazy_norm, keep("LazyInstanceNorm3d(0" + norm_text.substr(2))},
          {"Dropout", dropout, "Dropout(p=0.25, inplace=True)"},
          {"Dropout1d", dropout, "Dropout1d(p=0.25, inplace=True)"},
          {"Dropout2d", dropout, "Dropout2d(p=0.25, inplace=True)"},
          {"Dropout3d", dropout, "Dropout3d(p=0.25, inplace=True)"},
          {"AlphaDropout", dropout, "AlphaDropout(p=0.25, inplace=True)"},
          {"FeatureAlphaDropout", dropout, "FeatureAlphaDropout(p=0.25, inplace=True)"},
          {"Flatten", kw({{"start_dim", 2}, {"end_dim", 3}}), "Flatten(start_dim=2, end_dim=3)"},
          {"Unflatten", kw({{"dim", 1}, {"unflattened_size", pair_of(2, 5)}}),
           "Unflatten(dim=1, unflattened_size=(2, 5))"},
          {"CrossEntropyLoss",
           kw({{"weight", Value()},
               {"size_average", Value()},
               {"ignore_index", 3},
               {"reduce", Value()},
               {"reduction", "none"},
               {"label_smoothing", 0.5}}),
           "CrossEntropyLoss()"},
          {"NLLLoss",
           kw({{"weight", Value()},
               {"size_average", Value()},
               {"ignore_index", 3},
               {"reduce", Value()},
               {"reduction", "none"}}),
           "NLLLoss()"},
          {"Sequential", kw({}), "Sequential()"},
          {"ModuleList", kw({}), "ModuleList()"},
          {"ModuleDict", kw({}), "ModuleDict()"},
          {"ParameterList", kw({{"values", Value::list({"a", 2})}}),
           "ParameterList(\n    (0): Object of type: str\n    (1): Object of type: int\n)"},
          {"ParameterDict", kw({{"parameters", kw({{"a", 2}})}}),
           "ParameterDict(  (a): Object of type: int)"},
      })))));
  return all;
}

bool differs_only_by_defaults(const Value& given, const Value& got) {
  for (const auto& [key, value] : given.as_dict())
    if (!got.contains(key) || !(*got.find(key) == value)) return false;
  return true;
}

TEST(Make, RoundTripsEveryLayerWithItsArguments) {
  for (const Sample& s : samples()) {
    const auto made = nn::make(s.name, {}, s.arguments);
    EXPECT_EQ(made->type_name(), s.name);
    EXPECT_EQ(made->str(), s.printed);
    const nn::Description d = nn::describe(*made);
    EXPECT_EQ(d.name, s.name);
    EXPECT_TRUE(differs_only_by_defaults(s.arguments, d.arguments))
        << s.arguments << " became " << d.arguments;
    const auto again = nn::make(d);
    EXPECT_EQ(again->str(), s.printed);
    EXPECT_TRUE(nn::describe(*again).arguments == d.arguments) << s.name;
    // The bias of a norm and all arguments of some losses are keyword-only.
    if (d.arguments.contains("eps") || d.arguments.contains("swap") ||
        d.arguments.contains("num_classes"))
      continue;
    Values positional;  // in the order of the signature
    for (const auto& [key, value] : d.arguments.as_dict()) positional.push_back(value);
    EXPECT_TRUE(nn::describe(*nn::make(s.name, positional)).arguments == d.arguments) << s.name;
  }
}

// Checks that no layer is absent from the table or from the samples above.
TEST(Make, CoversEveryLayerOfPublicHeaders) {
  const std::vector<std::string> known = nn::class_names();
  std::set<std::string> tried;
  for (const Sample& s : samples()) tried.insert(s.name);
  const std::string macro = "  TAPER_LAYER(";
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TAPER_SOURCE_DIR "/include/taper/nn")) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with(macro)) continue;
      const std::string name = line.substr(macro.size(), line.find(')') - macro.size());
      EXPECT_TRUE(std::binary_search(known.begin(), known.end(), name))
          << name << " has no line in src/nn/registry/layers.inc";
      EXPECT_TRUE(tried.contains(name)) << name << " has no line in samples()";
      ++count;
    }
  }
  EXPECT_EQ(count, samples().size());
}

TEST(Make, AcceptsArgumentsAsPython) {
  EXPECT_EQ(nn::make("Conv2d", {3, 64, 7}, kw({{"stride", 2}, {"padding", 3}}))->str(),
            "Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2), padding=(3, 3))");
  EXPECT_EQ(nn::make("Conv2d", {4, 8, 3}, kw({{"padding", "same"}}))->str(),
            "Conv2d(4, 8, kernel_size=(3, 3), stride=(1, 1), padding=same)");
  EXPECT_EQ(nn::make("BatchNorm1d", {4}, kw({{"bias", false}}))->str(),
            "BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=True, bias=False, "
            "track_running_stats=True)");
  EXPECT_EQ(nn::make("Identity", {54}, kw({{"unused", 1}}))->str(), "Identity()");
  EXPECT_EQ(nn::make("Hardtanh")->str(), "Hardtanh(min_val=-1.0, max_val=1.0)");
  EXPECT_EQ(nn::make("AvgPool2d", {2})->str(), "AvgPool2d(kernel_size=2, stride=2, padding=0)");
  const auto meta = nn::make("Linear", {2, 3}, kw({{"device", "meta"}, {"dtype", float16}}));
  EXPECT_TRUE(meta->get_parameter("bias").device().is_meta());
  EXPECT_EQ(meta->get_parameter("weight").dtype(), float16);
}

TEST(Make, AcceptsDeprecatedNamesWithWarning) {
  const WarningCapture warnings;
  const auto loss = nn::make("MSELoss", {}, kw({{"size_average", false}}));
  EXPECT_EQ(warnings.last(),
            "size_average and reduce args will be deprecated, please use reduction='sum' instead.");
  EXPECT_EQ(loss->as<nn::MSELoss>()->reduction, "sum");
  EXPECT_EQ(nn::make("L1Loss", {true, false})->as<nn::L1Loss>()->reduction, "none");
  EXPECT_EQ(nn::make("Hardtanh", {}, kw({{"max_value", 6}}))->str(),
            "Hardtanh(min_val=-1.0, max_val=6)");
  EXPECT_EQ(warnings.last(), "keyword argument `max_value` is deprecated and rename to `max_val`");
}

TEST(Make, AcceptsPythonPaths) {
  for (const char* name : {"Conv2d", "torch.nn.Conv2d", "torch.nn.modules.conv.Conv2d"})
    EXPECT_EQ(nn::make(name, {1, 2, 3})->type_name(), "Conv2d");
  EXPECT_EQ(nn::make("torch.nn.modules.container.Sequential")->str(), "Sequential()");
  EXPECT_EQ(error_text<AttributeError>([] {
              nn::make("torch.nn.modules.linear.Conv2d", {1, 2, 3});
            }),
            "make: unknown module class 'torch.nn.modules.linear.Conv2d'");
  EXPECT_EQ(error_text<AttributeError>([] {
              nn::make("mine.Conv2d", {1, 2, 3});
            }),
            "make: unknown module class 'mine.Conv2d'");
}

TEST(Make, RejectsUnknownClassesAndArguments) {
  EXPECT_EQ(error_text<AttributeError>([] {
              nn::make("Conv2D", {1, 2, 3});
            }),
            "make: unknown module class 'Conv2D'\n  no class 'Conv2D': did you mean 'Conv2d'?");
  EXPECT_EQ(error_text<TypeError>([] { nn::make("Linear", {1}); }),
            "Linear() missing 1 required positional argument: 'out_features'");
  EXPECT_EQ(error_text<TypeError>([] { nn::make("Conv2d"); }),
            "Conv2d() missing 3 required positional arguments: 'in_channels', 'out_channels', and "
            "'kernel_size'");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("Linear", {1, 2, true, {}, {}, 3});
            }),
            "Linear() takes from 2 to 5 positional arguments but 6 were given");
  EXPECT_EQ(error_text<TypeError>([] { nn::make("Tanh", {1}); }),
            "Tanh() takes 0 positional arguments but 1 was given");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("Linear", {1, 2}, kw({{"bais", false}}));
            }),
            "Linear() got an unexpected keyword argument 'bais'\n"
            "  no argument 'bais': did you mean 'bias'?");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("Linear", {1, 2}, kw({{"in_features", 1}}));
            }),
            "Linear() got multiple values for argument 'in_features'");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("Linear", {"1", 2});
            }),
            "Linear(): argument 'in_features' must be int, not str");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("Linear", {1, 2, "no"});
            }),
            "Linear(): argument 'bias' must be bool, not str");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("Conv1d", {1, 2, 3.5});
            }),
            "Conv1d(): argument 'kernel_size' must be int or a tuple of ints, not float");
  EXPECT_EQ(error_text<TypeError>([] { nn::make("LeakyReLU", {Value()}); }),
            "LeakyReLU(): argument 'negative_slope' must be float, not NoneType");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("Linear", {1, 2}, "bias");
            }),
            "make: keyword arguments must be a dict, not str");
  EXPECT_EQ(error_text<ValueError>([] {
              nn::make("Conv2d", {3, 4, 1}, kw({{"groups", 2}}));
            }),
            error_text<ValueError>([] { nn::Conv2d(3, 4, 1, {.groups = 2}); }));
}

TEST(Make, ContainersAcceptAndDescribeModules) {
  auto shared = std::make_shared<nn::Linear>(2, 2);
  nn::Sequential net{shared, nn::ReLU(), shared, nullptr,
                     nn::ModuleDict({{"a", nn::Conv1d(1, 2, 3)}})};
  const nn::Description d = nn::describe(net);
  EXPECT_EQ(d.str().substr(0, 50), "Sequential(0=Linear(in_features=2, out_features=2,");
  const auto made = nn::make(d);
  EXPECT_EQ(made->str(), net.str());
  EXPECT_EQ(&made->get_submodule("0"), &made->get_submodule("2"));
  EXPECT_NE(&made->get_submodule("0"), shared.get());
  EXPECT_EQ(keys(made->state_dict()), keys(net.state_dict()));
  const Value relu = nn::value_of(std::make_shared<nn::ReLU>());
  EXPECT_EQ(nn::make("Sequential", {relu, relu})->str(),
            "Sequential(\n  (0): ReLU()\n  (1): ReLU()\n)");
  EXPECT_EQ(nn::make("Sequential", {kw({{"act", relu}})})->str(),
            "Sequential(\n  (act): ReLU()\n)");
  EXPECT_EQ(nn::make("ModuleList", {Value::list({relu})})->str(), "ModuleList(\n  (0): ReLU()\n)");
  EXPECT_EQ(nn::make("ModuleDict", {kw({{"act", relu}})})->str(),
            "ModuleDict(\n  (act): ReLU()\n)");
  EXPECT_EQ(error_text<TypeError>([] { nn::make("Sequential", {3}); }),
            "int is not a Module subclass");
  const auto list = nn::make(nn::describe(nn::ParameterList{ones({2, 3})}));
  EXPECT_EQ(list->get_parameter("0").shape(), Shape({2, 3}));
}

// Creates modules from the attributes that Python pickles.
TEST(Make, RebuildsFromAttributesOfPython) {
  const Value linear =
      kw({{"training", true},
          {"_parameters", kw({{"weight", Value::parameter(zeros({3, 2}))}, {"bias", Value()}})},
          {"_buffers", kw({})},
          {"_modules", kw({})},
          {"in_features", 2},
          {"out_features", 3}});
  EXPECT_EQ(nn::make_from_attributes("torch.nn.modules.linear.Linear", linear)->str(),
            "Linear(in_features=2, out_features=3, bias=False)");
  const Value conv =
      kw({{"_parameters", kw({{"weight", Value::parameter(zeros({8, 2, 3, 3}, {.dtype = float64}))},
                              {"bias", Value::parameter(zeros({8}))}})},
          {"_reversed_padding_repeated_twice", Value::list({1, 1, 1, 1})},
          {"in_channels", 4},
          {"out_channels", 8},
          {"kernel_size", pair_of(3, 3)},
          {"stride", pair_of(1, 1)},
          {"padding", "same"},
          {"dilation", pair_of(1, 1)},
          {"transposed", false},
          {"output_padding", pair_of(0, 0)},
          {"groups", 2},
          {"padding_mode", "zeros"}});
  const auto made = nn::make_from_attributes("torch.nn.modules.conv.Conv2d", conv);
  EXPECT_EQ(made->str(), "Conv2d(4, 8, kernel_size=(3, 3), stride=(1, 1), padding=same, groups=2)");
  EXPECT_EQ(made->get_parameter("weight").dtype(), float64);
  const Value loss = kw({{"_buffers", kw({{"weight", Value(ones({3}))}})},
                         {"ignore_index", -100},
                         {"reduction", "sum"},
                         {"label_smoothing", 0.0}});
  const auto cross = nn::make_from_attributes("CrossEntropyLoss", loss);
  EXPECT_EQ(cross->get_buffer("weight").shape(), Shape({3}));
  EXPECT_EQ(
      nn::make_from_attributes("torch.nn.Sequential", kw({{"_modules", kw({{"0", 1}})}}))->str(),
      "Sequential()");
  EXPECT_EQ(error_text<TypeError>([] { nn::make_from_attributes("Linear", 3); }),
            "make_from_attributes: got int, expected a dict");
}

struct Plain : nn::Module {
  nn::Linear fc{2, 2};
  TAPER_MODULE(Plain, fc)
  Tensor forward(const Tensor& x) { return fc(x); }
};
struct Sized : nn::Module {
  explicit Sized(std::int64_t w, std::string a = "relu", std::vector<std::int64_t> s = {1, 2})
      : width(w), act(std::move(a)), sizes(std::move(s)), fc(w, w) {}
  std::int64_t width;
  std::string act;
  std::vector<std::int64_t> sizes;
  nn::Linear fc;
  TAPER_MODULE(Sized, fc)
  Tensor forward(const Tensor& x) { return fc(x); }
};
namespace deep {
struct Inner : nn::Module {
  TAPER_MODULE(Inner)
  Tensor forward(const Tensor& x) { return x; }
};
}  // namespace deep
struct Unknown : nn::Module {
  TAPER_MODULE(Unknown)
  Tensor forward(const Tensor& x) { return x; }
};
struct SameName : nn::Module {
  TAPER_MODULE(SameName)
  Tensor forward(const Tensor& x) { return x; }
};
namespace other {
struct SameName : nn::Module {
  TAPER_MODULE(SameName)
  Tensor forward(const Tensor& x) { return x; }
};
}  // namespace other
TAPER_REGISTER(Plain)
TAPER_REGISTER(Sized, width, act, sizes)
TAPER_REGISTER(deep::Inner)
TAPER_REGISTER(SameName)
TAPER_REGISTER(other::SameName)

TEST(Register, CreatesAndDescribesUserDefinedClasses) {
  EXPECT_EQ(nn::make("Plain")->str(), Plain().str());
  EXPECT_EQ(nn::describe(Plain()).str(), "Plain()");
  EXPECT_EQ(nn::make("Inner")->type_name(), "Inner");
  EXPECT_EQ(nn::make("models.nets.Plain")->type_name(), "Plain");
  const auto sized = nn::make("Sized", {3}, kw({{"act", "tanh"}}));
  EXPECT_EQ(sized->as<Sized>()->width, 3);
  EXPECT_EQ(sized->as<Sized>()->act, "tanh");
  const nn::Description d = nn::describe(*sized);
  EXPECT_EQ(d.str(), "Sized(width=3, act='tanh', sizes=[1, 2])");
  EXPECT_EQ(nn::describe(*nn::make(d)).str(), d.str());
  EXPECT_EQ(nn::make("Sized", {3})->as<Sized>()->act, "relu");
  nn::Sequential net{Sized(2), Plain()};
  EXPECT_EQ(nn::make(nn::describe(net))->str(), net.str());
  EXPECT_EQ(nn::make_from_attributes("__main__.Sized", kw({{"width", 2}, {"other", 1}}))
                ->as<Sized>()
                ->width,
            2);
}

TEST(Register, RejectsInvalidArguments) {
  EXPECT_EQ(error_text<TypeError>([] { nn::make("Sized"); }),
            "Sized() missing 1 required positional argument: 'width'");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("Sized", {}, kw({{"act", "tanh"}}));
            }),
            "Sized() missing 1 required positional argument: 'width'");
  EXPECT_EQ(error_text<TypeError>([] {
              nn::make("Sized", {1}, kw({{"sizes", Value::list({1})}}));
            }),
            "Sized() missing 1 required positional argument: 'act'");
  EXPECT_EQ(error_text<TypeError>([] { nn::make("Sized", {"a"}); }),
            "Sized(): argument 'width' must be int, not str");
  EXPECT_EQ(error_text<RuntimeError>([] { nn::describe(Unknown()); }),
            "describe: class 'Unknown' is not registered: write TAPER_REGISTER(Unknown, "
            "options...) in a source file");
  EXPECT_EQ(error_text<ValueError>([] { nn::make("SameName"); }),
            "make: ambiguous class name 'SameName': (anonymous namespace)::SameName and (anonymous "
            "namespace)::other::SameName");
  EXPECT_EQ(error_text<AttributeError>([] { nn::make("Plian"); }),
            "make: unknown module class 'Plian'\n  no class 'Plian': did you mean 'Plain'?");
}

TEST(Register, ClassesOfLibraryAreUnregisteredWithIt) {
  EXPECT_THROW(nn::make("LibraryNet", {4}), AttributeError);
  void* const library = dlopen(TAPER_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  {
    const auto net = nn::make("LibraryNet", {4});
    EXPECT_EQ((*net)(ones({2, 4})).shape(), Shape({2, 1}));
    EXPECT_EQ(nn::describe(*net).str(), "LibraryNet(width=4)");
  }
  dlclose(library);
  EXPECT_THROW(nn::make("LibraryNet", {4}), AttributeError);
}

}  // namespace
