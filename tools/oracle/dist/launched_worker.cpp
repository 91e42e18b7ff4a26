#include "dist/launched_worker.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cases/case_file.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

int number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? std::atoi(text) : 0;
}

/// The files appear with all their contents.
void note(const std::string& kind, const Json& value) {
  const std::string path = std::string(std::getenv(kWorkerFolder)) + "/" + kind + "-" +
                           std::to_string(number_of("TORCHELASTIC_RESTART_COUNT")) + "-" +
                           std::to_string(number_of("RANK"));
  std::ofstream(path + "-part") << value.dump();
  fs::rename(path + "-part", path);
}

/// Waits until `is_over` returns true or SIGTERM, which is blocked, arrives. Ends the process after
/// a signal.
template <class Condition> void wait_for(Condition is_over) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  while (!is_over()) {
    const timespec pause{0, 10'000'000};
    if (::sigtimedwait(&set, nullptr, &pause) != SIGTERM) continue;
    note("terminated", {});
    ::_exit(0);
  }
}

Json variables_of_launcher() {
  const Json base = Json::parse(std::getenv(kWorkerBase));
  Json variables = Json::object();
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    const std::string value = text.substr(std::min(text.size(), name.size() + 1));
    const bool is_own = name == kWorkerFolder || name == kWorkerExits || name == kWorkerBase;
    if (!is_own && !(base.contains(name) && base.at(name) == value)) variables[name] = value;
  }
  return variables;
}

}  // namespace

bool is_launched_worker() { return std::getenv(kWorkerFolder) && std::getenv(kWorkerExits); }

int run_launched_worker(int argc, char** argv) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  const int attempt = number_of("TORCHELASTIC_RESTART_COUNT"), rank = number_of("RANK");
  Json arguments = Json::array();
  for (int i = 1; i < argc; ++i) arguments.push_back(argv[i]);
  note("started", {{"arguments", arguments}, {"variables", variables_of_launcher()}});
  const std::string started =
      std::string(std::getenv(kWorkerFolder)) + "/started-" + std::to_string(attempt) + "-";
  for (int r = 0; r < number_of("WORLD_SIZE"); ++r)
    wait_for([&] { return fs::exists(started + std::to_string(r)); });
  bool fails = false;
  for (const Json& exit : Json::parse(std::getenv(kWorkerExits))) {
    if (exit.at(0) != attempt) continue;
    if (exit.at(1) == rank) return exit.at(2).get<int>();
    fails = true;
  }
  const auto deadline = Clock::now() + std::chrono::seconds(100);
  if (fails) wait_for([&] { return Clock::now() > deadline; });
  return 0;
}

}  // namespace taper::oracle
