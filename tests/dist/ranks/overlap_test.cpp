#include <gtest/gtest.h>

#include <algorithm>

#include "taper/dist/dist.h"
#include "taper/profiler/profiler.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using profiler::EventKind;
using profiler::ProfilerEvent;

TEST(Overlap, OfBackwardAndReductionsIsProfiled) {
  nn::Sequential net;
  for (int i = 0; i < 8; ++i) net.append(nn::Linear(256, 256));
  DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.25});
  const Tensor x = randn({64, 256});
  net(x).sum().backward();  // records the order of the buckets
  barrier();

  // Collectives are executed in the order of their calls: the reduction of the last layer ends
  // before the backward pass, however busy the machine is.
  const auto hook =
      net[0].register_full_backward_pre_hook([](nn::Module&, const Values&) { barrier(); });
  profiler::Profile profile;
  net(x).sum().backward();
  profile.stop();
  double first_reduction = 1e300, end_of_backward = 0;
  int reductions = 0;
  for (const ProfilerEvent& event : profile.events()) {
    const double end = event.start + event.duration;
    if (event.kind == EventKind::backward) end_of_backward = std::max(end_of_backward, end);
    if (event.kind != EventKind::communication) continue;
    const std::string& engine = profile.threads()[static_cast<std::size_t>(event.thread)];
    EXPECT_TRUE(event.name.starts_with(engine + ":")) << event.name;
    EXPECT_GT(event.duration, 0);
    if (event.name != engine + ":all_reduce") continue;  // of the new order of the buckets
    first_reduction = std::min(first_reduction, event.start);
    ++reductions;
  }
  EXPECT_EQ(reductions, 8);  // each layer fills a bucket
  EXPECT_LT(first_reduction, end_of_backward);
}

}  // namespace
}  // namespace taper::distributed
