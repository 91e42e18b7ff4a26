// Writing of checkpoints: 1 GB into memory, and many small tensors.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <span>

#include "../benchmark.h"
#include "../files.h"
#include "../folder.h"

namespace taper::bench {
namespace {

/// Returns the checkpoint of 1 GB, which is created on first use and shared by all benchmarks.
const Value& cached_checkpoint() {
  static const Value v = large_checkpoint();
  return v;
}
std::string path() { return memory_folder() + "/saved"; }

/// Removes the file and saves to a new one: replacing a file also frees its pages within the save.
void save_new(const Value& v, FileFormat format = FileFormat::zip) {
  unlink(path().c_str());
  save(v, path(), {.format = format});
}

void write_with_syscall() {
  unlink(path().c_str());
  const int fd = open(path().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (const auto& [name, t] : cached_checkpoint().as_dict()) {
    auto remaining = std::as_bytes(t.as_tensor().data<const float>());
    while (!remaining.empty()) {
      const ssize_t n = write(fd, remaining.data(), remaining.size());
      if (n <= 0) std::abort();
      remaining = remaining.subspan(static_cast<std::size_t>(n));
    }
  }
  close(fd);
}

/// Returns the ratio of the time of `f` to that of write_with_syscall. Each function first removes
/// the file of the other, so that both free the same pages.
template <class F> double ratio_to_write(const F& f) {
  cached_checkpoint();
  const double q = time_ratio(f, write_with_syscall);
  unlink(path().c_str());
  return q;
}

}  // namespace

std::vector<Benchmark> saving_suite() {
  const auto save_large = [] { save_new(cached_checkpoint()); };
  return {
      {.name = "1 GB saved as .pt into memory",
       .unit = "ms",
       .measure =
           [=] {
             cached_checkpoint();
             return time_once(save_large) * 1e3;
           },
       .baseline = "save_large"},
      {.name = "1 GB saved as .pt, over write()",
       .unit = "x",
       .measure = [=] { return ratio_to_write(save_large); },
       .budget = 1.1},
      {.name = "1 GB saved as .safetensors, over write()",
       .unit = "x",
       .measure =
           [] {
             return ratio_to_write([] { save_new(cached_checkpoint(), FileFormat::safetensors); });
           },
       .budget = 1.1},
      {.name = "1 GB copied by save_async before it returns",
       .unit = "ms",
       .measure =
           [] {
             cached_checkpoint();
             SaveHandle handle;
             return time_once([&] { handle = save_async(cached_checkpoint(), path()); }) * 1e3;
           },
       .rounds = 3},
      {.name = "5,000 small tensors saved",
       .unit = "ms",
       .measure =
           [] {
             static const Value v = small_checkpoint();
             return time_once([] { save_new(v); }) * 1e3;
           },
       .budget = 8,
       .baseline = "save_many"},
  };
}

}  // namespace taper::bench
