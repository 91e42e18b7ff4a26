#include "taper/train/interrupt.h"

#include <csignal>
#include <iterator>
#include <mutex>

namespace taper::train {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
volatile std::sig_atomic_t received = 0;
std::mutex mutex;  // of the following: ranks may be threads
int depth = 0;
struct sigaction previous[std::size(kSignals)];

extern "C" void taper_on_interrupt(int signal) {
  received = signal;
  for (const int each : kSignals) std::signal(each, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  const std::lock_guard lock(mutex);
  if (depth++ > 0) return;
  received = 0;
  struct sigaction action {};
  action.sa_handler = taper_on_interrupt;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    ::sigaction(kSignals[i], &action, &previous[i]);
}
Interrupt::~Interrupt() {
  const std::lock_guard lock(mutex);
  if (--depth > 0) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    ::sigaction(kSignals[i], &previous[i], nullptr);
}
bool Interrupt::requested() { return received != 0; }
int Interrupt::signal() { return received; }

}  // namespace taper::train
