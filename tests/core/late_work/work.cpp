#include "work.h"

#include <stdexcept>

#include <taper/data/image.h>
#include <taper/dist/dist.h>
#include <taper/distributions/distributions.h>
#include <taper/metrics/metrics.h>
#include <taper/profiler/profiler.h>
#include <taper/taper.h>
#include <taper/train/event_file_reader.h>
#include <taper/train/summary_writer.h>

namespace late_work {
namespace {

using namespace taper;

void check(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

Tensor matrix() { return arange(16).to(float32).reshape({4, 4}); }

void backward(const std::string&) {
  const Tensor x = matrix().requires_grad_();
  x.mm(x).sum().backward();
  check(x.grad()[0][0].item<float>() == 6 + 24, "gradient of a product");
}

void convolve(std::int64_t groups) {
  const Tensor x = ones({2, 8, 9, 9}).requires_grad_();
  const Tensor w = ones({8, 8 / groups, 3, 3}).requires_grad_();
  const Tensor y = nn::functional::conv2d(x, w, std::nullopt, {.groups = groups});
  y.sum().backward();
  check(y[0][0][0][0].item<float>() == static_cast<float>(9 * 8 / groups), "convolution");
  check(w.grad()[0][0][0][0].item<float>() == 2 * 49, "gradient of the weight");
  check(x.grad()[1][0][4][4].item<float>() == static_cast<float>(9 * 8 / groups),
        "gradient of the input");
}
void convolution(const std::string&) { convolve(1); }
void grouped_convolution(const std::string&) {
  convolve(4);
  convolve(8);
}

void forward_hook(const std::string&) {
  int calls = 0;
  nn::Linear layer(4, 4);
  layer.register_forward_hook([&](nn::Module&, const nn::Values&, nn::Value&) { ++calls; });
  static_cast<void>(layer(matrix()));
  nn::Sequential net{nn::Linear(4, 4), nn::ReLU()};
  RemovableHandle handle = nn::register_module_forward_hook(
      [&](nn::Module&, const nn::Values&, nn::Value&) { ++calls; });
  static_cast<void>(net(matrix()));
  handle.remove();
  check(calls == 4, "number of calls of hooks");
}

void parametrization(const std::string&) {
  nn::Linear layer(4, 4);
  nn::utils::parametrizations::weight_norm(layer);
  const auto cached = nn::utils::parametrize::cached();
  check(layer(matrix()).shape() == Shape{4, 4}, "shape");
}

void random_numbers(const std::string&) {
  static_cast<void>(randn({8}).add_(randperm(8)));
  const ForkRng fork;
  manual_seed(0);
  check(initial_seed() == 0, "seed");
}

void selection(const std::string&) {
  const Tensor x = arange(4096).to(float32);
  check(std::get<0>(x.topk(40))[39].item<float>() == 4096 - 40, "topk");
  check(std::get<0>(x.sort(0, true))[1].item<float>() == 4094, "sort");
  check(x.median().item<float>() == 2047, "median");
}

void files(const std::string& folder) {
  const Value tensors = Value::dict({{"a", matrix()}});
  const Value value =
      Value::dict({{"a", matrix()}, {"n", 3}, {"list", Value::list({1.5, "text"})}});
  save(value, folder + "/value.pt");
  save(tensors, folder + "/value.safetensors", {.format = FileFormat::safetensors});
  for (const char* const name : {"/value.pt", "/value.safetensors"})
    check(equal(load(folder + name)["a"].as_tensor(), matrix()), name);
  SaveHandle handle = save_async(value, folder + "/async.pt");
  handle.wait();
  check(load(folder + "/async.pt", {.strict = true})["n"].as_int() == 3, "strict load");
}

void modules_in_files(const std::string& folder) {
  nn::Sequential net{nn::Linear(4, 3), nn::BatchNorm1d(3)};
  save(net.state_dict(), folder + "/net.pt");
  net.load_state_dict(load(folder + "/net.pt"));
  const std::shared_ptr<nn::Module> made = nn::make("Linear", {4, 2});
  check(made->str() == "Linear(in_features=4, out_features=2, bias=True)", "printed module");
  check(nn::describe(*made).name == "Linear", "description");
}

void optimizer(const std::string&) {
  nn::Linear layer(4, 1);
  optim::AdamW adam(layer.parameters());
  optim::SGD sgd(layer.parameters(), {.lr = 0.1, .momentum = 0.9});
  optim::lr_scheduler::StepLR schedule(sgd, 1);
  layer(matrix()).sum().backward();
  adam.step();
  sgd.step();
  schedule.step();
  adam.load_state_dict(adam.state_dict());
}

void data_loader(const std::string&) {
  const data::TensorDataset set(arange(40).to(float32), arange(40));
  double sum = 0;
  for (auto& [x, y] : data::DataLoader(set, {.batch_size = 8, .shuffle = true, .num_workers = 2}))
    sum += (x + y).sum().item<double>();
  check(sum == 2 * 780, "sum of the examples");
}

void ranks(const std::string&) {
  distributed::spawn_threads(2, [](int rank) {
    distributed::init_process_group();
    const Tensor x = full({3}, rank + 1.0);
    distributed::all_reduce(x);
    check(x[0].item<float>() == 3, "all_reduce");
    distributed::destroy_process_group();
  });
  distributed::init_process_group();
  const Tensor x = ones({3});
  distributed::all_reduce(x);
  distributed::destroy_process_group();
}

void profile(const std::string&) {
  profiler::Profile profile({.record_shapes = true});
  nn::Linear layer(4, 4);
  layer(matrix()).sum().backward();
  profile.stop();
  check(!profile.key_averages().table().empty(), "table of a profile");
}

void printing(const std::string&) {
  check(matrix()[0].str() == "tensor([0., 1., 2., 3.])", "printed tensor");
  const Value dict = Value::dict({{"a", Value::tuple({1, "b"})}});
  check(dict.repr() == "{'a': (1, 'b')}", "printed value");
  check(Device("cuda:1").str() == "cuda:1" && Device("other").str() == "other:0", "device");
}

void errors(const std::string&) {
  std::string last;
  auto before = set_warning_handler([&last](const std::string& text) { last = text; });
  warn("a warning");
  set_warning_handler(before);
  check(last == "a warning", "warning");
  try {
    static_cast<void>(ones({2}).add(ones({3})));
  } catch (const ShapeError&) { return; }
  check(false, "error");
}

void autocast(const std::string&) {
  nn::Linear layer(4, 4);
  const amp::Autocast guard({.dtype = bfloat16});
  const Tensor y = layer(layer(matrix()));
  check(y.dtype() == bfloat16, "dtype");
}

void distribution(const std::string&) {
  namespace D = distributions;
  const D::Normal p(zeros({2}), ones({2})), q(ones({2}), ones({2}));
  check(D::kl_divergence(p, q)[0].item<float>() == 0.5f, "divergence");
  check(D::biject_to(D::constraints::positive)(zeros({1})).item<float>() == 1, "bijection");
  check(D::constraints::simplex.check(full({2}, 0.5)).item<bool>(), "constraint");
  check(D::identity_transform(ones({1})).item<float>() == 1, "identity");
}

void recurrent(const std::string&) {
  nn::LSTM lstm(4, 3, {.num_layers = 2});
  const auto packed = nn::utils::rnn::pack_padded_sequence(ones({5, 2, 4}), {5, 3});
  const auto [output, state] = lstm(packed);
  output.data.sum().backward();
}

struct Square : autograd::Function<Square> {
  static Tensor forward(autograd::Context& context, const Tensor& x) {
    context.save_for_backward({x});
    return x * x;
  }
  static std::vector<Tensor> backward(autograd::Context& context, const std::vector<Tensor>& g) {
    return {g[0] * 2 * context.saved_tensors()[0]};
  }
};
void custom_function(const std::string&) {
  const Tensor x = tensor({3.0}).requires_grad_();
  (Square::apply(x) + x.sin()).sum().backward();
  const DetectAnomaly anomaly;
  nn::Linear layer(4, 4);
  nn::utils::checkpoint([&](const Tensor& t) { return layer(t).relu(); }, matrix())
      .sum()
      .backward();
}

void large_product(const std::string&) {
  const Tensor x = ones({300, 300});
  check(x.mm(x)[299][299].item<float>() == 300, "product on several threads");
  check(x.softmax(1).sum().item<float>() > 299, "softmax");
}

void decomposition(const std::string&) {
  const Tensor x = matrix() + eye(4) * 20;
  check((linalg::inv(x).mm(x) - eye(4)).abs().max().item<float>() < 1e-4f, "inverse");
  static_cast<void>(linalg::svd(randn({40, 40})));
}

void images(const std::string& folder) {
  const Tensor image = (arange(48).to(uint8)).reshape({3, 4, 4});
  data::write_png(image, folder + "/image.png");
  check(equal(data::read_image(folder + "/image.png"), image), "image");
}

void events(const std::string& folder) {
  {
    train::SummaryWriter writer(folder + "/events");
    writer.add_scalar("loss", 0.5, 1);
    writer.add_histogram("weights", matrix(), 1);
  }
  check(train::read_scalars(folder + "/events").at("loss").back().value == 0.5, "event");
}

void metric(const std::string&) {
  metrics::MulticlassAccuracy accuracy(4, {.average = "micro"});
  accuracy.update(matrix(), tensor({3, 3, 3, 0}));
  check(accuracy.compute().item<float>() == 0.75f, "accuracy");
}

}  // namespace

const std::vector<Work>& all_work() {
  static const auto* const all = new std::vector<Work>{
      {"backward", backward},
      {"convolution", convolution},
      {"grouped_convolution", grouped_convolution},
      {"forward_hook", forward_hook},
      {"parametrization", parametrization},
      {"random_numbers", random_numbers},
      {"selection", selection},
      {"files", files},
      {"modules_in_files", modules_in_files},
      {"optimizer", optimizer},
      {"data_loader", data_loader},
      {"ranks", ranks},
      {"profile", profile},
      {"printing", printing},
      {"errors", errors},
      {"autocast", autocast},
      {"distribution", distribution},
      {"recurrent", recurrent},
      {"custom_function", custom_function},
      {"large_product", large_product},
      {"decomposition", decomposition},
      {"images", images},
      {"events", events},
      {"metric", metric},
  };
  return *all;
}

}  // namespace late_work
