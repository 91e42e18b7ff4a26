#include "models/multiply_adds.h"

#include "taper/core/factory.h"
#include "taper/profiler/profiler.h"

namespace taper::oracle {
namespace {

// Ops with the operations that they consist of in PyTorch. Attention on meta is two batches of
// products.
const std::map<std::string, std::string>& counted_ops() {
  static const std::map<std::string, std::string> ops = {{"convolution", "convolution"},
                                                         {"conv_transpose", "convolution"},
                                                         {"linear", "addmm"},
                                                         {"addmm", "addmm"},
                                                         {"mm", "mm"},
                                                         {"bmm", "bmm"},
                                                         {"baddbmm", "baddbmm"},
                                                         {"scaled_dot_product_attention", "bmm"}};
  return ops;
}

}  // namespace

std::map<std::string, std::int64_t> count_multiply_adds(nn::Module& model, const Shape& input) {
  profiler::Profile profile;
  static_cast<void>(model(empty(input, {.device = Device::meta()})));
  profile.stop();
  std::map<std::string, std::int64_t> counts;
  for (const profiler::EventAverage& event : profile.key_averages())
    if (const auto found = counted_ops().find(event.key); found != counted_ops().end())
      counts[found->second] += static_cast<std::int64_t>(event.flops) / 2;
  return counts;
}

}  // namespace taper::oracle
