// fork_and_run: runs work in a separate process, so that a crash or a hang is the failure of one
// file.
#pragma once
#include <string>

#include "taper/core/shared_function.h"

namespace taper::oracle {

struct ChildResult {
  std::string text;   ///< result of the work
  std::string error;  ///< reason of an abnormal end, such as a signal; otherwise empty
};

/// Runs `work` in a forked process and returns its text. The process is killed after `seconds` of
/// processor time or ten times as much wall time. The calling process must not have other threads.
ChildResult fork_and_run(unsigned seconds, const SharedFunction<std::string()>& work);

}  // namespace taper::oracle
