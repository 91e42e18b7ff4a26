// Work in a process of its own: what crashes or hangs there is the failure of one file.
#pragma once
#include <string>

#include "taper/core/function.h"

namespace taper::oracle {

struct ChildEnd {
  std::string text;   ///< what the work gave
  std::string error;  ///< how it ended otherwise: a signal, an exit, too much time; else empty
};

/// Runs `work` in a forked process and gives its text. It is killed after so many seconds of
/// processor time, and after ten times as many by the clock. The calling process must have no other
/// threads.
ChildEnd in_child(unsigned seconds, const Function<std::string()>& work);

}  // namespace taper::oracle
