#include "dist/checkpoint/checkpoint_ranks.h"

#include <exception>

#include "core/check.h"
#include "dist/rank_context.h"
#include "taper/dist/init.h"
#include "taper/dist/objects.h"

namespace taper::distributed {

CheckpointRanks::CheckpointRanks(const char* op, const Group& group) : op_(op) {
  if (group || is_initialized()) group_ = resolve_group(group);
}

Values CheckpointRanks::run(const SharedFunction<Value()>& f) const {
  if (size() == 1) return {f()};
  Value result, error_text;
  std::exception_ptr error;
  try {
    result = f();
  } catch (const std::exception& e) {
    error = std::current_exception();
    error_text = e.what();
  }
  const Values all = all_gather_object(Value::tuple({result, error_text}), group_);
  if (error) std::rethrow_exception(error);
  Values results;
  for (std::size_t r = 0; r < all.size(); ++r) {
    const Values& parts = all[r].as_tuple();
    if (!parts[1].is_none())
      fail<RuntimeError>("{}: rank {} failed: {}", op_, r, parts[1].as_string());
    results.push_back(parts[0]);
  }
  return results;
}

}  // namespace taper::distributed
