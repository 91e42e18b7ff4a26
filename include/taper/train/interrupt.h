// Interrupt: deferred handling of Ctrl-C.
#pragma once
#include "taper/core/api.h"

namespace TAPER_API taper {
namespace train {

/// During its lifetime, the first SIGINT or SIGTERM only sets a flag. A second one terminates the
/// program. The destructor restores the handlers. Objects may be nested, also in several
/// threads.
class Interrupt {
 public:
  [[nodiscard]] Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  /// Returns true if a signal was received since the outermost object was created.
  static bool requested();
  /// Returns the number of the received signal; 0 if none was received.
  static int signal();
};

}  // namespace train
}  // namespace taper
