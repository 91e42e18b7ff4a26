// Training on cores that other processes use as well. Results are relative to the time on quiet
// cores.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "../benchmark.h"
#include "../training_steps.h"

namespace taper::bench {
namespace {

/// A process that runs a function again and again until the end of the scope.
class Competitor {
 public:
  explicit Competitor(void (*run)()) : child_(fork()) {
    if (child_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) run();
  }
  ~Competitor() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Competitor(const Competitor&) = delete;
  Competitor& operator=(const Competitor&) = delete;

 private:
  pid_t child_;
};

/// Keeps the first processor that the process may use busy.
void occupy_one_core() {
  cpu_set_t available, one;
  sched_getaffinity(0, sizeof available, &available);
  int first = 0;
  while (!CPU_ISSET(first, &available)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
  const std::atomic<bool> forever{true};
  while (forever.load(std::memory_order_relaxed)) {}
}

double with_busy_core(double (*step)()) {
  const double quiet = step();
  const Competitor competitor(occupy_one_core);
  return step() / quiet;
}

double two_processes() {
  const double alone = lenet_step();
  const Competitor competitor([] { static_cast<void>(lenet_step()); });
  return lenet_step() / (2 * alone);
}

}  // namespace

std::vector<Benchmark> busy_suite() {
  return {{.name = "LeNet b64: training step, one busy core / quiet",
           .threads = 2,
           .unit = "x",
           .measure = [] { return with_busy_core(lenet_step); },
           .budget = 2.3,
           .baseline = "busy_core"},
          {.name = "ResNet-18 224 b8: training step, one busy core / quiet",
           .threads = 2,
           .unit = "x",
           .measure = [] { return with_busy_core(resnet18_step); },
           .budget = 2.3,
           .baseline = "busy_core_resnet18",
           .rounds = 3},
          {.name = "LeNet b64: two processes at once / one by one",
           .threads = 2,
           .unit = "x",
           .measure = two_processes,
           .budget = 1.25,
           .baseline = "two_processes"}};
}

}  // namespace taper::bench
