// Starts launchers of distributed programs.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace taper::oracle {

/// Runs a program with exactly the given variables and returns its exit status, 128 + the number of
/// the signal that has ended it. Its output is discarded. Throws std::runtime_error if it cannot be
/// started or does not end in 5 minutes.
int run_launcher(const std::vector<std::string>& command,
                 const std::map<std::string, std::string>& variables);
/// Returns the path of a program in the directories of PATH; empty if there is none.
std::string find_program(const std::string& name);
/// Returns the path of a program in the directory of this one.
std::string program_beside(const std::string& name);

}  // namespace taper::oracle
