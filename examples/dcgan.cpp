// DCGAN on digits (Radford, Metz and Chintala, "Unsupervised Representation Learning with Deep
// Convolutional Generative Adversarial Networks", 2015). Writes pictures of drawn digits.
// examples/python/dcgan.py prints the same output.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include <taper/data/image_grid.h>
#include <taper/taper.h>

#include <CLI/CLI.hpp>

#include "digits.h"

using namespace taper;

constexpr std::int64_t kNoise = 32, kWidth = 32;

nn::Sequential make_generator() {
  return {
      nn::ConvTranspose2d(kNoise, 4 * kWidth, 4, {.bias = false}),
      nn::BatchNorm2d(4 * kWidth),
      nn::ReLU(),  // 4 x 4
      nn::ConvTranspose2d(4 * kWidth, 2 * kWidth, 4, {.stride = 2, .padding = 1, .bias = false}),
      nn::BatchNorm2d(2 * kWidth),
      nn::ReLU(),  // 8 x 8
      nn::ConvTranspose2d(2 * kWidth, 1, 4, {.stride = 2, .padding = 1, .bias = false}),
      nn::Tanh(),  // 16 x 16
  };
}

nn::Sequential make_discriminator() {
  return {
      nn::Conv2d(1, kWidth, 4, {.stride = 2, .padding = 1, .bias = false}),
      nn::LeakyReLU(0.2),
      nn::Conv2d(kWidth, 2 * kWidth, 4, {.stride = 2, .padding = 1, .bias = false}),
      nn::BatchNorm2d(2 * kWidth),
      nn::LeakyReLU(0.2),
      nn::Conv2d(2 * kWidth, 1, 4, {.bias = false}),
      nn::Flatten(0),  // logits
  };
}

// The initial weights of the paper.
void initialize(nn::Module& module) {
  if (const auto norm = module.as<nn::BatchNorm2d>()) {
    nn::init::normal_(*norm->weight, 1, 0.02);
    nn::init::zeros_(*norm->bias);
  } else if (module.has_attr("weight")) {
    nn::init::normal_(module.get_parameter("weight"), 0, 0.02);
  }
}

Tensor loss_of(const Tensor& logits, double label) {
  return F::binary_cross_entropy_with_logits(logits, full_like(logits, label));
}

double mean_probability(const Tensor& logits) {
  return sigmoid(logits.detach()).mean().item<double>();
}

int main(int argc, char** argv) {
  int epochs = 60, count = 1797, log_every = 5, show = 6;
  std::uint64_t seed = 1;
  std::string folder = "dcgan";
  CLI::App app{"Trains a DCGAN on digits."};
  app.add_option("--epochs", epochs)->capture_default_str();
  app.add_option("--images", count, "images of the data set to use")->capture_default_str();
  app.add_option("--log-every", log_every, "epochs per line")->capture_default_str();
  app.add_option("--show", show, "printed digits")->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_option("--out", folder, "folder of the pictures")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const Tensor images = digits::images()[Slice{.stop = count}] * 2 - 1;  // from -1 to 1, as tanh
  manual_seed(seed);
  nn::Sequential generator = make_generator(), discriminator = make_discriminator();
  generator.apply(initialize);
  discriminator.apply(initialize);
  optim::Adam generator_opt(generator.parameters(), {.lr = 5e-4, .betas = {0.5, 0.999}});
  optim::Adam discriminator_opt(discriminator.parameters(), {.lr = 2e-4, .betas = {0.5, 0.999}});
  const Tensor fixed_noise = randn({64, kNoise, 1, 1});
  data::DataLoader loader(data::TensorDataset{images},
                          {.batch_size = 64, .shuffle = true, .drop_last = true});
  std::filesystem::create_directories(folder);

  for (int epoch = 1; epoch <= epochs; ++epoch) {
    double loss_d = 0, loss_g = 0, real_score = 0, fake_score = 0;
    for (auto& [real] : loader) {
      discriminator_opt.zero_grad();
      const Tensor fake = generator(randn({real.size(0), kNoise, 1, 1}));
      const Tensor on_real = discriminator(real), on_fake = discriminator(fake.detach());
      const Tensor discriminator_loss = loss_of(on_real, 1) + loss_of(on_fake, 0);
      discriminator_loss.backward();
      discriminator_opt.step();

      generator_opt.zero_grad();
      const Tensor generator_loss = loss_of(discriminator(fake), 1);
      generator_loss.backward();
      generator_opt.step();

      loss_d += discriminator_loss.item<double>();
      loss_g += generator_loss.item<double>();
      real_score += mean_probability(on_real);
      fake_score += mean_probability(on_fake);
    }
    if (epoch % log_every != 0) continue;
    const auto n = static_cast<double>(loader.size());
    std::printf("epoch %3d: loss D %.4f, G %.4f; D(x) %.4f, D(G(z)) %.4f\n", epoch, loss_d / n,
                loss_g / n, real_score / n, fake_score / n);
    std::fflush(stdout);
    const NoGrad no_grad;
    data::save_image(generator(fixed_noise), folder + "/" + std::to_string(epoch) + ".png",
                     {.normalize = true, .value_range = std::pair{-1.0, 1.0}});
  }

  if (show == 0) return 0;
  const NoGrad no_grad;
  std::printf("\ndrawn digits:\n");
  digits::print((generator(fixed_noise)[Slice{.stop = show}] + 1) / 2);
}
