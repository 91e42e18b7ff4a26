// Ctrl-C as a request.
#pragma once

namespace training {

/// While it lives, the first Ctrl-C or SIGTERM only sets a flag; a second one ends the program as
/// usual.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  static bool requested();
  /// The signal that asked; 0: none did.
  static int signal();
};

}  // namespace training
