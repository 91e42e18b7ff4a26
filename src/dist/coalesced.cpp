#include "dist/coalesced.h"

#include <map>

#include "core/check.h"
#include "dist/tensor_buffers.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/dist/collectives.h"
#include "taper/dist/objects.h"

namespace taper::distributed {

void broadcast_coalesced(const std::vector<Tensor>& tensors, int group_rank, const Group& group) {
  if (group->size() == 1) return;
  const NoGrad no_grad;
  std::map<DType, std::vector<Tensor>> by_dtype;
  for (const Tensor& t : tensors) by_dtype[t.dtype()].push_back(t);
  for (const auto& [dtype, list] : by_dtype) {
    const Tensor flat = concatenate("broadcast", list);
    broadcast(flat, get_global_rank(group, group_rank), {.group = group});
    if (group->rank() == group_rank) continue;
    std::int64_t offset = 0;
    for (const Tensor& t : list) {
      t.copy_(flat.narrow(0, offset, t.numel()).view(t.shape()));
      offset += t.numel();
    }
  }
}

namespace {

std::string describe_tensor(const std::string& name, const Tensor& t) {
  return format_message("'{}' {} {}", name, t.dtype(), t.shape());
}

std::uint64_t hash_of_texts(const std::vector<std::string>& texts) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, the same on every machine
  for (const std::string& text : texts)
    for (std::size_t i = 0; i <= text.size(); ++i)
      hash = (hash ^ static_cast<unsigned char>(text.c_str()[i])) * 0x100000001b3u;
  return hash;
}

}  // namespace

void check_equal_on_ranks(const char* what, const std::vector<std::string>& names,
                          const std::vector<Tensor>& tensors, const Group& group) {
  if (group->size() == 1) return;
  std::vector<std::string> mine;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    mine.push_back(describe_tensor(names[i], tensors[i]));
  const Tensor hashes = empty(group->size(), {.dtype = DType::i64});
  all_gather_into_tensor(hashes, full({1}, static_cast<std::int64_t>(hash_of_texts(mine))),
                         {.group = group});
  if (hashes.eq(hashes[0]).all().item<bool>()) return;
  const Values all = all_gather_object(Value::list(Values(mine.begin(), mine.end())), group);
  for (std::size_t r = 1; r < all.size(); ++r) {
    const Values &first = all[0].as_list(), &other = all[r].as_list();
    for (std::size_t i = 0; i < std::max(first.size(), other.size()); ++i) {
      const auto text = [&](const Values& list) {
        return i < list.size() ? list[i].as_string() : std::string("none");
      };
      if (text(first) == text(other)) continue;
      throw DistributedError(
          format_message("{} differ between ranks: number {} is {} on rank {} and {} on rank {}",
                         what, i, text(first), group->ranks()[0], text(other), group->ranks()[r]));
    }
  }
}

}  // namespace taper::distributed
