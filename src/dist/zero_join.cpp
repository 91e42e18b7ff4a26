// Calls of ZeroRedundancyOptimizer within DistributedDataParallel::join.
#include <tuple>

#include "dist/zero_impl.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace taper::distributed {

const Group& ZeroRedundancyOptimizer::group() const { return impl_->group; }

void ZeroRedundancyOptimizer::set_announce(Announce announce) {
  impl_->announce = std::move(announce);
}

void ZeroRedundancyOptimizer::announce(const char* function, const Value& arguments) {
  Value has_gradient = Value::list();
  for (const optim::ParamGroup& group : param_groups()) {
    Value defined = Value::list();
    for (const Tensor& p : group.params()) defined.append(p.grad().defined());
    has_gradient.append(defined);
  }
  const int source = impl_->announce(Value::dict(
      {{"function", function}, {"arguments", arguments}, {"has_gradient", has_gradient}}));
  if (source >= 0) share_gradients(has_gradient, source, false);
}

void ZeroRedundancyOptimizer::announce_step() {
  Value options = Value::list();
  for (const optim::ParamGroup& group : param_groups()) options.append(group.options());
  announce("step", options);
}

void ZeroRedundancyOptimizer::share_gradients(const Value& has_gradient, int source,
                                              bool receives) {
  if (impl_->shards_gradients) return;  // each rank has those of its parameters
  const NoGrad no_grad;
  for (std::size_t r = 0; r < impl_->size(); ++r) {
    std::vector<Tensor> params, gradients;
    for_each_owned(impl_->partition, r, [&](std::size_t g, std::size_t i, std::int64_t) {
      const Tensor& p = param_groups()[g].params()[i];
      if (receives && r == impl_->rank()) p.set_grad(Tensor());
      if (!Value(has_gradient[g][i]).as_bool()) return;
      params.push_back(p);
      gradients.push_back(receives ? empty_like(p) : p.grad());
    });
    broadcast_coalesced(gradients, source, impl_->group);
    if (!receives || r != impl_->rank()) continue;
    for (std::size_t i = 0; i < params.size(); ++i) params[i].set_grad(gradients[i]);
  }
}

void ZeroRedundancyOptimizer::repeat_call(const Value& call, int source) {
  impl_->follow(param_groups());
  const Value arguments = call["arguments"];
  share_gradients(call["has_gradient"], source, true);
  if (Value(call["function"]).as_string() == "clip_grad_norm_") {
    clip_grad_norm_(arguments[0].as_double(), {.norm_type = arguments[1].as_double(),
                                               .error_if_nonfinite = arguments[2].as_bool()});
    return;
  }
  for (std::size_t g = 0; g < param_groups().size(); ++g) {
    const Value given = arguments[g];
    for (const auto& [name, value] : given.as_dict())
      param_groups()[g].options().as_dict().set(name, value);
  }
  std::ignore = run_step(nullptr);
}

}  // namespace taper::distributed
