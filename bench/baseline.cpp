#include "baseline.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "taper_paths.h"

namespace taper::bench {

Baseline::Baseline(const std::string& python) {
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0)
    throw std::runtime_error("bench: cannot create a pipe to the baseline process");
  process_ = fork();
  if (process_ == 0) {
    dup2(in[0], 0), dup2(out[1], 1);
    for (int fd : {in[0], in[1], out[0], out[1]}) close(fd);
    const std::string script = std::string(TAPER_SOURCE_DIR) + "/scripts/baseline/eager.py";
    execlp(python.c_str(), python.c_str(), script.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(in[0]), close(out[1]);
  to_ = fdopen(in[1], "w"), from_ = fdopen(out[0], "r");
  version_ = read_reply();
}

Baseline::~Baseline() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

std::string Baseline::read_reply() {
  std::array<char, 4096> line{};
  if (!std::fgets(line.data(), static_cast<int>(line.size()), from_))
    throw std::runtime_error("bench: the baseline process ended. Check that PyTorch is installed");
  std::string text(line.data());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.starts_with("error")) throw std::runtime_error("bench: baseline process: " + text);
  return text;
}

double Baseline::measure(const std::string& benchmark, int threads) {
  std::fprintf(to_, "%s %d\n", benchmark.c_str(), threads);
  std::fflush(to_);
  return std::stod(read_reply());
}

}  // namespace taper::bench
