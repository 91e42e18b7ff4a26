// One step of an optimizer over many small parameters.
#include "../row.h"
#include "taper/taper.h"

namespace taper::bench {

std::vector<Row> optimizer_rows() {
  return {{.name = "SGD step, 100 parameters 16x16",
           .unit = "us",
           .measure =
               [] {
                 std::vector<Tensor> parameters;
                 for (int i = 0; i < 100; ++i) {
                   parameters.push_back(randn({16, 16}).set_requires_grad());
                   parameters.back().set_grad(randn({16, 16}));
                 }
                 optim::SGD sgd(parameters, {.lr = 1e-6, .momentum = 0.9});
                 return seconds_per_call([&] { sgd.step(); }) * 1e6;
               },
           .budget = 10,
           .peer = "sgd_small"}};
}

}  // namespace taper::bench
