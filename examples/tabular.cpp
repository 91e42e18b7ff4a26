// Networks for tables: classes of tumors and of wines, and the progression of a disease.
// examples/python/tabular.py prints the same output.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <taper/data/csv.h>
#include <taper/metrics/metrics.h>
#include <taper/taper.h>
#include <taper/train/trainer.h>

#include "taper_paths.h"

using namespace taper;

struct Split {
  data::TensorDataset<2> train;
  Tensor x, y;  // for testing
};

// Standardizes the columns by their training rows.
Split split(Tensor x, const Tensor& y) {
  const auto rows = data::random_split(data::TensorDataset(y), {0.8, 0.2});
  const Tensor train = tensor(rows[0].indices()), test = tensor(rows[1].indices());
  const Tensor some = x.index_select(0, train);
  x = (x - some.mean(0)) / some.std(0);
  return {data::TensorDataset(x.index_select(0, train), y.index_select(0, train)),
          x.index_select(0, test), y.index_select(0, test)};
}

template <class LossFn> nn::Sequential fit(const data::TensorDataset<2>& train,
                                           std::int64_t outputs, LossFn loss_fn, int epochs) {
  nn::Sequential net{nn::Linear(train.tensors()[0].size(1), 32), nn::ReLU(),
                     nn::Linear(32, outputs)};
  optim::AdamW opt(net.parameters(), {.lr = 0.01, .weight_decay = 0.1});
  data::DataLoader loader(train, {.batch_size = 32, .shuffle = true});
  train::Trainer trainer(net, opt, {.epochs = epochs, .progress = false});
  trainer.fit(loader, [&](const auto& batch) {
    const auto& [x, y] = batch;
    return loss_fn(net(x), y);
  });
  return net;
}

// Returns the columns of a table, except for the last one.
std::vector<std::string> features_of(const data::CsvTable& table) {
  std::vector<std::string> names = table.names();
  names.pop_back();
  return names;
}

int main() {
  const std::string folder = TAPER_DATA "/tabular/";
  for (const std::string name : {"breast_cancer", "wine"}) {
    manual_seed(0);
    const data::CsvTable table = data::read_csv(folder + name + ".csv");
    const auto [codes, classes] = table["class"].factorize();
    const Split rows = split(table.tensor(features_of(table), float32), codes);
    const auto count = static_cast<std::int64_t>(classes.size());
    const nn::Sequential net = fit(
        rows.train, count,
        [](const Tensor& scores, const Tensor& y) { return F::cross_entropy(scores, y); }, 20);
    metrics::MulticlassAccuracy accuracy(count, {.average = "micro"});
    accuracy.update(net(rows.x), rows.y);
    std::printf("%s: %d rows, %d classes, accuracy %.3f\n", name.c_str(),
                static_cast<int>(table.size()), static_cast<int>(count),
                accuracy.compute().item<double>());
  }

  manual_seed(0);
  const data::CsvTable table = data::read_csv(folder + "diabetes.csv");
  const Split rows = split(table.tensor(features_of(table), float32),
                           table.tensor({"progression"}, float32).squeeze(1));
  const Tensor mean = rows.train.tensors()[1].mean(), std = rows.train.tensors()[1].std();
  const nn::Sequential net = fit(
      rows.train, 1,
      [&](const Tensor& output, const Tensor& y) {
        return F::mse_loss(output.squeeze(1), (y - mean) / std);
      },
      30);
  const NoGrad no_grad;
  metrics::R2Score r2;
  r2.update(net(rows.x).squeeze(1) * std + mean, rows.y);
  std::printf("diabetes: %d rows, R2 %.2f\n", static_cast<int>(table.size()),
              r2.compute().item<double>());
}
