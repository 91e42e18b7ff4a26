#include "command.h"

#include "taper/core/factory.h"
#include "taper_paths.h"

namespace taper::cli::test {
namespace {

const char* const kProgram = TAPER_BIN_DIR "/taper";

std::vector<std::string> command_line(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {kProgram};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

}  // namespace

Outcome run(const std::vector<std::string>& arguments) {
  return {taper::test::run_program(command_line(arguments))};
}

Outcome run_shell(const std::string& line) {
  return {taper::test::run_program({"/bin/sh", "-c", line}, {{"TAPER", kProgram}})};
}

Outcome run_on_terminal(const std::vector<std::string>& arguments, const std::string& trigger,
                        const std::string& keys, bool no_color) {
  const std::optional<std::string> value =
      no_color ? std::optional<std::string>("1") : std::nullopt;
  return {taper::test::run_on_terminal(command_line(arguments), trigger, keys,
                                       {{"TERM", "xterm"}, {"NO_COLOR", value}})};
}

taper::Value small_state() {
  taper::Value state = taper::Value::ordered_dict();
  state["fc.weight"] = taper::tensor({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  state["fc.bias"] = taper::tensor({0.5f, -0.5f, 0.25f});
  state["steps"] = taper::tensor(7);
  return state;
}

}  // namespace taper::cli::test
