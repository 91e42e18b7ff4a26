#include <gtest/gtest.h>

#include "dist/support.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/profiler/profiler.h"

namespace taper::distributed {
namespace {

using profiler::EventKind;
using profiler::ProfilerEvent;

std::vector<ProfilerEvent> events_of(const profiler::Profile& profile, EventKind kind) {
  std::vector<ProfilerEvent> events;
  for (const ProfilerEvent& event : profile.events())
    if (event.kind == kind) events.push_back(event);
  return events;
}

TEST(ProfileOfCollectives, RecordsThemFromCallToWait) {
  test::on_ranks(2, [](int rank) {
    const Tensor x = ones({4}), y = ones({4});
    if (rank == 1) {
      all_reduce(x);
      all_reduce(y);
      return;
    }
    profiler::Profile profile({.profile_memory = true});
    const Work work = all_reduce(x, {.async_op = true});
    const Tensor z = y * 2;
    work.wait();
    all_reduce(y);
    profile.stop();
    const auto calls = events_of(profile, EventKind::communication);
    const auto ops = events_of(profile, EventKind::op);
    ASSERT_EQ(calls.size(), 2u);
    ASSERT_EQ(ops.size(), 1u);
    for (const ProfilerEvent& call : calls) {
      EXPECT_EQ(call.name, "threads:all_reduce");
      EXPECT_EQ(call.module, "");
      EXPECT_EQ(call.parent, -1);
      EXPECT_EQ(profile.threads()[static_cast<std::size_t>(call.thread)], "threads");
    }
    EXPECT_LE(calls[0].start, ops[0].start);
    EXPECT_GE(calls[0].start + calls[0].duration, ops[0].start + ops[0].duration);
    EXPECT_GE(calls[1].start, calls[0].start + calls[0].duration);
    EXPECT_EQ(profile.key_averages()[1].key, "threads:all_reduce");
    // Collectives add no points to the curve of allocated memory.
    const test::TempDir dir;
    profile.export_chrome_trace(dir / "trace.json");
    const std::string trace = test::read_bytes(dir / "trace.json");
    EXPECT_NE(trace.find("\"allocated\":"), std::string::npos);
    EXPECT_EQ(trace.find("\"allocated\":0}"), std::string::npos);
  });
}

TEST(ProfileOfCollectives, IgnoresFailures) {
  const auto errors = test::errors_on_ranks(2, [](int rank) {
    profiler::Profile profile;
    const Work work = all_reduce(ones({4 + rank}), {.async_op = true});
    try {
      work.wait();
    } catch (const DistributedError&) {
      profile.stop();
      EXPECT_TRUE(events_of(profile, EventKind::communication).empty());
      throw;
    }
  });
  for (const std::string& error : errors) EXPECT_NE(error, "");
}

}  // namespace
}  // namespace taper::distributed
