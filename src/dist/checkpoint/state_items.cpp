#include "dist/checkpoint/state_items.h"

#include <set>

#include "core/check.h"
#include "dist/sharding.h"
#include "io/text.h"
#include "taper/core/dict.h"

namespace taper::distributed {
namespace {

constexpr std::size_t kMaxDepth = 100;

/// Returns true if a list is one entry: neither it nor a list in it contains a tensor or dict.
bool is_plain_list(const Value& list, std::size_t depth) {
  if (depth > kMaxDepth) return false;  // reported when the list is entered
  for (const Value& item : list.as_list()) {
    if (item.is_tensor() || item.is_dict()) return false;
    if (item.is_list() && !is_plain_list(item, depth + 1)) return false;
  }
  return true;
}

class StateFlattener {
 public:
  explicit StateFlattener(const char* op) : op_(op) {}

  void add_dict(const Value& dict) {
    for (const auto& [key, value] : dict.as_dict()) add(dict, key, key.str(), value);
  }
  std::vector<StateItem> take() { return std::move(items_); }

 private:
  void add(const Value& container, const Value& key, const Value& part, const Value& value) {
    path_.push_back(part);
    if (path_.size() > kMaxDepth) fail<ValueError>("{}: the state dict is nested too deeply", op_);
    if (value.is_dict()) {
      add_dict(value);
    } else if (value.is_list() && !is_plain_list(value, path_.size())) {
      const Values items = value.as_list();
      for (std::size_t i = 0; i < items.size(); ++i) add(value, i, i, items[i]);
    } else {
      StateItem item{.path = path_, .container = container, .key = key, .value = value};
      for (const Value& p : path_) item.name += (item.name.empty() ? "" : ".") + p.str();
      if (!names_.insert(item.name).second)
        fail<ValueError>("{}: two entries of the state dict are named '{}'", op_,
                         io::escape_for_message(item.name));
      items_.push_back(std::move(item));
    }
    path_.pop_back();
  }

  const char* op_;
  Values path_;
  std::set<std::string> names_;
  std::vector<StateItem> items_;
};

}  // namespace

void StateItem::replace(const Value& by) const {
  if (container.is_dict())
    container.as_dict().set(key, by);
  else
    container.as_list()[static_cast<std::size_t>(key.as_int())] = by;
}

std::vector<StateItem> flatten_state_dict(const Value& state_dict, const char* op) {
  if (!state_dict.is_dict())
    fail<TypeError>("{}: expected a dict, got {}", op, state_dict.type_name());
  StateFlattener flattener(op);
  flattener.add_dict(state_dict);
  return flattener.take();
}

TensorPart part_of(const Tensor& tensor) {
  TensorPart part{tensor.shape(), Shape::filled(tensor.shape().size(), 0), tensor.shape()};
  const auto sharding = find_sharding(tensor);
  if (!sharding) return part;
  const auto dim = static_cast<std::size_t>(sharding->dim());
  part.size = sharding->shape();
  part.offsets[dim] = sharding->piece().begin;
  return part;
}

}  // namespace taper::distributed
