// The number of processors that the process may use: affinity and quotas of control groups.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::cpu {

/// Returns the number of processors of the process's affinity mask, limited by the processor quota
/// of its control group (version 1 or 2) and of the groups above it, rounded up. At least 1.
int available_cpus();

/// Returns the first number of a value of OMP_NUM_THREADS such as "4" or "4,2"; nullopt if it is
/// not positive.
std::optional<int> parse_omp_num_threads(std::string_view text);

/// Returns the processors that the content of a file `cpu.max` ("QUOTA PERIOD") allows; nullopt if
/// it does not limit them.
std::optional<double> parse_cpu_max(std::string_view text);

/// Returns the processors that the contents of `cpu.cfs_quota_us` and `cpu.cfs_period_us` allow;
/// nullopt if they do not limit them.
std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period);

/// Folder of a control group: `path` below `mount`, which ends without a slash.
struct CgroupFolder {
  std::string mount, path;
  int version = 2;
  bool operator==(const CgroupFolder&) const = default;
};

/// Returns the folders of the groups that limit the process's processor time, from the contents of
/// /proc/self/cgroup and /proc/self/mountinfo.
std::vector<CgroupFolder> cgroup_folders(std::string_view cgroup, std::string_view mountinfo);

/// Returns the smallest processor quota of the process whose files are below `root` instead of "/";
/// nullopt if it is not limited.
std::optional<double> cpu_quota(const std::string& root);

}  // namespace taper::cpu
