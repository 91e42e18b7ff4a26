#include "files/bounds.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/build.h"
#include "taper/core/memory.h"

extern "C" int __lsan_do_recoverable_leak_check() __attribute__((weak));

namespace taper::oracle {
namespace {

constexpr std::uint64_t kMax = std::uint64_t{64} << 20;  // allowed besides the file or its tensors

/// Returns a field of /proc/self/status in bytes; 0 if it does not exist.
std::uint64_t read_status_field(const std::string& field) {
  std::ifstream in("/proc/self/status");
  std::uint64_t kilobytes = 0;
  for (std::string name; in >> name;) {
    if (name == field + ":") {
      in >> kilobytes;
      break;
    }
    std::getline(in, name);
  }
  return kilobytes << 10;
}

std::size_t open_files() {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

bool is_mapped(const std::string& path) {
  std::ifstream in("/proc/self/maps");
  for (std::string line; std::getline(in, line);)
    if (line.ends_with(path)) return true;
  return false;
}

double processor_time() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

std::uint64_t excess(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

}  // namespace

unsigned seconds_allowed() { return build::kInstrumented ? 30 : 5; }

Bounds::Bounds(std::string path, std::uint64_t file_bytes)
    : path_(std::move(path)),
      file_bytes_(file_bytes),
      resident_(read_status_field("VmRSS")),
      reserved_(read_status_field("VmSize")),
      allocated_(memory::stats().allocated),
      open_files_(open_files()),
      lap_(processor_time()) {}

double Bounds::lap() {
  const double before = lap_;
  lap_ = processor_time();
  return lap_ - before;
}

void Bounds::record_peak() {
  peak_resident_ = read_status_field("VmHWM"), peak_reserved_ = read_status_field("VmPeak");
}

void Bounds::check_memory(std::uint64_t tensor_bytes, std::vector<std::string>& failures) const {
  if constexpr (build::kInstrumented) return;
  const std::uint64_t allowed = kMax + std::max(file_bytes_, tensor_bytes);
  if (const auto more = excess(peak_resident_, resident_); more > allowed)
    failures.push_back(fmt::format(
        "memory limit exceeded: got {} bytes in use, expected at most {}", more, allowed));
  // Reserved memory counts even if it is never accessed. The file itself may be mapped.
  if (const auto more = excess(peak_reserved_, reserved_); more > allowed + file_bytes_)
    failures.push_back(
        fmt::format("memory limit exceeded: got {} bytes reserved, expected at most {}", more,
                    allowed + file_bytes_));
}

void Bounds::check_leftovers(std::vector<std::string>& failures) const {
  if (const std::size_t now = open_files(); now > open_files_)
    failures.push_back(fmt::format("{} files were not closed", now - open_files_));
  if (is_mapped(path_)) failures.push_back("the file was not unmapped");
  if (const auto more = excess(memory::stats().allocated, allocated_))
    failures.push_back(fmt::format("{} bytes of tensors were not released", more));
  if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
    failures.push_back("memory leak");
}

}  // namespace taper::oracle
