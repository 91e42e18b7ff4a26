#include "taper/nn/ctc_loss.h"

#include "nn/registry/layer_schema.h"
#include "taper/core/factory.h"

namespace taper::nn {

TAPER_DETAIL_LAYER_CLASS(CTCLoss) {}

Tensor CTCLoss::forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                        const Tensor& target_lengths) const {
  return functional::ctc_loss(called(log_probs), targets, input_lengths, target_lengths, *this);
}

Tensor CTCLoss::call_tensor(const Tensor& input) { return detail::call_with_tensor(*this, input); }

Value CTCLoss::forward_values(Values& args) {
  for (std::size_t i = 2; i < args.size() && i < 4; ++i)
    if (args[i].is_list() || args[i].is_tuple()) {
      const Shape lengths = args[i].as_size();
      args[i] = tensor(std::vector<std::int64_t>(lengths.begin(), lengths.end()));
    }
  return detail::forward_erased(*this, args);
}

TAPER_OPTIONS_SCHEMA(CTCLoss, "loss")

}  // namespace taper::nn
