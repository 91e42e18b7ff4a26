// The command as a user runs it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/value.h"

namespace command::test {

struct Outcome {
  int status = -1;  ///< the exit status; -1 for a program that died of a signal
  std::string out, err;
  /// The answer of --json.
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs it with its output in files.
Outcome run(const std::vector<std::string>& arguments);
/// On a terminal of 100 columns, both streams in `out`; `keys` are typed once `trigger` appeared.
Outcome run_on_terminal(const std::vector<std::string>& arguments, const std::string& trigger = "",
                        const std::string& keys = "", bool no_color = false);
/// A line for /bin/sh, in which $TAPER is the program.
Outcome run_shell(const std::string& line);

/// A folder of the test, empty at first and gone with it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string bytes_of(const std::string& path);
void write_bytes(const std::string& path, std::string_view bytes);
bool contains(const std::string& text, std::string_view part);

/// {"fc.weight": f32 (3, 2), "fc.bias": f32 (3), "steps": i64 ()}.
taper::Value small_state();

}  // namespace command::test
