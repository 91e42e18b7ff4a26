// The recipes of docs/recipes.md; examples/python/recipes.py prints the same output.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <taper/taper.h>

using namespace taper;
namespace parametrizations = nn::utils::parametrizations;
namespace parametrize = nn::utils::parametrize;
namespace prune = nn::utils::prune;

std::string fixed(const Tensor& number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", number.item<double>());
  return text;
}

Value keys_of(nn::Module& module, std::size_t max = 9) {
  Values keys;
  const Value state = module.state_dict();
  for (const auto& [key, value] : state.as_dict())
    if (keys.size() < max) keys.push_back(key);
  return Value::list(keys);
}

void feature_extraction() {
  nn::Sequential net{nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 3)};
  Tensor hidden;
  auto keep = [&](nn::Module&, const nn::Values&, nn::Value& result) {
    hidden = result.as_tensor().detach();
  };
  nn::RemovableHandle handle = net[1].register_forward_hook(keep);
  (void)net(ones({2, 4}));
  handle.remove();
  std::cout << Value(hidden.shape()) << '\n';
}

void freezing() {
  auto backbone = std::make_shared<nn::Linear>(4, 8), head = std::make_shared<nn::Linear>(8, 2);
  nn::Sequential net{backbone, nn::ReLU(), head};
  backbone->requires_grad_(false);
  std::vector<Tensor> trained;
  for (const Tensor& p : net.parameters())
    if (p.requires_grad()) trained.push_back(p);
  optim::SGD opt(trained, {.lr = 0.1});
  net(ones({1, 4})).sum().backward();
  opt.step();
  std::cout << Value(backbone->weight.grad()) << ' ' << Value(head->weight.grad().shape()) << '\n';
}

struct LanguageModel : nn::Module {
  nn::Linear first{5, 5, {.bias = false}}, last{5, 5, {.bias = false}};
  TAPER_MODULE(LanguageModel, first, last)
  LanguageModel() { last.weight = first.weight; }

  Tensor forward(const Tensor& x) const { return last(tanh(first(x))); }
};

void weight_tying() {
  LanguageModel net;
  std::cout << net.parameters().size() << " parameter under " << keys_of(net) << '\n';
  net(ones({1, 5})).sum().backward();
  std::cout << Value(net.last.weight.is_same(net.first.weight)) << ' '
            << Value(net.first.weight.grad().is_same(net.last.weight.grad())) << '\n';
}

struct Scale : nn::Module {
  std::int64_t features;
  nn::Parameter factor;
  TAPER_MODULE(Scale, factor)
  explicit Scale(std::int64_t n, double start = 1.0) : features(n), factor(full({n}, start)) {}

  Tensor forward(const Tensor& x) const { return x * factor; }
  std::string extra_repr() const override { return std::to_string(features); }
};

void custom_layer() {
  nn::Sequential net{nn::Linear(2, 3), Scale(3, 0.5)};
  std::cout << net << '\n' << Value(net(zeros({1, 2})).shape()) << '\n';
}

struct RunningMean : nn::Module {
  nn::Buffer mean, steps{zeros({}, {.dtype = int64}), /*persistent=*/false};
  TAPER_MODULE(RunningMean, mean, steps)
  explicit RunningMean(std::int64_t features) : mean(zeros({features})) {}

  Tensor forward(const Tensor& x) {
    if (training) {
      mean = 0.9 * mean + 0.1 * x.detach().mean(0);
      steps += 1;
    }
    return x - mean;
  }
};

void custom_buffer() {
  RunningMean m(2);
  (void)m(ones({4, 2}));
  std::cout << m.state_dict() << ' ' << m.steps << '\n';
}

void partial_loading() {
  nn::Sequential trained{nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 10)};
  const Value checkpoint = trained.state_dict({.prefix = "module."});
  nn::Sequential net{nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 3)};  // another head
  nn::LoadReport report;
  net.load_state_dict(
      checkpoint,
      {.ignore_mismatched_shapes = true, .strip_prefixes = {"module."}, .report = &report});
  std::cout << "left: " << Value::list({report.untouched.begin(), report.untouched.end()}) << ' '
            << Value(equal(net[0].get_parameter("weight"), trained[0].get_parameter("weight")))
            << '\n';
}

void pruning() {
  nn::Linear layer(4, 3);
  prune::l1_unstructured(layer, "weight", 0.5);
  std::cout << keys_of(layer) << ' ' << layer.get_buffer("weight_mask").sum().item<int>() << '\n';
  prune::ln_structured(layer, "weight", 1, 2, 0);  // in addition
  prune::remove(layer, "weight");                  // permanent
  std::cout << keys_of(layer) << ' ' << (layer.weight == 0).sum().item<int>() << '\n';
}

void weight_norm() {
  nn::Linear layer(4, 3);
  parametrizations::weight_norm(layer);
  std::cout << keys_of(layer) << '\n';
  {
    const NoGrad no_grad;
    layer.get_parameter("parametrizations.weight.original0").fill_(2.0);
  }
  std::cout << parametrize::value(layer, "weight").norm(2, 1).detach() << '\n';
  parametrize::remove_parametrizations(layer, "weight");
  std::cout << keys_of(layer) << '\n';
}

void moving_average() {
  nn::Sequential net{nn::Linear(4, 4), nn::BatchNorm1d(4)};
  const std::vector<Tensor> batches{randn({3, 4}), randn({3, 4})};
  optim::SGD opt(net.parameters(), {.lr = 0.1});
  optim::AveragedModel ema(net, {.multi_avg_fn = optim::get_ema_multi_avg_fn(0.9)});
  for (const Tensor& x : batches) {
    opt.zero_grad();
    net(x).square().sum().backward();
    opt.step();
    ema.update_parameters(net);
  }
  optim::update_bn(batches, ema);  // statistics of the averaged weights
  std::cout << keys_of(ema, 2) << ' ' << fixed(ema.eval()(batches[0]).norm()) << '\n';
}

void gradient_logging() {
  nn::Sequential net{nn::Linear(4, 8), nn::Tanh(), nn::Linear(8, 1)};
  Values norms;
  auto log = [&](nn::Module&, const nn::Values&, const nn::Values& grad_output) {
    norms.push_back(fixed(grad_output[0].as_tensor().norm()));
  };
  for (nn::Module& layer : net) layer.register_full_backward_hook(log);
  net(ones({3, 4})).sum().backward();
  std::cout << Value::list(norms) << ' ' << fixed(nn::utils::clip_grad_norm_(net.parameters(), 1.0))
            << '\n';
}

void gradient_accumulation() {
  nn::Linear net(4, 2);
  optim::AdamW opt(net.parameters(), {.lr = 0.1});
  const Tensor inputs = randn({8, 4}), targets = randn({8, 2});
  const auto xs = inputs.split(2), wanted = targets.split(2);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    Tensor loss = F::mse_loss(net(xs[i]), wanted[i]) / 4;  // the mean over four batches
    loss.backward();
    if ((i + 1) % 4 == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
  std::cout << fixed(net.weight.norm()) << '\n';
}

struct Classifier : nn::Module {
  nn::Sequential backbone{nn::Linear(4, 8), nn::BatchNorm1d(8)};
  nn::Linear head{8, 2};
  TAPER_MODULE(Classifier, backbone, head)

  Tensor forward(const Tensor& x) const { return head(relu(backbone(x))); }
};

void layer_rates() {
  Classifier net;
  struct Rule {
    bool (*applies)(std::string_view name);
    Value options;
  };
  const std::vector<Rule> rules{
      // the first match applies
      {[](auto name) { return name.ends_with("bias") || name.starts_with("backbone.1."); },
       Value::dict({{"lr", 1e-3}, {"weight_decay", 0.0}})},
      {[](auto name) { return name.starts_with("backbone."); }, Value::dict({{"lr", 1e-4}})},
      {[](auto) { return true; }, Value::dict({{"lr", 1e-3}})},
  };
  std::vector<std::vector<nn::NamedTensor>> named(rules.size());
  for (const auto& p : net.named_parameters()) {
    std::size_t i = 0;
    while (!rules[i].applies(p.name)) ++i;
    named[i].push_back(p);
  }
  std::vector<optim::ParamGroup> groups;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    groups.emplace_back(named[i]);
    for (const auto& [name, value] : rules[i].options.as_dict())
      groups[i][name.as_string()] = value;
  }
  optim::AdamW opt(std::move(groups));
  for (const optim::ParamGroup& group : opt.param_groups())
    std::cout << group["lr"] << ' ' << group["weight_decay"] << ' '
              << Value::list({group.param_names().begin(), group.param_names().end()}) << '\n';
}

int main() {
  manual_seed(0);
  feature_extraction();
  freezing();
  weight_tying();
  custom_layer();
  custom_buffer();
  partial_loading();
  pruning();
  weight_norm();
  moving_average();
  gradient_logging();
  gradient_accumulation();
  layer_rates();
}
