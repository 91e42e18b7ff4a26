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
  std::string text;
  for (std::array<char, 4096> part{}; !text.ends_with('\n'); text += part.data())
    if (!std::fgets(part.data(), static_cast<int>(part.size()), from_))
      throw std::runtime_error(
          "bench: the baseline process ended. Check that PyTorch is installed");
  text.pop_back();
  if (text.starts_with("error")) throw std::runtime_error("bench: baseline process: " + text);
  return text;
}

void Baseline::send(const std::string& line) {
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
}

double Baseline::measure(const std::string& benchmark, int threads) {
  send(benchmark + " " + std::to_string(threads));
  return std::stod(read_reply());
}

}  // namespace taper::bench
