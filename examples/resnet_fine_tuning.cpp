// Fine-tunes ResNet-18 on folders of images. The network learns the digits 0 to 4 from many
// images; its weights, without the last layer, are then trained further on a few images of the
// digits 5 to 9, and compared with a network that learns these from the beginning.
// examples/python/resnet_fine_tuning.py is the PyTorch version.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <taper/data/image.h>
#include <taper/data/image_folder.h>
#include <taper/data/transforms/transforms.h>
#include <taper/taper.h>

#include <CLI/CLI.hpp>

#include "digits.h"
#include "vision/resnet.h"

using namespace taper;
namespace v2 = data::transforms;

// Writes the images `first` to `last` as PNG files ROOT/DIGIT/NUMBER.png, at most `per_digit` of
// each digit from `low` to `low + 4`.
void write_folder(const std::string& root, std::int64_t first, std::int64_t last, std::int64_t low,
                  std::int64_t per_digit) {
  const Tensor images = F::interpolate(digits::images(), {.scale_factor = 2, .mode = "bilinear"});
  const Tensor pixels = (images * 255).round().to(uint8), labels = digits::labels();
  std::vector<std::int64_t> count(10);
  for (std::int64_t i = first; i < last; ++i) {
    const auto digit = labels[i].item<std::int64_t>();
    if (digit < low || digit > low + 4 || count[static_cast<std::size_t>(digit)]++ >= per_digit)
      continue;
    const std::string folder = root + "/" + std::to_string(digit);
    std::filesystem::create_directories(folder);
    char name[16];
    std::snprintf(name, sizeof name, "/%04d.png", static_cast<int>(i));
    data::write_png(pixels[i], folder + name);
  }
}

data::ImageFolder open_folder(const std::string& root, bool augment) {
  std::vector<v2::AnyTransform> steps;
  if (augment) steps.emplace_back(v2::RandomCrop({32}, {.padding = {3}}));
  steps.emplace_back(v2::ToDtype(float32, true));
  steps.emplace_back(v2::Normalize({0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}));
  return data::ImageFolder(root, {.transform = v2::Compose(steps)});
}

void train(const char* name, vision::ResNet& net, optim::Optimizer& opt, const std::string& root,
           int epochs) {
  data::DataLoader loader(open_folder(root, true), {.batch_size = 25, .shuffle = true});
  net.train();
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double total = 0;
    for (auto& [images, targets] : loader) {
      opt.zero_grad();
      const Tensor loss = F::cross_entropy(net(images), targets);
      loss.backward();
      opt.step();
      total += loss.item<double>();
    }
    std::printf("%s, epoch %2d: loss %.3f\n", name, epoch,
                total / static_cast<double>(loader.size()));
    std::fflush(stdout);
  }
}

// Returns the predicted classes of all images, and prints the share of correct ones.
Tensor test(const char* name, vision::ResNet& net, const data::ImageFolder& folder) {
  net.eval();
  const NoGrad no_grad;
  std::vector<Tensor> predicted;
  for (auto& [images, targets] : data::DataLoader(folder, {.batch_size = 100}))
    predicted.push_back(net(images).argmax(1));
  const Tensor all = cat(predicted);
  const Tensor correct = (all == tensor(folder.targets())).to(float32).mean();
  std::printf("%s: %.1f %% of %d test images\n", name, 100 * correct.item<double>(),
              static_cast<int>(folder.size()));
  return all;
}

int main(int argc, char** argv) {
  int base_images = 140, base_epochs = 4, images = 20, epochs = 12;
  std::uint64_t seed = 1;
  std::string root = "resnet_digits";
  CLI::App app{"Fine-tunes ResNet-18 on a folder of images."};
  app.add_option("--base-images", base_images, "images per digit 0 to 4")->capture_default_str();
  app.add_option("--base-epochs", base_epochs)->capture_default_str();
  app.add_option("--images", images, "images per digit 5 to 9")->capture_default_str();
  app.add_option("--epochs", epochs)->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_option("--out", root, "folder of the images and weights")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  std::filesystem::remove_all(root);
  write_folder(root + "/base", 0, 1437, 0, base_images);
  write_folder(root + "/train", 0, 1437, 5, images);
  write_folder(root + "/test", 1437, 1797, 5, 360);
  const data::ImageFolder test_set = open_folder(root + "/test", false);

  manual_seed(seed);
  vision::ResNet base = vision::resnet18({.num_classes = 5});
  optim::SGD base_opt(base.parameters(), {.lr = 0.02, .momentum = 0.9});
  train("digits 0 to 4", base, base_opt, root + "/base", base_epochs);
  save(base.state_dict(), root + "/resnet18.pt");

  vision::ResNet fresh = vision::resnet18({.num_classes = 5});
  optim::SGD fresh_opt(fresh.parameters(), {.lr = 0.02, .momentum = 0.9});
  train("from the beginning", fresh, fresh_opt, root + "/train", epochs);

  // Weights as from a file of torchvision, with another last layer that learns faster.
  vision::ResNet net = vision::resnet18({.num_classes = 5});
  net.load_state_dict(load(root + "/resnet18.pt"));
  net.fc = nn::Linear(512, 5);
  std::vector<Tensor> backbone, head;
  for (const auto& [name, p] : net.named_parameters())
    (name.starts_with("fc.") ? head : backbone).push_back(p);
  optim::SGD opt({optim::ParamGroup(backbone), optim::ParamGroup(head, {{"lr", 0.02}})},
                 {.lr = 0.005, .momentum = 0.9});
  train("fine-tuned", net, opt, root + "/train", epochs);

  (void)test("from the beginning", fresh, test_set);
  const Tensor predicted = test("fine-tuned", net, test_set);
  std::printf("\nthe first test image of each digit, read as");
  std::vector<Tensor> shown;
  std::int64_t last = -1;
  for (std::int64_t i = 0; i < test_set.size(); ++i) {
    const auto& [path, target] = test_set.samples()[static_cast<std::size_t>(i)];
    if (target == last) continue;
    last = target;
    std::printf(" %s", test_set.classes()[predicted[i].item<std::size_t>()].c_str());
    shown.push_back(data::read_image(path, data::ImageReadMode::gray).to(float32) / 255);
  }
  std::printf(":\n");
  digits::print(F::avg_pool2d(stack(shown), 2));
}
