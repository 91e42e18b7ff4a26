// Reading of checkpoints: a file of 1 GB in the page cache, and one with many small tensors.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "../benchmark.h"
#include "../child.h"
#include "../files.h"
#include "../folder.h"
#include "taper/core/memory.h"
#include "taper_paths.h"

namespace taper::bench {
namespace {

template <class Make>
std::string ensure_file(const char* name, const Make& make, const SaveOptions& options = {}) {
  const std::string path = memory_folder() + "/" + name;
  if (!std::filesystem::exists(path)) save(make(), path, options);
  memory::empty_cache();  // memory held by this program counts for its child processes
  return path;
}
std::string large_file() { return ensure_file("large.pt", large_checkpoint); }
std::string small_file() { return ensure_file("small.pt", small_checkpoint); }
std::string safetensors_file() {
  return ensure_file("large.safetensors", large_checkpoint, {.format = FileFormat::safetensors});
}

void read_whole() { static_cast<void>(load(large_file(), {.mmap = false})); }

/// Reads the large file with read() into new huge pages.
void read_into_huge_pages() {
  const std::string path = large_file();
  const auto bytes = std::filesystem::file_size(path);
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  auto* to = static_cast<char*>(std::aligned_alloc(kHuge, (bytes + kHuge - 1) / kHuge * kHuge));
  madvise(to, bytes, MADV_HUGEPAGE);
  const int fd = open(path.c_str(), O_RDONLY);
  for (std::size_t at = 0; at < bytes;) {
    const ssize_t n = read(fd, to + at, bytes - at);
    if (n <= 0) std::abort();
    at += static_cast<std::size_t>(n);
  }
  close(fd);
  std::free(to);
}

void load_first_tensor() {
  const Value v = load(large_file());
  static_cast<void>(v["layer0.weight"].as_tensor()[0].item<float>());
}

void sum_mapped() {
  const Value v = load(large_file());
  double sum = 0;
  for (const auto& [name, t] : v.as_dict()) sum += t.as_tensor().sum().item<double>();
  if (sum == 0.5) std::abort();
}

/// Sums the floats of the mapped large file in a loop with 64 accumulators, which the compiler
/// vectorizes.
void sum_with_mmap() {
  const std::string path = large_file();
  const auto bytes = std::filesystem::file_size(path);
  const int fd = open(path.c_str(), O_RDONLY);
  const auto* from = static_cast<const float*>(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0));
  close(fd);
  float sums[64] = {};
  for (std::size_t i = 0; i + 64 <= bytes / sizeof(float); i += 64)
    for (std::size_t k = 0; k < 64; ++k) sums[k] += from[i + k];
  munmap(const_cast<float*>(from), bytes);
  if (std::accumulate(sums, sums + 64, 0.0f) == 0.5f) std::abort();
}

/// Returns the peak memory of a program that loads the large file, minus that of an empty program,
/// relative to the size of the file. `load_mode` is "copy" or "map".
double relative_peak_memory(const char* load_mode) {
  const auto measure_memory = [](const std::string& task) {
    return run_child({std::string(TAPER_BIN_DIR) + "/taper_bench", "--child", task}).megabytes;
  };
  const double size = static_cast<double>(std::filesystem::file_size(large_file())) / (1 << 20);
  return (measure_memory(load_mode + (":" + large_file())) - measure_memory("empty")) / size;
}

}  // namespace

std::vector<Benchmark> loading_suite() {
  // Returns a function that creates the file and then measures `f` in milliseconds.
  const auto ms = [](std::string (*path)(), auto f) {
    return [=] {
      path();
      return time_once(f) * 1e3;
    };
  };
  return {
      {.name = "peak memory of reading a .pt, over its size",
       .unit = "x",
       .measure = [] { return relative_peak_memory("copy"); },
       .budget = 1.02,
       .rounds = 1},
      {.name = "peak memory of mapping a .pt, over its size",
       .unit = "x",
       .measure = [] { return relative_peak_memory("map"); },
       .budget = 0.02,
       .rounds = 1},
      {.name = "1 GB .pt read into memory",
       .unit = "ms",
       .measure = ms(large_file, read_whole),
       .baseline = "load_copied"},
      {.name = "1 GB .pt read, over read() into huge pages",
       .unit = "x",
       .measure = [] { return time_ratio(read_whole, read_into_huge_pages); },
       .budget = 1.1},
      {.name = "1 GB .pt mapped, first tensor",
       .unit = "ms",
       .measure = ms(large_file, load_first_tensor),
       .budget = 5,
       .baseline = "load_mapped"},
      {.name = "1 GB .pt mapped, every float summed",
       .unit = "ms",
       .measure = ms(large_file, sum_mapped),
       .baseline = "load_summed"},
      {.name = "1 GB .pt mapped and summed, over a simple loop",
       .unit = "x",
       .measure = [] { return time_ratio(sum_mapped, sum_with_mmap); },
       .budget = 1.1},
      {.name = "1 GB .safetensors opened",
       .unit = "ms",
       .measure = ms(safetensors_file, [] { static_cast<void>(load(safetensors_file())); }),
       .budget = 2,
       .baseline = "load_safetensors"},
      {.name = "5,000 small tensors loaded",
       .unit = "ms",
       .measure =
           [] {
             const std::string path = small_file();
             return seconds_per_call([&] { static_cast<void>(load(path)); }) * 1e3;
           },
       .budget = 5,
       .baseline = "load_many"},
  };
}

}  // namespace taper::bench
