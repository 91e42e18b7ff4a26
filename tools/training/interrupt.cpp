#include "interrupt.h"

#include <csignal>

namespace training {
namespace {
constexpr int kSignals[] = {SIGINT, SIGTERM};
volatile std::sig_atomic_t flag = 0;

extern "C" void on_interrupt(int signal) {
  flag = signal;
  std::signal(signal, SIG_DFL);
}
}  // namespace

Interrupt::Interrupt() {
  flag = 0;
  for (const int s : kSignals) std::signal(s, on_interrupt);
}
Interrupt::~Interrupt() {
  for (const int s : kSignals) std::signal(s, SIG_DFL);
}
bool Interrupt::requested() { return flag != 0; }
int Interrupt::signal() { return flag; }

}  // namespace training
