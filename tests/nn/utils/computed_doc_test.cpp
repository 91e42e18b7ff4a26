// The code of docs/modules.md about parametrizations and functional calls.
#include "../nets.h"
#include "taper/nn/nn.h"
#include "taper/taper.h"

namespace {

using namespace taper;
namespace parametrize = nn::utils::parametrize;
namespace parametrizations = nn::utils::parametrizations;

struct Symmetric : nn::Module {
  TAPER_MODULE(Symmetric)
  Tensor forward(const Tensor& x) { return x.triu() + x.triu(1).t(); }
  Tensor right_inverse(const Tensor& x) { return x.triu(); }
};

TEST(ComputedDoc, ParametrizesTensors) {
  nn::Linear layer(4, 4);
  const Tensor a = ones({4, 4});
  parametrize::register_parametrization(layer, "weight", Symmetric());
  Tensor w = parametrize::value(layer, "weight");  // Python: layer.weight
  parametrize::assign(layer, "weight", a);         // Python: layer.weight = a
  {
    auto guard = parametrize::cached();  // Python: with parametrize.cached():
    layer(ones({1, 4}));
  }
  parametrize::remove_parametrizations(layer, "weight");
  EXPECT_TRUE(allclose(w, w.t()));
  EXPECT_TRUE(allclose(layer.weight, a));
}

TEST(ComputedDoc, AppliesPredefinedParametrizations) {
  nn::Sequential net{nn::Conv2d(3, 8, 3), nn::Flatten(), nn::Linear(8, 8)};
  parametrizations::spectral_norm(net[0], "weight", {.n_power_iterations = 2});
  parametrizations::orthogonal(net[2], "weight", {.orthogonal_map = "cayley"});
  nn::utils::weight_norm(net[2], "bias");  // the older form: parameters bias_g and bias_v
  Tensor y = net(randn({2, 3, 3, 3}));
  EXPECT_EQ(y.shape(), Shape({2, 8}));
  EXPECT_TRUE(net[2].has_attr("bias_g"));
}

TEST(ComputedDoc, MakesFunctionalCalls) {
  nn::Linear net(3, 2);
  const Tensor x = ones({1, 3}), w = zeros({2, 3});
  Value given = Value::dict({{"weight", w}});
  Tensor y = nn::functional_call(net, given, x).as_tensor();

  std::vector<nn::Linear> models;
  for (int i = 0; i < 3; ++i) models.emplace_back(3, 2);
  auto [params, buffers] = nn::stack_module_state(models);  // {"weight": (3, 2, 3), "bias": (3, 2)}
  EXPECT_TRUE(allclose(y, net.bias->unsqueeze(0)));
  EXPECT_EQ(params["weight"].as_tensor().shape(), Shape({3, 2, 3}));
  EXPECT_EQ(buffers.size(), 0u);
}

}  // namespace
