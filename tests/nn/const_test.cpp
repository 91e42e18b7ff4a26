// Operations on const modules.
#include <sstream>

#include "nets.h"
#include "taper/nn/activation.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/chain.h"
#include "taper/nn/diff.h"
#include "taper/nn/lazy.h"
#include "taper/nn/linear.h"
#include "taper/nn/module_list.h"
#include "taper/nn/parameter_list.h"
#include "taper/nn/rnn.h"
#include "taper/nn/sequential.h"
#include "taper/nn/summary.h"
#include "taper/nn/utils/parametrizations.h"

namespace {

using namespace nets;

/// A network with a const forward.
struct Body : nn::Module {
  nn::Linear fc{2, 3};
  nn::BatchNorm1d norm{3};
  nn::ModuleList layers{nn::Linear(3, 3), nn::ReLU()};
  nn::Parameter scale{ones({1})};
  TAPER_MODULE(Body, fc, norm, layers, scale)
  Tensor forward(const Tensor& x) const {
    Tensor y = norm(fc(x)) * scale;
    for (nn::Module& layer : layers) y = layer(y);
    return y;
  }
};

Tensor infer(const Body& net, const Tensor& x) { return net(x); }

template <class T> std::string printed(const T& v) {
  std::ostringstream out;
  out << v;
  return out.str();
}

TEST(ConstModule, IsIterable) {
  Body body;
  const nn::Module& net = body;
  EXPECT_EQ(net.parameters().size(), 7u);
  EXPECT_TRUE(net.parameters()[0].is_same(body.scale));
  EXPECT_EQ(names(net.named_parameters()), names(body.named_parameters()));
  EXPECT_EQ(net.buffers().size(), 3u);
  EXPECT_EQ(names(net.named_buffers()),
            "norm.running_mean norm.running_var norm.num_batches_tracked");
  EXPECT_EQ(names(net.named_children()), "fc norm layers");
  EXPECT_EQ(names(net.named_modules()), " fc norm layers layers.0 layers.1");
  EXPECT_EQ(net.children()[0], &body.fc);
  EXPECT_EQ(net.modules().size(), 6u);
  EXPECT_EQ(net.modules()[0], &body);
  static_assert(std::is_same_v<decltype(net.modules()), std::vector<const nn::Module*>>);
  static_assert(std::is_same_v<decltype(net.children()), std::vector<const nn::Module*>>);
  static_assert(std::is_same_v<decltype(body.modules()), std::vector<nn::Module*>>);
  static_assert(std::is_same_v<decltype(net.named_modules()[0].module), const nn::Module*>);
}

TEST(ConstModule, CallbacksReceiveConstEntries) {
  const Body net;
  std::string seen;
  net.for_each_parameter([&](std::string_view name, auto& p) {
    static_assert(std::is_same_v<decltype(p), const nn::Parameter&>);
    seen += std::string(name) + " ";
  });
  net.for_each_buffer([&](auto& b) {
    static_assert(std::is_same_v<decltype(b), const nn::Buffer&>);
    seen += "b ";
  });
  net.for_each_child([&](std::string_view name, auto& m) {
    static_assert(std::is_same_v<decltype(m), const nn::Module&>);
    seen += std::string(name) + " ";
  });
  std::size_t modules = 0;
  net.for_each_module([&](const nn::Module&) { ++modules; });
  EXPECT_EQ(seen,
            "scale fc.weight fc.bias norm.weight norm.bias layers.0.weight layers.0.bias b b b "
            "fc norm layers ");
  EXPECT_EQ(modules, 6u);
}

TEST(ConstModule, FindsEntriesByPathAndName) {
  const Body net;
  const nn::Module& fc = net.get_submodule("fc");
  EXPECT_EQ(&fc, &net.fc);
  const nn::Parameter& weight = net.get_parameter("fc.weight");
  EXPECT_TRUE(weight.is_same(net.fc.weight));
  EXPECT_TRUE(net.get_buffer("norm.running_mean").is_same(*net.norm.running_mean));
  EXPECT_TRUE(net.has_attr("fc"));
  EXPECT_TRUE(net.attr<bool>("training"));
  static_assert(std::is_same_v<decltype(net.attr<nn::Parameter>("scale")), const nn::Parameter&>);
  static_assert(std::is_same_v<decltype(net.attr<nn::Linear>("fc")), const nn::Linear&>);
  EXPECT_EQ(&net.attr<nn::Linear>("fc"), &net.fc);
  EXPECT_EQ(nn::module_of(net.get_attr("fc")), &net.fc);
  EXPECT_EQ(keys(net.own_parameters()), "scale");
  EXPECT_EQ(keys(net.own_modules()), "fc norm layers");
  EXPECT_EQ(error_message<AttributeError>([&] { net.get_submodule("fd"); }),
            "Body has no attribute `fd`\n  no submodule 'fd': did you mean 'fc'?");
}

TEST(ConstModule, IsSavedComparedAndSummarized) {
  const Body net;
  const Value state = net.state_dict();
  EXPECT_TRUE(state["fc.weight"].as_tensor().shares_storage_with(net.fc.weight));
  const Body other = net.clone();
  EXPECT_TRUE(nn::diff(net, other).empty());
  const nn::Summary summary = nn::summary(net, {2});
  EXPECT_EQ(summary.rows.size(), 4u);
  EXPECT_EQ(net.norm.num_batches_tracked->item<int>(), 0);
}

TEST(ConstModule, CallsConstForward) {
  Body body;
  body.eval();
  const Tensor x = randn({4, 2});
  const Tensor expected = body(x);
  EXPECT_TRUE(equal(infer(body, x), expected));
  const nn::Module& base = body;
  EXPECT_TRUE(equal(base(x), expected));
  EXPECT_TRUE(equal(base.call({x}).as_tensor(), expected));
  const nn::Sequential chain{nn::Linear(2, 2), nn::ReLU()};
  EXPECT_EQ(chain(x).shape(), Shape({4, 2}));
  const nn::LSTM lstm(2, 3);
  EXPECT_EQ(lstm(randn({5, 1, 2})).first.shape(), Shape({5, 1, 3}));
  EXPECT_EQ(static_cast<const nn::Module&>(lstm).call({randn({5, 1, 2})}).size(), 2u);
}

// Checks that training changes the elements of the statistics, but not the tensor objects.
TEST(ConstModule, UpdatesStatisticsInTraining) {
  const Body net;
  const Tensor mean = *net.norm.running_mean;
  net(randn({4, 2}));
  EXPECT_EQ(net.norm.num_batches_tracked->item<int>(), 1);
  EXPECT_TRUE(net.norm.running_mean->is_same(mean));
  EXPECT_FALSE(equal(mean, zeros({3})));
}

TEST(ConstModule, ComputesParametrizedWeights) {
  nn::Linear layer(3, 3);
  nn::utils::parametrizations::weight_norm(layer);
  const nn::Linear& net = layer;
  const Tensor x = ones({1, 3}), before = net(x);
  {
    const NoGrad guard;
    layer.get_parameter("parametrizations.weight.original0").mul_(2);
  }
  EXPECT_TRUE(allclose(net(x) - *net.bias, (before - *net.bias) * 2));
}

TEST(ConstModule, RunsHooks) {
  Body body;
  body.eval();
  int general = 0, typed = 0;
  body.fc.register_forward_hook([&](nn::Module&, const Values&, Value&) { ++general; });
  body.norm.register_forward_hook([&](nn::BatchNorm1d&, const Tensor&, Tensor&) { ++typed; });
  body.register_forward_pre_hook([&](nn::Module& m, Values&) { general += &m == &body; });
  infer(body, ones({1, 2}));
  static_cast<const nn::Module&>(body)(ones({1, 2}));
  EXPECT_EQ(general, 4);
  EXPECT_EQ(typed, 2);
}

TEST(ConstModule, ErrorsContainPath) {
  const Body net;
  EXPECT_TRUE(error_text<ShapeError>([&] {
                net(ones({1, 5}));
              })
                  .ends_with("in fc: Linear(in_features=2, out_features=3, bias=True), called with "
                             "float32 [1, 5]"));
}

TEST(ConstModule, RejectsNonConstForward) {
  Net changing;
  const nn::Module& net = changing;
  EXPECT_EQ(error_message<TypeError>([&] { net(row(1, 2)); }),
            "Net.forward: cannot call a const module: forward is not const");
  EXPECT_EQ(error_message<TypeError>([&] { net.call({row(1, 2)}); }),
            "Net.forward: cannot call a const module: forward is not const");
  EXPECT_EQ(changing.calls, 0);
}

TEST(ConstModule, LazyModuleIsCallableAfterInitialization) {
  nn::LazyLinear lazy(3);
  const nn::Module& net = lazy;
  EXPECT_EQ(error_message<RuntimeError>([&] {
              net(ones({1, 2}));
            }),
            "LazyLinear: cannot call a const lazy module before its parameters are initialized");
  EXPECT_TRUE(net.has_attr("weight") && lazy.has_uninitialized_params());
  lazy(ones({1, 2}));
  EXPECT_EQ(net(ones({1, 2})).shape(), Shape({1, 3}));
}

TEST(ConstModule, ChainIsConstIfItsModulesAre) {
  const nn::Chain<nn::Linear, nn::ReLU> layers{nn::Linear(2, 3), nn::ReLU()};
  EXPECT_EQ(layers(ones({1, 2})).shape(), Shape({1, 3}));
  EXPECT_EQ(layers.at<0>().out_features, 3);
  nn::Chain<Scale, nn::ReLU> changing{Scale(2), nn::ReLU()};
  EXPECT_EQ(changing(row(1, 2)).size(0), 2);
  EXPECT_THROW(std::as_const(static_cast<nn::Module&>(changing))(row(1, 2)), TypeError);
}

TEST(ConstModule, ParameterListIsReadable) {
  const nn::ParameterList list{ones({2}), zeros({3})};
  std::int64_t elements = 0;
  for (const nn::Parameter& p : list) elements += p.numel();
  EXPECT_EQ(elements, 5);
  EXPECT_EQ(list[-1].numel(), 3);
}

// Pointers to modules print as the modules do in Python, null pointers as None.
TEST(ModulePointer, PrintsModule) {
  const nn::Sequential net{nn::ReLU(), nn::Linear(1, 2)};
  const std::string linear = "Linear(in_features=1, out_features=2, bias=True)";
  EXPECT_EQ(printed(net.modules()[2]), linear);
  EXPECT_EQ(printed(net.children()[0]), "ReLU()");
  EXPECT_EQ(printed(net.named_children()[1].module), linear);
  EXPECT_EQ(printed(net.named_children()[1]), "('1', " + linear + ")");
  EXPECT_EQ(printed(net.shared(1)), linear);
  EXPECT_EQ(printed(net[1].as<nn::Linear>()), linear);
  EXPECT_EQ(printed(std::make_shared<nn::ReLU>()), "ReLU()");
  EXPECT_EQ(printed(std::shared_ptr<nn::Module>()), "None");
  EXPECT_EQ(printed(net[0].as<nn::Linear>()), "None");
  nn::Sequential same{nn::ReLU()};
  EXPECT_EQ(printed(same.named_modules()[1]), "('0', ReLU())");
  EXPECT_EQ(printed(same.modules()[1]), "ReLU()");
}

}  // namespace
