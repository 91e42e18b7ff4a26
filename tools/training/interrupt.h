// Ctrl-C as a request.
#pragma once

namespace training {

/// While it lives, the first Ctrl-C only sets a flag; a second one ends the program as usual.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  static bool requested();
};

}  // namespace training
