// Runs the `taper` program as a user does.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/contains.h"
#include "support/file_bytes.h"
#include "support/program.h"
#include "support/temp_dir.h"
#include "taper/core/value.h"

namespace taper::cli::test {

using taper::test::contains, taper::test::read_bytes, taper::test::TempDir,
    taper::test::write_bytes;

struct Outcome : taper::test::ProgramResult {
  /// Parses the output of --json.
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs the program without a terminal.
Outcome run(const std::vector<std::string>& arguments);
/// Runs the program on a terminal of 100 columns; `out` of the result contains both streams. Types
/// `keys` as soon as `trigger` has appeared in the output. If `no_color` is true, sets NO_COLOR.
Outcome run_on_terminal(const std::vector<std::string>& arguments, const std::string& trigger = "",
                        const std::string& keys = "", bool no_color = false);
/// Runs a command line in /bin/sh, where $TAPER is the path of the program.
Outcome run_shell(const std::string& line);

/// Returns {"fc.weight": f32 (3, 2), "fc.bias": f32 (3), "steps": i64 ()}.
taper::Value small_state();

}  // namespace taper::cli::test
