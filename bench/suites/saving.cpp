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
const Value& large() {
  static const Value v = large_checkpoint();
  return v;
}
std::string path() { return memory_place() + "/saved"; }

/// Removes the file and saves to a new one: replacing a file also frees its pages within the save.
void save_new(const Value& v, FileFormat format = FileFormat::zip) {
  unlink(path().c_str());
  save(v, path(), {.format = format});
}

void write_plainly() {
  unlink(path().c_str());
  const int fd = open(path().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (const auto& [name, t] : large().as_dict()) {
    auto left = std::as_bytes(t.as_tensor().data<const float>());
    while (!left.empty()) {
      const ssize_t n = write(fd, left.data(), left.size());
      if (n <= 0) std::abort();
      left = left.subspan(static_cast<std::size_t>(n));
    }
  }
  close(fd);
}

/// Returns the ratio of the time of `f` to that of write_plainly. Each function first removes the
/// file of the other, so that both free the same pages.
template <class F> double over_write(const F& f) {
  large();
  const double q = quotient(f, write_plainly);
  unlink(path().c_str());
  return q;
}

}  // namespace

std::vector<Benchmark> saving_suite() {
  const auto save_large = [] { save_new(large()); };
  return {
      {.name = "1 GB saved as .pt into memory",
       .unit = "ms",
       .measure =
           [=] {
             large();
             return once(save_large) * 1e3;
           },
       .baseline = "save_large"},
      {.name = "1 GB saved as .pt, over write()",
       .unit = "x",
       .measure = [=] { return over_write(save_large); },
       .budget = 1.1},
      {.name = "1 GB saved as .safetensors, over write()",
       .unit = "x",
       .measure = [] { return over_write([] { save_new(large(), FileFormat::safetensors); }); },
       .budget = 1.1},
      {.name = "1 GB copied by save_async before it returns",
       .unit = "ms",
       .measure =
           [] {
             large();
             SaveHandle handle;
             return once([&] { handle = save_async(large(), path()); }) * 1e3;
           },
       .rounds = 3},
      {.name = "5,000 small tensors saved",
       .unit = "ms",
       .measure =
           [] {
             static const Value v = small_checkpoint();
             return once([] { save_new(v); }) * 1e3;
           },
       .budget = 8,
       .baseline = "save_many"},
  };
}

}  // namespace taper::bench
