#include "child.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

namespace taper::bench {

ChildCost run_child(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& s : command) argv.push_back(const_cast<char*>(s.c_str()));
  argv.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  struct rusage usage {};
  wait4(child, &status, 0, &usage);
  ChildCost cost;
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  cost.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  if (status != 0) {
    std::string text;
    for (const std::string& s : command) text += s + " ";
    throw std::runtime_error("bench: failed: " + text);
  }
  return cost;
}

}  // namespace taper::bench
