// Saves files while the preloaded library injects faults or records system calls:
//   saver fail FOLDER          system calls fail
//   saver kill FOLDER POINTS   the process is killed
//   saver flush FOLDER         system calls are recorded
//   saver taken FOLDER         links with the names of the temporary files exist
// Prints each failure. The exit status is 1 if a check failed.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "faults.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper::test {
namespace {

ArmFaults arm = nullptr;
TraceCalls trace = nullptr;
std::string folder, path;

/// Returns a checkpoint of tensors whose elements are `step`. The large ones have `size` and
/// `size / 2` elements: by default, one tensor is larger and one smaller than the write buffer.
Value checkpoint(int step, int size = 50'000) {
  return Value::dict({{"step", step},
                      {"small", full({7}, step)},
                      {"large", full({size}, step)},
                      {"last", full({size / 2}, step)}});
}

/// Returns the step of the file if the file is complete; otherwise -1.
int step_of_file() {
  try {
    const Value v = load(path, {.mmap = false, .verify = true});
    const auto step = static_cast<int>(v["step"].as_int());
    for (const char* name : {"small", "large", "last"}) {
      const Tensor t = v[name].as_tensor();
      if (t[0].item<int>() != step || t[-1].item<int>() != step) return -1;
    }
    return step;
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
    return -1;
  }
}

std::ptrdiff_t files_in(const std::string& where) {
  return std::distance(std::filesystem::directory_iterator(where), {});
}

bool failed(const char* what, int n, int fault) {
  std::printf("call %d, fault %d: %s\n", n, fault, what);
  return false;
}

/// Injects the fault into each system call of a save in turn. Returns false if a save that must
/// succeed fails, the file is not the expected one, or a file remains or is not closed.
bool survives(Fault fault) {
  const bool must_succeed = fault == Fault::interrupted || fault == Fault::cut;
  const auto say = [&](const char* what, int n) {
    return failed(what, n, static_cast<int>(fault));
  };
  for (int n = 1;; ++n) {
    save(checkpoint(0), path);
    const std::ptrdiff_t open_before = files_in("/proc/self/fd");
    std::string error;
    arm(fault, n);
    try {
      save(checkpoint(n), path);
    } catch (const IoError& e) { error = e.what(); }
    const int calls = arm(Fault::none, 0);
    const bool in_place = error.find("the new file was written") != std::string::npos;
    const int step = step_of_file();
    if (!error.empty() && must_succeed) return say(error.c_str(), n);
    if (step != (error.empty() || in_place ? n : 0)) return say("the wrong file is there", n);
    if (files_in(folder) != 1) return say("a file was left behind", n);
    if (files_in("/proc/self/fd") != open_before) return say("a file was left open", n);
    if (calls < n) { return (error.empty() && calls > 8) || say("too few calls were counted", n); }
  }
}

/// Kills a process that saves in a loop at one of its first 100 points. `n` selects the point and
/// the amount of data. Returns false if the file is damaged, or if the next save does not replace
/// it and remove leftover files.
bool survives_killing(int n) {
  constexpr int kPoints = 100, kMore = 3000;  // points tried per size; elements added per size
  const int size = (1 + n / kPoints) * kMore;
  save(checkpoint(0, size), path);
  const pid_t child = ::fork();
  if (child == 0) {
    arm(Fault::killed, 1 + n % kPoints);
    for (int step = 1;; ++step) save(checkpoint(step, size), path);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
    return failed("the process was not killed", n, static_cast<int>(Fault::killed));
  if (step_of_file() < 0) return failed("the file is damaged", n, static_cast<int>(Fault::killed));
  save(checkpoint(1, size), path);
  if (step_of_file() != 1 || files_in(folder) != 1)
    return failed("something was left behind", n, static_cast<int>(Fault::killed));
  return true;
}

/// Returns true if every file is flushed to disk between its last write and its rename, and its
/// directory after the rename.
bool flushes(const Value& value, const SaveOptions& options) {
  std::vector<TracedCall> calls(1000);
  trace(calls.data(), static_cast<int>(calls.size()));
  save(value, path, options);
  const int count = trace(nullptr, 0), format = static_cast<int>(options.format);
  if (count > static_cast<int>(calls.size())) return failed("too many calls", count, format);
  calls.resize(static_cast<std::size_t>(count));
  int renamed = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].kind != TracedCall::rename) continue;
    ++renamed;
    bool written = false, flushed = false, folder_flushed = false;
    int fd = -1;
    for (const TracedCall& c : std::span(calls).first(i)) {
      if (c.kind == TracedCall::open && !std::strcmp(c.path, calls[i].path))
        fd = c.fd, written = flushed = false;
      if (c.fd != fd) continue;
      if (c.kind == TracedCall::write) written = true, flushed = false;
      if (c.kind == TracedCall::flush) flushed = true;
    }
    if (!written) return failed("a file is renamed that was never written", renamed, format);
    if (!flushed) return failed("a file is renamed before it is flushed", renamed, format);
    int folder_fd = -1;
    for (const TracedCall& c : std::span(calls).subspan(i)) {
      if (c.kind == TracedCall::open && c.path == folder + "/") folder_fd = c.fd;
      if (c.kind == TracedCall::flush && c.fd == folder_fd) folder_flushed = true;
    }
    if (!folder_flushed) return failed("the folder is not flushed after it", renamed, format);
  }
  return renamed > 0 || failed("no file is renamed", 0, format);
}

/// Returns true if saving does not write through links with the names of the temporary files.
bool avoids_taken_names() {
  constexpr int kTaken = 5;
  const std::string other = folder + "/other", content = "not a checkpoint";
  std::ofstream(other) << content;
  for (int i = 0; i < kTaken; ++i) {
    const std::string link =
        folder + "/.x.pt.taper-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    std::filesystem::create_symlink(other, link);
  }
  save(checkpoint(1), path);
  std::string now;
  std::getline(std::ifstream(other), now, '\0');
  if (now != content) return failed("another file was overwritten", 0, 0);
  if (std::filesystem::is_symlink(path)) return failed("the link became the checkpoint", 0, 0);
  if (step_of_file() != 1) return failed("the checkpoint is not there", 0, 0);
  return true;
}

}  // namespace
}  // namespace taper::test

int main(int count, char** arguments) {
  using namespace taper::test;
  arm = reinterpret_cast<ArmFaults>(::dlsym(RTLD_DEFAULT, kArmFaults));
  trace = reinterpret_cast<TraceCalls>(::dlsym(RTLD_DEFAULT, kTraceCalls));
  if (count < 3 || !arm || !trace) {
    std::printf(
        "usage: LD_PRELOAD=libtaper_test_faults.so saver fail|kill|flush|taken FOLDER [POINTS]\n");
    return 2;
  }
  folder = arguments[2], path = folder + "/x.pt";
  bool good = true;
  if (arguments[1] == std::string("fail")) {
    for (const Fault fault : {Fault::no_space, Fault::broken, Fault::interrupted, Fault::cut})
      good = survives(fault) && good;
  } else if (arguments[1] == std::string("flush")) {
    for (const taper::FileFormat format : {taper::FileFormat::zip, taper::FileFormat::legacy})
      good = flushes(checkpoint(1), {.format = format}) && good;
    path = folder + "/x.safetensors";
    const auto tensors =
        taper::Value::dict({{"a", taper::ones({1000})}, {"b", taper::ones({1000})}});
    const taper::SaveOptions shards{.format = taper::FileFormat::safetensors,
                                    .max_shard_size = 4000};
    good = flushes(tensors, shards) && good;
  } else if (arguments[1] == std::string("taken")) {
    good = avoids_taken_names();
  } else {
    const int points = std::atoi(count > 3 ? arguments[3] : "1000");
    for (int n = 1; n <= points && good; ++n) good = survives_killing(n);
  }
  return good ? 0 : 1;
}
