// Family events: event files of SummaryWriter.
#include "kit/events.h"

#include <stdlib.h>

#include <chrono>
#include <filesystem>

#include "cases/outcome.h"
#include "kit/families.h"
#include "kit/values.h"
#include "taper/core/dict.h"
#include "taper/core/warning.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;

/// Time of the clock while the stored files were written.
constexpr double kStoredClock = 1700000000.25;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Directory for the event files of a case: temporary, or in the directory for written files.
class LogFolder {
 public:
  explicit LogFolder(const Case& c) : is_temporary_(c.file().write_back.empty()) {
    if (is_temporary_) {
      path_ = (fs::temp_directory_path() / "taper_events_XXXXXX").string();
      if (!::mkdtemp(path_.data())) throw std::runtime_error("cannot create " + path_);
    } else {
      path_ = c.file().write_back + "/" + c.id();
      fs::remove_all(path_);
      fs::create_directories(path_);
    }
  }
  ~LogFolder() {
    std::error_code ignored;
    if (is_temporary_) fs::remove_all(path_, ignored);
  }
  LogFolder(const LogFolder&) = delete;
  LogFolder& operator=(const LogFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  bool is_temporary_;
  std::string path_;
};

/// Interval in which events without a given time were written.
struct Interval {
  double begin, end;
};

void expect_wall_time(Case& c, const std::string& what, double actual, double expected,
                      const Interval& written) {
  if (expected != kStoredClock) return c.expect_number(what, actual, expected, {});
  if (!(actual >= written.begin && actual <= written.end))
    c.fail(what + ": got " + python_repr(actual) + ", expected a time between " +
           python_repr(written.begin) + " and " + python_repr(written.end));
}

/// Compares the records of all runs. The records of `actual` lose their times.
void expect_runs(Case& c, const std::string& what, const Value& actual, const Json& expected,
                 const Interval& written) {
  Json untimed = expected;
  for (auto& [run, records] : untimed.items()) {
    const Value* found = actual.find(run);
    if (!found) continue;  // reported below
    for (std::size_t i = 0; i < std::min(found->size(), records.size()); ++i) {
      Dict& record = found->as_list()[i].as_dict();
      expect_wall_time(c, what + "." + run + "[" + std::to_string(i) + "].wall_time",
                       record.at("wall_time").as_double(), records[i].at("wall_time").get<double>(),
                       written);
      record.erase("wall_time");
      records[i].erase("wall_time");
    }
  }
  expect_result(c, what, actual, untimed);
}

std::string stored_folder(Case& c) { return c.file().folder + c.text("folder"); }

void run_damaged(Case& c, Generators&) {
  expect_runs(c, "records", read_runs(stored_folder(c)), c.at("expected").at("runs"),
              {kStoredClock, kStoredClock});
}

/// Reads the stored files, and writes others by the same calls.
void run_events_case(Case& c, Generators&) {
  const Json& expected = c.at("expected");
  const std::string stored = stored_folder(c);
  expect_runs(c, "stored", read_runs(stored), expected.at("runs"), {kStoredClock, kStoredClock});
  expect_result(c, "stored tags", accumulate_runs(stored), expected.at("accumulator"));

  const LogFolder folder(c);
  const double begin = seconds_now();
  log_calls(c, folder.path());
  expect_runs(c, "written", read_runs(folder.path()), expected.at("runs"), {begin, seconds_now()});
  expect_result(c, "written tags", accumulate_runs(folder.path()), expected.at("accumulator"));
}

void run_events_error(Case& c, Generators&) {
  const LogFolder folder(c);
  expect_error(c, [&] { log_calls(c, folder.path()); });
}

}  // namespace

void run_events(Case& c) {
  c.ignore({"info"});
  run_kind(c, {{"events", run_events_case}, {"damaged", run_damaged}, {"error", run_events_error}});
}

}  // namespace taper::oracle
