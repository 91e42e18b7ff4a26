// Checkpoints that scripts/golden/rank_checkpoints.py reads with PyTorch.
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dist/ranks/scenarios.h"
#include "taper/dist/dist.h"
#include "taper/taper.h"
#include "taper/train/trainer.h"

namespace taper::test {

using namespace distributed;

void write_checkpoints() {
  init_process_group({.timeout = Timeout(60)});
  const std::string folder = std::getenv("TAPER_CHECKPOINTS");
  const int rank = get_rank();
  manual_seed(0);
  // A bias before the normalization would be updated by rounding errors.
  const auto whole_net = std::make_shared<nn::Sequential>(nn::Sequential{
      nn::Linear(6, 16, {.bias = false}), nn::BatchNorm1d(16), nn::Tanh(), nn::Linear(16, 3)});
  const Tensor x = randn({4, 8, 6}), y = randint(0, 3, {4, 8});
  if (rank == 0)
    save(Value::dict({{"model", whole_net->state_dict()}, {"x", x}, {"y", y}}),
         folder + "/start.pt");
  const auto converted = nn::SyncBatchNorm::convert_sync_batchnorm(whole_net);
  auto& net = static_cast<nn::Sequential&>(*converted);
  for (nn::Module* const layer : net.children())
    if (!layer->parameters().empty()) fully_shard(*layer);
  optim::AdamW opt(net.parameters(), {.lr = 0.02});
  std::vector<std::pair<Tensor, Tensor>> batches;
  const std::int64_t rows = x.size(1) / get_world_size();
  for (std::int64_t t = 0; t < x.size(0); ++t)
    batches.emplace_back(x[t].narrow(0, rank * rows, rows), y[t].narrow(0, rank * rows, rows));
  train::Trainer trainer(net, opt, {.checkpoint = {.folder = folder + "/run"}, .progress = false});
  trainer.fit(batches,
              [&](const auto& batch) { return F::cross_entropy(net(batch.first), batch.second); });

  const Value model = get_model_state_dict(net);
  checkpoint::save(Value::dict({{"model", model},
                                {"optim", get_optimizer_state_dict(net, opt)},
                                {"step", trainer.step()}}),
                   folder + "/dcp");
  checkpoint::save_safetensors(model, folder + "/model.safetensors");
  const Value whole = get_model_state_dict(net, {.full_state_dict = true, .cpu_offload = true});
  if (rank == 0) save(whole, folder + "/whole.pt");
  destroy_process_group();
}

}  // namespace taper::test
