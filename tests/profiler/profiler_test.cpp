#include "taper/profiler/profiler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/memory.h"
#include "taper/data/data.h"
#include "taper/nn/nn.h"
#include "taper/optim/sgd.h"

namespace {

using namespace taper;
using profiler::EventKind;
using profiler::Profile;
using profiler::ProfilerEvent;
using taper::test::error_text;

struct Block : nn::Module {
  nn::Linear fc{4, 4};
  nn::ReLU act{};
  TAPER_MODULE(Block, fc, act)
  Tensor forward(const Tensor& x) const { return act(fc(x)); }
};
struct Net : nn::Module {
  Block first{}, second{};
  nn::Linear head{4, 2};
  TAPER_MODULE(Net, first, second, head)
  Tensor forward(const Tensor& x) const { return head(second(first(x))); }
};

struct Wrapper : nn::Module {
  const nn::ReLU& hidden;
  explicit Wrapper(const nn::ReLU& relu) : hidden(relu) {}
  TAPER_MODULE(Wrapper)
  Tensor forward(const Tensor& x) const { return hidden(x); }
};

std::vector<std::string> names_of(const Profile& profile, EventKind kind) {
  std::vector<std::string> names;
  for (const ProfilerEvent& e : profile.events())
    if (e.kind == kind) names.push_back(e.name);
  return names;
}
const ProfilerEvent& find(const Profile& profile, const std::string& name,
                          const std::string& module = "") {
  for (const ProfilerEvent& e : profile.events())
    if (e.name == name && (module.empty() || e.module == module)) return e;
  throw std::runtime_error("no event " + name + " in '" + module + "'");
}
const profiler::ModuleAverage& find(const profiler::ModuleAverages& averages,
                                    const std::string& path) {
  for (const profiler::ModuleAverage& m : averages)
    if (m.path == path) return m;
  throw std::runtime_error("no module " + path);
}

TEST(Profile, RecordsOpsInOrderWithTimesAndParents) {
  const Tensor x = rand({3, 4}), w = rand({4, 2});
  Profile profile;
  Tensor y = mm(x, w);
  y.add_(1);
  {
    const profiler::RecordFunction region("region");
    y = exp(y);
  }
  profile.stop();
  static_cast<void>(sigmoid(y));  // not recorded
  EXPECT_EQ(names_of(profile, EventKind::op), (std::vector<std::string>{"mm", "add_", "exp"}));
  const ProfilerEvent &region = find(profile, "region"), &op = find(profile, "exp");
  EXPECT_EQ(region.kind, EventKind::user);
  EXPECT_EQ(&profile.events()[static_cast<std::size_t>(op.parent)], &region);
  EXPECT_EQ(find(profile, "mm").parent, -1);
  double end = 0;
  for (const ProfilerEvent& e : profile.events()) {
    EXPECT_GE(e.start, 0);
    EXPECT_GT(e.duration, 0);
    if (e.parent >= 0) continue;
    EXPECT_GE(e.start, end);
    end = e.start + e.duration;
  }
  EXPECT_GE(op.start, region.start);
  EXPECT_LE(op.start + op.duration, region.start + region.duration);
  EXPECT_NEAR(region.self_duration, region.duration - op.duration, 1e-6);
}

TEST(Profile, ComputesFlopsBytesAndShapes) {
  const Tensor x = rand({3, 4}), w = rand({4, 2});
  Profile profile({.record_shapes = true});
  static_cast<void>(mm(x, w));
  profile.stop();
  const ProfilerEvent& e = find(profile, "mm");
  EXPECT_EQ(e.flops, 2 * 3 * 4 * 2);
  EXPECT_EQ(e.bytes, 4 * (3 * 4 + 4 * 2 + 3 * 2));
  EXPECT_EQ(e.input_shapes, (std::vector<Shape>{{3, 4}, {4, 2}}));
}

TEST(Profile, AttributesForwardAndBackwardToModules) {
  Net net;
  const Tensor x = rand({3, 4});
  Profile profile;
  const Tensor y = exp(net(x));
  y.backward(x.new_ones(y.shape()));
  profile.stop();
  EXPECT_EQ(find(profile, "Block", "Net.second").kind, EventKind::module);
  EXPECT_EQ(find(profile, "relu", "Net.first.act").kind, EventKind::op);
  EXPECT_EQ(find(profile, "ReluBackward0", "Net.second.act").kind, EventKind::backward);
  EXPECT_EQ(find(profile, "exp").module, "");
  EXPECT_EQ(find(profile, "ExpBackward0").module, "");

  const profiler::ModuleAverages modules = profile.module_averages();
  std::vector<std::string> paths;
  for (const profiler::ModuleAverage& m : modules) paths.push_back(m.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"Net", "Net.first", "Net.first.fc", "Net.first.act",
                                             "Net.second", "Net.second.fc", "Net.second.act",
                                             "Net.head"}));
  for (const profiler::ModuleAverage& m : modules) {
    EXPECT_EQ(m.calls, 1) << m.path;
    EXPECT_GT(m.forward, 0) << m.path;
    EXPECT_GT(m.backward, 0) << m.path;
  }
  const profiler::ModuleAverage& fc = find(modules, "Net.second.fc");
  EXPECT_EQ(fc.type, "Linear");
  EXPECT_GE(fc.forward_flops, 2 * 3 * 4 * 4);
  EXPECT_GE(fc.backward_flops, 2 * fc.forward_flops - 100);  // products for input and weight
  const profiler::ModuleAverage& second = find(modules, "Net.second");
  EXPECT_EQ(second.forward_flops, fc.forward_flops + find(modules, "Net.second.act").forward_flops);
  EXPECT_GE(find(modules, "Net").forward, second.forward);
  EXPECT_GE(find(modules, "Net").backward, second.backward);
}

TEST(Profile, OrdersModulesAsATreeIfCallsAreNotNested) {
  Net net;
  const Tensor x = rand({3, 4});
  Profile profile;
  static_cast<void>(net.first(x));  // called on its own: another outermost module
  static_cast<void>(net(x));
  static_cast<void>(net.first.act(x));
  profile.stop();
  std::vector<std::string> paths;
  for (const auto& m : profile.module_averages()) paths.push_back(m.path);
  ASSERT_EQ(paths.size(), 3u + 8u + 1u);
  EXPECT_EQ(paths[0], "Block");
  EXPECT_EQ(paths[2], "Block.act");
  EXPECT_EQ(paths[3], "Net");
  EXPECT_EQ(paths.back(), "ReLU");
}

TEST(Profile, GivesUnregisteredModulesTheirClassAsName) {
  const nn::ReLU relu;
  Wrapper net(relu);
  Profile profile;
  static_cast<void>(net(rand({2})));
  profile.stop();
  EXPECT_EQ(find(profile, "relu").module, "Wrapper.<ReLU>");
}

TEST(Profile, RecordsMemoryOfOpsAndModules) {
  const Tensor x = rand({256, 256});
  Profile profile({.profile_memory = true});
  Tensor y = exp(x);
  {
    const profiler::RecordFunction region("balanced");
    static_cast<void>(exp(x));
  }
  profile.stop();
  const auto bytes = static_cast<std::int64_t>(4 * x.numel());
  EXPECT_GE(find(profile, "exp").memory, bytes);
  EXPECT_LE(find(profile, "exp").memory, bytes + bytes / 4);
  EXPECT_EQ(find(profile, "balanced").memory, 0);
  EXPECT_LE(find(profile, "balanced").self_memory, -bytes);
}

TEST(Profile, KeepsTheStructureAfterAnError) {
  Profile profile;
  Net net;
  EXPECT_THROW(static_cast<void>(net(rand({3, 5}))), ShapeError);
  const Tensor y = exp(rand({2}));
  profile.stop();
  EXPECT_EQ(find(profile, "exp").parent, -1);
  EXPECT_EQ(find(profile, "Linear").module, "Net.first.fc");
}

TEST(Profile, RecordsStepsOfOptimizers) {
  Net net;
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  net(rand({3, 4})).sum().backward();
  Profile profile;
  optimizer.step();
  optimizer.zero_grad();
  profile.stop();
  EXPECT_EQ(
      names_of(profile, EventKind::user),
      (std::vector<std::string>{"Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD.zero_grad"}));
}

TEST(Profile, RecordsStagesOfDataLoaders) {
  data::DataLoader loader(data::TensorDataset(rand({4, 3})), {.batch_size = 2},
                          [](std::vector<std::tuple<Tensor>>&& examples) { return examples; });
  Profile profile;
  for (auto& batch : loader) static_cast<void>(batch);
  profile.stop();
  const ProfilerEvent& collate = find(profile, "DataLoader.collate");
  EXPECT_EQ(profile.events()[static_cast<std::size_t>(collate.parent)].name, "DataLoader.next");
}

TEST(Profile, RecordsWorkersOfDataLoaders) {
  data::DataLoader loader(data::TensorDataset(rand({8, 3})), {.batch_size = 2, .num_workers = 2});
  Profile profile;
  for (auto& batch : loader) static_cast<void>(batch);
  profile.stop();
  ASSERT_GE(profile.threads().size(), 2u);
  EXPECT_EQ(profile.threads()[0], "main");
  std::int64_t fetched = 0;
  for (const ProfilerEvent& e : profile.events())
    if (e.name == "DataLoader.read") {
      EXPECT_TRUE(
          profile.threads()[static_cast<std::size_t>(e.thread)].starts_with("DataLoader worker"));
      ++fetched;
    }
  EXPECT_EQ(fetched, 4);
  EXPECT_EQ(find(profile, "DataLoader.next").thread, 0);
}

TEST(Profile, SharesWorkersWithAnotherProfile) {
  data::DataLoader loader(data::TensorDataset(rand({8, 3})), {.batch_size = 2, .num_workers = 2});
  const auto reads = [](const Profile& profile) {
    return std::count_if(profile.events().begin(), profile.events().end(),
                         [](const ProfilerEvent& e) { return e.name == "DataLoader.read"; });
  };
  Profile first, second;
  for (auto& batch : loader) static_cast<void>(batch);
  first.stop();
  for (auto& batch : loader) static_cast<void>(batch);
  second.stop();
  for (auto& batch : loader) static_cast<void>(batch);
  EXPECT_EQ(reads(first), 4);
  EXPECT_EQ(reads(second), 8);
}

TEST(Profile, MayEndWhileWorkersRun) {
  for (int i = 0; i < 20; ++i) {
    data::DataLoader loader(data::TensorDataset(rand({64, 3})),
                            {.batch_size = 1, .num_workers = 2});
    auto at = loader.begin();
    {
      Profile profile;
      for (int k = 0; k < i; ++k) ++at;
    }
    ++at;
  }
}

TEST(Profile, SumsByNameAndByShapes) {
  Profile profile({.record_shapes = true});
  for (int i = 0; i < 3; ++i) static_cast<void>(exp(rand({2})));
  static_cast<void>(exp(rand({5})));
  profile.stop();
  const profiler::EventAverages averages = profile.key_averages();
  const auto at =
      std::find_if(averages.begin(), averages.end(), [](const auto& e) { return e.key == "exp"; });
  ASSERT_NE(at, averages.end());
  EXPECT_EQ(at->count, 4);
  double total = 0;
  for (const ProfilerEvent& e : profile.events())
    if (e.name == "exp") total += e.duration;
  EXPECT_NEAR(at->cpu_time_total, total, 1e-9 * total);
  EXPECT_NEAR(at->cpu_time(), total / 4, 1e-9 * total);
  std::vector<std::int64_t> counts;
  for (const auto& e : profile.key_averages(true))
    if (e.key == "exp") counts.push_back(e.count);
  EXPECT_EQ(counts, (std::vector<std::int64_t>{3, 1}));
}

TEST(Profile, CountsRecursionOnce) {
  Profile profile;
  {
    const profiler::RecordFunction outer("f");
    const profiler::RecordFunction inner("f");
  }
  profile.stop();
  const auto averages = profile.key_averages();
  ASSERT_EQ(averages.size(), 1u);
  EXPECT_EQ(averages[0].count, 2);
  EXPECT_EQ(averages[0].cpu_time_total, profile.events()[0].duration);
}

TEST(Profile, PrintsTables) {
  Net net;
  Profile profile({.profile_memory = true});
  net(rand({3, 4})).sum().backward();
  profile.stop();
  const std::string ops = profile.key_averages().table({.row_limit = 3});
  EXPECT_EQ(std::count(ops.begin(), ops.end(), '\n'), 3 + 3 + 1 + 1) << ops;
  const std::string all = profile.key_averages().table({.row_limit = -1});
  for (const char* column : {"Self CPU %", "CPU total", "Self CPU Mem", "# of Calls", "GFLOP/s"})
    EXPECT_NE(all.find(column), std::string::npos) << all;
  const std::string modules = profile.module_averages().table(1);
  EXPECT_NE(modules.find("\n  first "), std::string::npos) << modules;
  EXPECT_EQ(modules.find("fc"), std::string::npos) << modules;
  EXPECT_EQ(
      error_text<ValueError>([&] { return profile.key_averages().table({.sort_by = "time"}); }),
      "EventAverages::table: sort_by: expected one of self_cpu_time_total, cpu_time_total, "
      "cpu_time, count, cpu_memory_usage, self_cpu_memory_usage, flops, bytes, got 'time'");
}

TEST(Profile, WritesAChromeTrace) {
  const test::TempDir dir;
  Net net;
  const Tensor x = rand({3, 4});
  Profile profile({.record_shapes = true, .profile_memory = true});
  {
    const profiler::RecordFunction region("a \"quoted\" \\ \xff name");
    net(x).sum().backward();
  }
  profile.stop();
  const std::string path = dir / "trace.json";
  profile.export_chrome_trace(path);
  const auto trace = nlohmann::json::parse(test::read_bytes(path));
  std::size_t events = 0, counters = 0;
  for (const auto& e : trace.at("traceEvents")) {
    EXPECT_EQ(e.at("pid"), ::getpid());
    if (e.at("ph") == "C") ++counters;
    if (e.at("ph") != "X") continue;
    const ProfilerEvent& event = profile.events()[events++];
    EXPECT_NEAR(e.at("ts").get<double>(), event.start, 1e-3);
    EXPECT_NEAR(e.at("dur").get<double>(), event.duration, 1e-3);
    if (event.kind == EventKind::op) {
      EXPECT_EQ(e.at("args").at("Input Dims").size(), event.input_shapes.size());
    }
  }
  EXPECT_EQ(events, profile.events().size());
  EXPECT_EQ(counters, events);
  EXPECT_EQ(trace.at("traceEvents")[0].at("name"), "process_name");
  EXPECT_EQ(trace.at("traceEvents")[3].at("name"), "Net");
  EXPECT_EQ(trace.at("traceEvents")[2].at("name"),
            "a \"quoted\" \\ \\xff n...");  // display names are short
}

TEST(Profile, WritesStacks) {
  const test::TempDir dir;
  Profile profile;
  {
    const profiler::RecordFunction outer("outer;with separator");
    static_cast<void>(mm(rand({200, 200}), rand({200, 200})));
  }
  profile.stop();
  const std::string path = dir / "stacks.txt";
  profile.export_stacks(path);
  EXPECT_NE(test::read_bytes(path).find("outer with separator;mm "), std::string::npos);
  EXPECT_EQ(error_text<ValueError>([&] { profile.export_stacks(path, "cuda"); }),
            "Profile::export_stacks: expected the metric self_cpu_time_total, got 'cuda'");
  EXPECT_THROW(profile.export_stacks(dir / "absent/stacks.txt"), IoError);
}

TEST(Profile, RejectsCallsInTheWrongState) {
  Profile profile;
  EXPECT_EQ(error_text<RuntimeError>([&] { return profile.key_averages(); }),
            "Profile::key_averages: the recording is incomplete; call stop() first");
  EXPECT_EQ(error_text<RuntimeError>([&] { profile.start(); }),
            "Profile::start: the profile is running");
  std::string text;
  std::thread([&] { text = error_text<RuntimeError>([&] { profile.stop(); }); }).join();
  EXPECT_EQ(text, "Profile::stop: expected the thread that started the profile");
  profile.stop();
  profile.stop();
  EXPECT_TRUE(profile.events().empty());
  EXPECT_EQ(error_text<RuntimeError>([&] { profile.step(); }),
            "Profile::step: the profile is not running");
  profile.start();
  static_cast<void>(exp(rand({2})));
  profile.stop();
  EXPECT_FALSE(profile.events().empty());
}

TEST(Profile, MayBeDestroyedByAnotherThread) {
  auto profile = std::make_unique<Profile>();
  std::thread([&] { profile.reset(); }).join();
  EXPECT_EQ(exp(zeros({2})).sum().item<float>(), 2.f);
}

TEST(Profile, NestsInEitherOrder) {
  const Tensor x = zeros({2});
  auto outer = std::make_unique<Profile>(), inner = std::make_unique<Profile>();
  static_cast<void>(exp(x));
  outer->stop();
  static_cast<void>(sigmoid(x));
  inner->stop();
  EXPECT_EQ(names_of(*outer, EventKind::op), (std::vector<std::string>{"exp"}));
  EXPECT_EQ(names_of(*inner, EventKind::op), (std::vector<std::string>{"exp", "sigmoid"}));
}

TEST(Profile, FollowsItsSchedule) {
  const Tensor x = zeros({2});
  std::vector<std::vector<std::string>> traces;
  Profile profile({.schedule = profiler::schedule({.wait = 1, .warmup = 1, .active = 2}),
                   .on_trace_ready = [&](Profile& p) {
                     std::vector<std::string> names;
                     for (const ProfilerEvent& e : p.events()) names.push_back(e.name);
                     traces.push_back(names);
                   }});
  for (int i = 0; i < 8; ++i) {
    static_cast<void>(exp(x));
    profile.step();
  }
  EXPECT_EQ(profile.step_num(), 8);
  profile.stop();  // in a step that waits
  EXPECT_EQ(traces, (std::vector<std::vector<std::string>>{
                        {"ProfilerStep#2", "exp", "ProfilerStep#3", "exp"},
                        {"ProfilerStep#6", "exp", "ProfilerStep#7", "exp"}}));
}

TEST(Schedule, SelectsStepsAsPyTorch) {
  const auto actions = [](const profiler::ScheduleOptions& options) {
    const profiler::ProfilerSchedule schedule = profiler::schedule(options);
    std::string text;
    for (std::int64_t i = 0; i < 12; ++i) text += "-wrS"[static_cast<int>(schedule(i))];
    return text;
  };
  // From torch.profiler.schedule.
  EXPECT_EQ(actions({.wait = 1, .warmup = 1, .active = 2}), "-wrS-wrS-wrS");
  EXPECT_EQ(actions({.wait = 1, .warmup = 1, .active = 2, .repeat = 2}), "-wrS-wrS----");
  EXPECT_EQ(actions({.wait = 2, .warmup = 1, .active = 1, .repeat = 1, .skip_first = 3}),
            "-----wS-----");
  EXPECT_EQ(actions({.wait = 2, .warmup = 1, .active = 1, .skip_first = 1, .skip_first_wait = 1}),
            "-wS--wS--wS-");
  EXPECT_EQ(error_text<ValueError>([] { return profiler::schedule({.active = 0}); }),
            "profiler::schedule: active: expected at least 1, got 0");
}

TEST(TensorboardTraceHandler, WritesAFileForEachRecording) {
  const test::TempDir dir;
  Profile profile({.on_trace_ready = profiler::tensorboard_trace_handler(dir / "log", "worker0")});
  static_cast<void>(exp(zeros({2})));
  profile.stop();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir / "log"))
    names.push_back(entry.path().filename().string());
  ASSERT_EQ(names.size(), 1u);
  EXPECT_TRUE(names[0].starts_with("worker0.") && names[0].ends_with(".pt.trace.json")) << names[0];
}

}  // namespace
