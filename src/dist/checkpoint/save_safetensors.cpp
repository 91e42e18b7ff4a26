#include <algorithm>
#include <filesystem>

#include "core/check.h"
#include "dist/checkpoint/checkpoint_ranks.h"
#include "dist/sharding.h"
#include "io/safetensors/shard_index.h"
#include "io/text.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/dict.h"
#include "taper/dist/checkpoint.h"
#include "taper/io/save.h"

namespace taper::distributed::checkpoint {
namespace {

constexpr const char* kSafetensors = "checkpoint.save_safetensors";

/// A tensor of the state dict and the size of the whole tensor.
struct OwnedTensor {
  std::string name;
  Tensor part;
  std::uint64_t bytes;
  std::size_t owner = 0;
};

std::vector<OwnedTensor> list_tensors(const Value& state_dict) {
  if (!state_dict.is_dict())
    fail<TypeError>("{}: expected a dict of tensors, got {}", kSafetensors, state_dict.type_name());
  std::vector<OwnedTensor> tensors;
  for (const auto& [name, value] : state_dict.as_dict()) {
    if (!name.is_string() || !value.is_tensor())
      fail<ValueError>("{}: '{}' is {}, expected a tensor", kSafetensors,
                       io::escape_for_message(name.str()), value.type_name());
    const auto sharding = find_sharding(value.as_tensor());
    const Shape shape = sharding ? sharding->shape() : value.as_tensor().shape();
    tensors.push_back(
        {name.as_string(), value.as_tensor(),
         static_cast<std::uint64_t>(shape.numel()) * size_of(value.as_tensor().dtype())});
  }
  return tensors;
}

/// Returns names and sizes, which must be equal on all ranks.
Value describe_tensors(const std::vector<OwnedTensor>& tensors) {
  Value descriptions = Value::list();
  for (const OwnedTensor& t : tensors) descriptions.append(Value::tuple({t.name, t.bytes}));
  return descriptions;
}

/// Assigns the tensors to ranks. Returns the number of ranks that own any.
std::size_t assign_owners(std::vector<OwnedTensor>& tensors, int ranks) {
  std::vector<std::size_t> order(tensors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tensors[a].bytes > tensors[b].bytes;
  });
  std::vector<std::uint64_t> loads(static_cast<std::size_t>(ranks));
  std::size_t owners = 0;
  for (const std::size_t i : order) {
    tensors[i].owner =
        static_cast<std::size_t>(std::min_element(loads.begin(), loads.end()) - loads.begin());
    loads[tensors[i].owner] += std::max<std::uint64_t>(tensors[i].bytes, 1);
    owners = std::max(owners, tensors[i].owner + 1);
  }
  return std::max<std::size_t>(owners, 1);
}

}  // namespace

void save_safetensors(const Value& state_dict, const std::string& path,
                      const CheckpointOptions& options) {
  const NoGrad no_grad;
  const CheckpointRanks ranks(kSafetensors, options.process_group);
  std::vector<OwnedTensor> tensors;
  const Values descriptions = ranks.run([&] {
    tensors = list_tensors(state_dict);
    return describe_tensors(tensors);
  });
  for (std::size_t rank = 1; rank < descriptions.size(); ++rank)
    if (!(descriptions[rank] == descriptions[0]))
      fail<ValueError>("{}: ranks 0 and {} have tensors of different names or sizes", kSafetensors,
                       rank);
  const std::size_t shards = assign_owners(tensors, ranks.size());
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const auto shard_of = [&](std::size_t owner) {
    return shards == 1 ? path : io::shard_path(path, owner + 1, shards);
  };
  const Value own = Value::dict();
  for (const OwnedTensor& t : tensors) {
    const auto sharding = find_sharding(t.part);
    const Tensor whole = sharding ? sharding->gather(t.part) : t.part;
    if (t.owner == rank) own.as_dict().set(t.name, whole.contiguous());
  }
  ranks.run([&] {
    if (rank < shards)
      taper::save(own, shard_of(rank),
                  {.format = FileFormat::safetensors,
                   .metadata = std::map<std::string, std::string>{{"format", "pt"}}});
    return Value();
  });
  ranks.run([&] {
    if (rank > 0) return Value();
    io::WeightMap weight_map;
    std::uint64_t total = 0;
    for (const OwnedTensor& t : tensors) {
      weight_map[t.name] = std::filesystem::path(shard_of(t.owner)).filename().string();
      total += t.bytes;
    }
    io::commit_shard_index(path, weight_map, total);
    return Value();
  });
}

}  // namespace taper::distributed::checkpoint
