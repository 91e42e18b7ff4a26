#include "cpu/available_cpus.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <thread>

namespace taper::cpu {
namespace {

/// Removes and returns the text before `separator`, or all of it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\r";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

template <class T> std::optional<T> parse_positive(std::string_view text) {
  text = trim(text);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

bool contains_item(std::string_view list, std::string_view item) {
  while (!list.empty())
    if (take_until(list, ',') == item) return true;
  return false;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<double> quota_of_group(const std::string& folder, int version) {
  if (version == 2) return parse_cpu_max(read_file(folder + "/cpu.max"));
  return parse_cfs_quota(read_file(folder + "/cpu.cfs_quota_us"),
                         read_file(folder + "/cpu.cfs_period_us"));
}

int affinity_count() {
#ifdef __linux__
  // The kernel's mask may be larger than cpu_set_t.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(cpus));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    const int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

std::optional<int> parse_omp_num_threads(std::string_view text) {
  return parse_positive<int>(take_until(text, ','));
}

std::optional<double> parse_cpu_max(std::string_view text) {
  text = trim(text);
  const auto quota = parse_positive<double>(take_until(text, ' '));
  const auto period = parse_positive<double>(text);
  return quota && period ? std::optional(*quota / *period) : std::nullopt;
}

std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period) {
  const auto q = parse_positive<double>(quota);
  const auto p = parse_positive<double>(period);
  return q && p ? std::optional(*q / *p) : std::nullopt;
}

std::vector<CgroupFolder> cgroup_folders(std::string_view cgroup, std::string_view mountinfo) {
  // Lines "ID:CONTROLLERS:PATH". Version 2 has the id 0 and no controllers.
  std::optional<std::string> unified, cpu;
  while (!cgroup.empty()) {
    std::string_view line = take_until(cgroup, '\n');
    const std::string_view id = take_until(line, ':'), controllers = take_until(line, ':');
    if (id == "0" && controllers.empty()) unified = line;
    if (contains_item(controllers, "cpu")) cpu = line;
  }
  std::vector<CgroupFolder> folders;
  while (!mountinfo.empty()) {
    // "ID PARENT DEVICE ROOT MOUNT OPTIONS [FIELD...] - TYPE SOURCE SUPER_OPTIONS"
    std::string_view line = take_until(mountinfo, '\n');
    for (int i = 0; i < 3; ++i) take_until(line, ' ');
    std::string_view root = take_until(line, ' '), mount = take_until(line, ' ');
    const std::size_t separator = line.find(" - ");
    if (separator == std::string_view::npos) continue;
    line.remove_prefix(separator + 3);
    const std::string_view type = take_until(line, ' ');
    take_until(line, ' ');
    const bool is_unified = type == "cgroup2";
    if (!is_unified && (type != "cgroup" || !contains_item(trim(line), "cpu"))) continue;
    const std::optional<std::string>& path = is_unified ? unified : cpu;
    if (!path) continue;
    // A container may mount a part of the tree, whose root is a prefix of the path.
    if (root == "/") root = "";
    std::string below = path->starts_with(root) ? path->substr(root.size()) : "";
    while (below.ends_with('/')) below.pop_back();
    folders.push_back({std::string(mount), std::move(below), is_unified ? 2 : 1});
  }
  return folders;
}

std::optional<double> cpu_quota(const std::string& root) {
  std::optional<double> least;
  for (CgroupFolder& folder : cgroup_folders(read_file(root + "/proc/self/cgroup"),
                                             read_file(root + "/proc/self/mountinfo")))
    for (;;) {
      if (const auto quota = quota_of_group(root + folder.mount + folder.path, folder.version))
        least = least ? std::min(*least, *quota) : *quota;
      if (folder.path.empty()) break;
      folder.path.resize(std::min(folder.path.rfind('/'), folder.path.size() - 1));
    }
  return least;
}

int available_cpus() {
  const int count = affinity_count();
  const std::optional<double> quota = cpu_quota("");
  if (!quota) return count;
  return static_cast<int>(std::clamp(std::ceil(*quota), 1.0, static_cast<double>(count)));
}

}  // namespace taper::cpu
