// host_name: name of this machine, for the names of log files.
#pragma once
#include <string>

namespace taper::io {

/// Returns the host name, at most 255 characters, or "localhost" if it cannot be determined.
std::string host_name();

}  // namespace taper::io
