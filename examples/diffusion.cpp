// A diffusion model of digits (Ho, Jain and Abbeel, "Denoising Diffusion Probabilistic Models",
// 2020): a small U-Net that predicts the noise in an image, given the time and the digit.
// examples/python/diffusion.py prints the same output.
#include <cmath>
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

constexpr std::int64_t kTimes = 200, kEmbedding = 64, kWidth = 32;

// Two convolutions with a shortcut; the embedding of time and digit shifts the channels between.
struct ResidualBlock : nn::Module {
  nn::GroupNorm norm1;
  nn::Conv2d conv1;
  nn::Linear shift;
  nn::GroupNorm norm2;
  nn::Conv2d conv2, shortcut;
  TAPER_MODULE(ResidualBlock, norm1, conv1, shift, norm2, conv2, shortcut)
  ResidualBlock(std::int64_t in, std::int64_t out)
      : norm1(8, in),
        conv1(in, out, 3, {.padding = 1}),
        shift(kEmbedding, out),
        norm2(8, out),
        conv2(out, out, 3, {.padding = 1}),
        shortcut(in, out, 1) {}

  Tensor forward(const Tensor& x, const Tensor& embedding) const {
    Tensor h = conv1(F::silu(norm1(x)));
    h = h + shift(embedding)[{Slice{}, Slice{}, newaxis, newaxis}];
    return shortcut(x) + conv2(F::silu(norm2(h)));
  }
};

struct UNet : nn::Module {
  nn::Sequential time{nn::Linear(kEmbedding, kEmbedding), nn::SiLU(),
                      nn::Linear(kEmbedding, kEmbedding)};
  nn::Embedding digit{10, kEmbedding};
  nn::Conv2d input{1, kWidth, 3, {.padding = 1}};
  ResidualBlock down1{kWidth, kWidth}, down2{kWidth, 2 * kWidth}, middle{2 * kWidth, 2 * kWidth},
      up2{4 * kWidth, kWidth}, up1{2 * kWidth, kWidth};
  nn::GroupNorm norm{8, kWidth};
  nn::Conv2d output{kWidth, 1, 3, {.padding = 1}};
  TAPER_MODULE(UNet, time, digit, input, down1, down2, middle, up2, up1, norm, output)

  // Sines and cosines of the time, (N) to (N, kEmbedding).
  static Tensor encode(const Tensor& t) {
    const Tensor rate = exp(arange(kEmbedding / 2) * (-std::log(1e4) / (kEmbedding / 2)));
    const Tensor angle = t.unsqueeze(1) * rate;
    return cat({angle.sin(), angle.cos()}, 1);
  }

  Tensor forward(const Tensor& x, const Tensor& t, const Tensor& digits) const {
    const Tensor embedding = F::silu(time(encode(t)) + digit(digits));
    const Tensor h1 = down1(input(x), embedding);              // 16 x 16
    const Tensor h2 = down2(F::avg_pool2d(h1, 2), embedding);  // 8 x 8
    Tensor h = middle(F::avg_pool2d(h2, 2), embedding);        // 4 x 4
    h = up2(cat({F::interpolate(h, {.scale_factor = 2}), h2}, 1), embedding);
    h = up1(cat({F::interpolate(h, {.scale_factor = 2}), h1}, 1), embedding);
    return output(F::silu(norm(h)));
  }
};

// Variances of the noise that each time adds, and the shares of the image that remain.
struct Schedule {
  Tensor beta = linspace(1e-4, 0.05, kTimes), alpha = 1 - beta, alpha_bar = alpha.cumprod(0);

  // Image x at the times t, (N).
  Tensor add_noise(const Tensor& x, const Tensor& noise, const Tensor& t) const {
    const Tensor share = alpha_bar[t].view({-1, 1, 1, 1});
    return share.sqrt() * x + (1 - share).sqrt() * noise;
  }

  // Draws an image of each digit, from the last time to the first.
  Tensor draw(const UNet& net, const Tensor& digits) const {
    const NoGrad no_grad;
    Tensor x = randn({digits.size(0), 1, 16, 16});
    for (std::int64_t t = kTimes - 1; t >= 0; --t) {
      const Tensor noise = net(x, full({digits.size(0)}, t), digits);
      x = (x - beta[t] / (1 - alpha_bar[t]).sqrt() * noise) / alpha[t].sqrt();
      if (t > 0) x = x + beta[t].sqrt() * randn_like(x);
    }
    return x;
  }
};

int main(int argc, char** argv) {
  int steps = 1000, log_every = 100, show = 6;
  std::uint64_t seed = 1;
  std::string folder = "diffusion";
  CLI::App app{"Trains a diffusion model on digits."};
  app.add_option("--steps", steps)->capture_default_str();
  app.add_option("--log-every", log_every, "steps per line")->capture_default_str();
  app.add_option("--show", show, "printed digits")->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_option("--out", folder, "folder of the picture")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const Tensor images = digits::images() * 2 - 1, labels = digits::labels();
  manual_seed(seed);
  UNet net;
  const Schedule schedule;
  optim::Adam opt(net.parameters(), {.lr = 2e-3});
  optim::lr_scheduler::CosineAnnealingLR scheduler(opt, steps);
  optim::AveragedModel average(net, {.multi_avg_fn = optim::get_ema_multi_avg_fn(0.99)});

  double total = 0;
  for (int step = 1; step <= steps; ++step) {
    const Tensor index = randint(images.size(0), {64}), t = randint(kTimes, {64});
    const Tensor x = images[index], noise = randn_like(x);
    opt.zero_grad();
    const Tensor predicted = net(schedule.add_noise(x, noise, t), t, labels[index]);
    const Tensor loss = F::mse_loss(predicted, noise);
    loss.backward();
    opt.step();
    scheduler.step();
    average.update_parameters(net);
    total += loss.item<double>();
    if (step % log_every == 0) {
      std::printf("step %4d: loss %.5f\n", step, total / log_every);
      std::fflush(stdout);
      total = 0;
    }
  }

  if (show == 0) return 0;
  const Tensor drawn = schedule.draw(*average.module->as<UNet>(), arange(10).repeat_interleave(8));
  std::filesystem::create_directories(folder);
  data::save_image(drawn, folder + "/drawn.png",
                   {.normalize = true, .value_range = std::pair{-1.0, 1.0}});
  std::printf("\ndrawn digits:\n");
  digits::print((drawn[{Slice{.stop = 8 * show, .step = 8}}] + 1) / 2);
}
