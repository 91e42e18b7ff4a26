// A variational autoencoder of digits (Kingma and Welling, "Auto-Encoding Variational Bayes",
// 2013). Prints reconstructions and new digits, and writes pictures of them.
// examples/python/vae.py prints the same output.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include <taper/data/image_grid.h>
#include <taper/taper.h>

#include <CLI/CLI.hpp>

#include "digits.h"

using namespace taper;

constexpr std::int64_t kPixels = 16 * 16, kLatent = 8;

// Braces construct the layers of a Sequential in their order, on which the initial weights for a
// seed depend. C++ does not specify the order of arguments in parentheses.
struct VAE : nn::Module {
  nn::Sequential encoder{nn::Flatten(), nn::Linear(kPixels, 256), nn::ReLU()};
  nn::Linear mean{256, kLatent}, log_variance{256, kLatent};
  nn::Sequential decoder{nn::Linear(kLatent, 256), nn::ReLU(), nn::Linear(256, kPixels),
                         nn::Unflatten(1, {1, 16, 16})};
  TAPER_MODULE(VAE, encoder, mean, log_variance, decoder)

  struct Output {
    Tensor logits, mean, log_variance;
  };
  Output forward(const Tensor& x) const {
    const Tensor hidden = encoder(x);
    const Tensor mu = mean(hidden), log_var = log_variance(hidden);
    // The reparametrization trick: z is a differentiable function of mu and log_var.
    const Tensor z = mu + exp(0.5 * log_var) * randn_like(mu);
    return {decoder(z), mu, log_var};
  }
};

// The negative evidence lower bound, summed over the images.
Tensor loss_of(const VAE::Output& output, const Tensor& x) {
  const auto& [logits, mean, log_variance] = output;
  const Tensor reconstruction =
      F::binary_cross_entropy_with_logits(logits, x, {.reduction = "sum"});
  const Tensor divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum();
  return reconstruction + divergence;
}

int main(int argc, char** argv) {
  int epochs = 300, log_every = 20;
  std::uint64_t seed = 1;
  std::string folder = "vae";
  CLI::App app{"Trains a variational autoencoder on digits."};
  app.add_option("--epochs", epochs)->capture_default_str();
  app.add_option("--log-every", log_every, "epochs per line")->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_option("--out", folder, "folder of the pictures")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const Tensor images = digits::images();
  const Tensor train = images[Slice{.stop = 1437}], test = images[Slice{.start = 1437}];
  manual_seed(seed);
  VAE net;
  optim::Adam opt(net.parameters(), {.lr = 1e-3});
  data::DataLoader loader(data::TensorDataset{train}, {.batch_size = 64, .shuffle = true});
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    net.train();
    double total = 0;
    for (auto& [x] : loader) {
      opt.zero_grad();
      const Tensor loss = loss_of(net(x), x);
      loss.backward();
      opt.step();
      total += loss.item<double>();
    }
    if (epoch % log_every != 0) continue;
    net.eval();
    const NoGrad no_grad;
    const double test_loss = loss_of(net(test), test).item<double>();
    std::printf("epoch %3d: loss %.3f, of test images %.3f\n", epoch,
                total / static_cast<double>(train.size(0)),
                test_loss / static_cast<double>(test.size(0)));
  }

  const NoGrad no_grad;
  const Tensor shown = test[Slice{.stop = 6}];
  std::printf("\ntest images, and their reconstructions:\n");
  digits::print(shown);
  digits::print(sigmoid(net(shown).logits));
  const Tensor drawn = sigmoid(net.decoder(randn({64, kLatent})));
  std::printf("\ndrawn digits:\n");
  digits::print(drawn[Slice{.stop = 6}]);

  std::filesystem::create_directories(folder);
  const Tensor first = test[Slice{.stop = 32}];
  data::save_image(cat({first, sigmoid(net(first).logits)}), folder + "/reconstructions.png");
  data::save_image(drawn, folder + "/drawn.png");
}
