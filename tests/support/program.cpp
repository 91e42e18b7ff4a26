#include "program.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "file_bytes.h"
#include "temp_dir.h"

namespace taper::test {
namespace {

[[noreturn]] void become(std::vector<std::string>& arguments, const Environment& changes) {
  for (const auto& [name, value] : changes)
    value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
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

}  // namespace

ProgramResult run_program(std::vector<std::string> arguments, const Environment& changes) {
  const TempDir dir;
  const std::string out = dir / "out", err = dir / "err";
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(out.c_str(), O_CREAT | O_WRONLY, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
    become(arguments, changes);
  }
  ProgramResult result;
  result.status = status_of(child);
  result.out = read_bytes(out);
  result.err = read_bytes(err);
  return result;
}

ProgramResult run_on_terminal(std::vector<std::string> arguments, const std::string& trigger,
                              const std::string& keys, const Environment& changes) {
  winsize size{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) become(arguments, changes);
  ProgramResult result;
  char piece[4096];
  bool typed = trigger.empty();
  for (ssize_t n; (n = read(terminal, piece, sizeof piece)) > 0;) {
    result.out.append(piece, static_cast<std::size_t>(n));
    if (!typed && result.out.find(trigger) != std::string::npos) {
      typed = true;
      if (write(terminal, keys.data(), keys.size()) < 0) break;
    }
  }
  close(terminal);
  result.status = status_of(child);
  return result;
}

}  // namespace taper::test
