// Interrupt: deferred handling of Ctrl-C.
#pragma once

namespace training {

/// During its lifetime, the first SIGINT or SIGTERM only sets a flag. A second one terminates the
/// program.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  static bool requested();
  /// Returns the number of the received signal; 0 if none was received.
  static int signal();
};

}  // namespace training
