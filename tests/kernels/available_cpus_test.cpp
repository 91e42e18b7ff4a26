// Number of available processors: texts of control groups, quotas of nested groups.
#include "cpu/available_cpus.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace taper::cpu {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(AvailableCpus, AtLeastOne) { EXPECT_GE(available_cpus(), 1); }

TEST(ParseOmpNumThreads, ReadsFirstNumber) {
  EXPECT_EQ(parse_omp_num_threads("4"), 4);
  EXPECT_EQ(parse_omp_num_threads(" 3 , 2"), 3);
  for (const char* text : {"", "0", "-2", "four", "4x", ",4", "99999999999"})
    EXPECT_EQ(parse_omp_num_threads(text), std::nullopt) << text;
}

TEST(ParseCpuMax, DividesQuotaByPeriod) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("50000 100000"), 0.5);
  for (const char* text : {"max 100000\n", "", "100000", "1 0", "-1 100000", "a b"})
    EXPECT_EQ(parse_cpu_max(text), std::nullopt) << text;
}

TEST(ParseCfsQuota, DividesQuotaByPeriod) {
  EXPECT_EQ(parse_cfs_quota("200000\n", "100000\n"), 2.0);
  EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("", ""), std::nullopt);
}

TEST(CgroupFolders, FindsUnifiedGroup) {
  EXPECT_EQ(cgroup_folders("0::/user.slice/job\n",
                           "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"),
            (std::vector<CgroupFolder>{{"/sys/fs/cgroup", "/user.slice/job", 2}}));
}

TEST(CgroupFolders, FindsGroupOfCpuController) {
  const char* const cgroup = "5:cpuset:/a\n4:cpu,cpuacct:/docker/12ab/job\n0::/\n";
  const char* const mounts =
      "32 31 0:29 /docker/12ab /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
      "33 31 0:30 / /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n"
      "34 31 0:31 / /proc rw - proc proc rw\n"
      "bad line\n";
  EXPECT_EQ(cgroup_folders(cgroup, mounts),
            (std::vector<CgroupFolder>{{"/sys/fs/cgroup/cpu,cpuacct", "/job", 1}}));
}

TEST(CgroupFolders, EmptyInput) { EXPECT_TRUE(cgroup_folders("", "").empty()); }

TEST(CpuQuota, IsLeastOfNestedGroups) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path();
  write(root / "proc/self/cgroup", "3:cpu:/a\n0::/outer/inner\n");
  write(root / "proc/self/mountinfo",
        "30 23 0:26 / /cgroup rw - cgroup2 cgroup2 rw\n31 23 0:27 / /v1 rw - cgroup cgroup cpu\n");
  EXPECT_EQ(cpu_quota(root.string()), std::nullopt);
  write(root / "cgroup/outer/inner/cpu.max", "max 100000\n");
  write(root / "cgroup/outer/cpu.max", "250000 100000\n");
  EXPECT_EQ(cpu_quota(root.string()), 2.5);
  write(root / "v1/a/cpu.cfs_quota_us", "300000\n");
  write(root / "v1/a/cpu.cfs_period_us", "200000\n");
  EXPECT_EQ(cpu_quota(root.string()), 1.5);
}

}  // namespace
}  // namespace taper::cpu
