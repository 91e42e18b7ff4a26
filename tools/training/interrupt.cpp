#include "interrupt.h"

#include <csignal>

namespace training {
namespace {
volatile std::sig_atomic_t flag = 0;

extern "C" void on_interrupt(int signal) {
  flag = 1;
  std::signal(signal, SIG_DFL);
}
}  // namespace

Interrupt::Interrupt() {
  flag = 0;
  std::signal(SIGINT, on_interrupt);
}
Interrupt::~Interrupt() { std::signal(SIGINT, SIG_DFL); }
bool Interrupt::requested() { return flag != 0; }

}  // namespace training
