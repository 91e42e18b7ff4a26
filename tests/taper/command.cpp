#include "command.h"

#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "taper/core/factory.h"
#include "taper_paths.h"

namespace command::test {
namespace {

const char* const kProgram = TAPER_BIN_DIR "/taper";

[[noreturn]] void become(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Outcome run_program(const std::vector<std::string>& arguments) {
  const Folder folder;
  const std::string out = folder / "out", err = folder / "err";
  const pid_t child = fork();
  if (child == 0) {
    const int to = open(out.c_str(), O_CREAT | O_WRONLY, 0600),
              errors = open(err.c_str(), O_CREAT | O_WRONLY, 0600);
    dup2(to, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    setenv("TAPER", kProgram, 1);
    become(arguments);
  }
  Outcome o;
  o.status = status_of(child);
  o.out = bytes_of(out), o.err = bytes_of(err);
  return o;
}

}  // namespace

Outcome run(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {kProgram};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program(all);
}

Outcome run_shell(const std::string& line) { return run_program({"/bin/sh", "-c", line}); }

Outcome run_on_terminal(const std::vector<std::string>& arguments, const std::string& trigger,
                        const std::string& keys, bool no_color) {
  winsize size{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    if (no_color)
      setenv("NO_COLOR", "1", 1);
    else
      unsetenv("NO_COLOR");
    std::vector<std::string> all = {kProgram};
    all.insert(all.end(), arguments.begin(), arguments.end());
    become(all);
  }
  Outcome o;
  char piece[4096];
  bool typed = trigger.empty();
  for (ssize_t n; (n = read(terminal, piece, sizeof piece)) > 0;) {
    o.out.append(piece, static_cast<std::size_t>(n));
    if (!typed && contains(o.out, trigger)) {
      typed = true;
      if (write(terminal, keys.data(), keys.size()) < 0) break;
    }
  }
  close(terminal);
  o.status = status_of(child);
  return o;
}

Folder::Folder() {
  char name[] = "/tmp/taper_command_XXXXXX";
  path_ = mkdtemp(name);
}
Folder::~Folder() { std::filesystem::remove_all(path_); }

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

taper::Value small_state() {
  taper::Value state = taper::Value::ordered_dict();
  state["fc.weight"] = taper::tensor({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  state["fc.bias"] = taper::tensor({0.5f, -0.5f, 0.25f});
  state["steps"] = taper::tensor(7);
  return state;
}

}  // namespace command::test
