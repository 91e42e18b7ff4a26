// Family init, kind resnet18: torchvision's network from a seed, with one pass in each mode.
#include <cmath>

#include "cases/compare.h"
#include "cases/sha256.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional.h"
#include "training/fields.h"
#include "training/init_modules.h"
#include "training/model.h"
#include "training/state.h"
#include "vision/resnet.h"

namespace taper::oracle {
namespace {

// Compares the norm and the sum of the gradient of each parameter, computed in double.
void expect_gradients(Case& c, nn::Module& net, Fields& tolerance) {
  const double relative = tolerance.number("grad_norm_rel");
  const double of_sum = tolerance.number("grad_sum_of_norm_root_numel");
  Fields expected(c.at("grad_norm_and_sum"));
  for (const auto& [name, parameter] : net.named_parameters()) {
    const Json& pair = expected.at(name.c_str());
    const double norm = Fields::number_of(pair.at(0)), sum = Fields::number_of(pair.at(1));
    const Tensor g = parameter.grad().to(float64);
    const double root = std::sqrt(static_cast<double>(g.numel()));
    c.expect_number("norm of the gradient of " + name, std::sqrt((g * g).sum().item<double>()),
                    norm, {relative, 0});
    c.expect_number("sum of the gradient of " + name, g.sum().item<double>(), sum,
                    {0, of_sum * norm * root});
  }
  expected.done();
}

}  // namespace

void run_resnet18(Case& c) {
  c.ignore({"f32_vs_f64"});  // deviation between PyTorch's own results
  manual_seed(seed_of(c.at("seed")));
  vision::ResNet net = vision::resnet18();
  expect_state(c, state_entries(net));
  expect_next(c);

  Fields input(c.at("input"));
  manual_seed(seed_of(input.at("manual_seed")));
  const Tensor x = randn(input.shape("randn"));
  const std::string bytes = bytes_of(x);
  c.expect_text("hash of the input", sha256(bytes.data(), bytes.size()), input.text("sha256"));
  input.done();

  Fields tolerance(c.at("tolerance"));
  const auto expect = [&](const std::string& role, const Tensor& actual, const char* by) {
    c.expect_close(role, actual, c.tensor(role), {0, tolerance.number(by)});
  };
  c.tensor("logits_eval_f64");  // an informative tensor, which is not compared
  net.eval();
  {
    const NoGrad guard;
    expect("logits_eval", net(x), "logits_eval_abs");
  }
  net.train();
  const Tensor logits = net(x);
  expect("logits_train", logits, "logits_train_abs");
  const auto classes = c.at("target").get<std::vector<std::int64_t>>();
  const Tensor loss = nn::functional::cross_entropy(logits, tensor(classes));
  c.expect_number("loss_train", loss.item<double>(), Fields::number_of(c.at("loss_train")),
                  {0, tolerance.number("loss_abs")});
  loss.backward();
  const auto state = net.state_dict();
  for (const std::string key : {"bn1.running_mean", "layer4.1.bn2.running_var"})
    expect(key + "_after", state[key].as_tensor(), "running_abs");
  for (const auto& [name, parameter] : net.named_parameters())
    if (name == "conv1.weight" || name == "fc.bias")
      expect(name + ".grad", parameter.grad(), (name + ".grad_abs").c_str());
  expect_gradients(c, net, tolerance);
  tolerance.done();
}

}  // namespace taper::oracle
