// Variables of launchers.
#include "dist/launch/launch.h"

#include <gtest/gtest.h>

#include <map>

#include "dist/support.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::error_text;

std::map<std::string, std::string> fake_variables;

Launch launch_with(std::map<std::string, std::string> variables) {
  fake_variables = std::move(variables);
  return read_launch([](const char* name) -> const char* {
    const auto found = fake_variables.find(name);
    return found == fake_variables.end() ? nullptr : found->second.c_str();
  });
}

std::string launch_error(const std::map<std::string, std::string>& variables) {
  return error_text([&] { launch_with(variables); });
}

TEST(ReadLaunch, IsOneProcessWithoutVariables) {
  for (const Launch& launch : {launch_with({}), launch_with({{"WORLD_SIZE", "1"}}),
                               launch_with({{"RANK", ""}, {"WORLD_SIZE", ""}})}) {
    EXPECT_EQ(launch.launcher, Launcher::none);
    EXPECT_EQ(launch.rank, 0);
    EXPECT_EQ(launch.size, 1);
  }
}

TEST(ReadLaunch, OfTorchrun) {
  const Launch launch = launch_with({{"RANK", "3"},
                                     {"WORLD_SIZE", "4"},
                                     {"LOCAL_RANK", "1"},
                                     {"LOCAL_WORLD_SIZE", "2"},
                                     {"MASTER_ADDR", "10.0.0.1"},
                                     {"MASTER_PORT", "29500"},
                                     {"TORCHELASTIC_RUN_ID", "job7"},
                                     {"TORCHELASTIC_RESTART_COUNT", "2"},
                                     {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  EXPECT_EQ(launch.launcher, Launcher::torchrun);
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.size, 4);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 2);
  EXPECT_EQ(launch.job, "job7/2");
  EXPECT_EQ(launch.rendezvous->str(), "10.0.0.1:29501");
  EXPECT_FALSE(launch.has_mpi);
}

TEST(ReadLaunch, OfTaperRun) {
  const Launch launch =
      launch_with({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", "taper-4711"}});
  EXPECT_EQ(launch.launcher, Launcher::taper_run);
  EXPECT_EQ(name_of(launch.launcher), "taper run");
  EXPECT_EQ(launch.job, "taper-4711/0");
}

TEST(ReadLaunch, UsesMasterPortWithoutAnAgent) {
  const Launch launch = launch_with(
      {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "::1"}, {"MASTER_PORT", "29500"}});
  EXPECT_EQ(launch.launcher, Launcher::variables);
  EXPECT_EQ(launch.rendezvous->str(), "[::1]:29500");
  EXPECT_EQ(launch.local_rank, std::nullopt);
}

TEST(ReadLaunch, RendezvousVariableHasPrecedence) {
  const Launch launch = launch_with({{"RANK", "0"},
                                     {"WORLD_SIZE", "2"},
                                     {"MASTER_ADDR", "a"},
                                     {"MASTER_PORT", "1"},
                                     {"TAPER_RENDEZVOUS", "[fe80::1]:80"}});
  EXPECT_EQ(launch.rendezvous->host, "fe80::1");
  EXPECT_EQ(launch.rendezvous->port, 80);
}

TEST(ReadLaunch, OfOpenMpi) {
  const Launch launch = launch_with({{"OMPI_COMM_WORLD_RANK", "1"},
                                     {"OMPI_COMM_WORLD_SIZE", "2"},
                                     {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_EQ(launch.launcher, Launcher::open_mpi);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.local_size, 2);
  EXPECT_TRUE(launch.has_mpi);
  EXPECT_FALSE(launch.rendezvous);
  EXPECT_TRUE(contains(launch.rendezvous_problem, "TAPER_RENDEZVOUS"));
}

TEST(ReadLaunch, OfPmi) {
  const Launch launch = launch_with(
      {{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "1"}});
  EXPECT_EQ(launch.launcher, Launcher::pmi);
  EXPECT_EQ(launch.rank, 2);
  EXPECT_EQ(launch.local_rank, 0);
}

const std::map<std::string, std::string> kStep = {
    {"SLURM_JOB_ID", "77"},        {"SLURM_STEP_ID", "3"},
    {"SLURM_PROCID", "5"},         {"SLURM_STEP_NUM_TASKS", "8"},
    {"SLURM_NTASKS", "16"},        {"SLURM_LOCALID", "1"},
    {"SLURM_STEP_NUM_NODES", "4"}, {"SLURM_STEP_NODELIST", "node[07-09,12]"}};

TEST(ReadLaunch, OfSlurm) {
  const Launch launch = launch_with(kStep);
  EXPECT_EQ(launch.launcher, Launcher::slurm);
  EXPECT_EQ(launch.rank, 5);
  EXPECT_EQ(launch.size, 8);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.job, "slurm-77.3/0");
  EXPECT_EQ(launch.rendezvous->host, "node07");
  EXPECT_GE(launch.rendezvous->port, 15000);
  EXPECT_LT(launch.rendezvous->port, 30000);
}

TEST(ReadLaunch, OfSlurmOnOneNodeUsesLoopback) {
  auto variables = kStep;
  variables["SLURM_STEP_NUM_NODES"] = "1";
  EXPECT_EQ(launch_with(variables).rendezvous->host, "127.0.0.1");
}

TEST(ReadLaunch, BatchScriptOfSlurmIsOneProcess) {
  EXPECT_EQ(
      launch_with({{"SLURM_JOB_ID", "77"}, {"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}).launcher,
      Launcher::none);
}

TEST(ReadLaunch, TorchrunInsideOfOthersHasPrecedence) {
  auto variables = kStep;
  variables.insert({{"RANK", "1"},
                    {"WORLD_SIZE", "2"},
                    {"MASTER_ADDR", "a"},
                    {"MASTER_PORT", "2"},
                    {"TORCHELASTIC_RUN_ID", "none"},
                    {"OMPI_COMM_WORLD_RANK", "0"},
                    {"OMPI_COMM_WORLD_SIZE", "1"}});
  EXPECT_EQ(launch_with(variables).launcher, Launcher::torchrun);
  EXPECT_EQ(launch_with(variables).size, 2);
}

TEST(ReadLaunch, RejectsIncompleteVariables) {
  EXPECT_EQ(launch_error({{"WORLD_SIZE", "4"}}),
            "init_process_group: WORLD_SIZE is 4, but RANK is not set; the launcher must set both");
  EXPECT_EQ(launch_error({{"PMI_RANK", "0"}}),
            "init_process_group: PMI_RANK is 0, but PMI_SIZE is not set; the launcher must set "
            "both");
  EXPECT_EQ(
      launch_with({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}).rendezvous_problem,
      "MASTER_ADDR is set, but MASTER_PORT is not");
}

TEST(ReadLaunch, RejectsInvalidValues) {
  EXPECT_TRUE(contains(launch_error({{"RANK", "one"}, {"WORLD_SIZE", "2"}}),
                       "RANK is 'one', expected a non-negative integer"));
  EXPECT_TRUE(contains(launch_error({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}), "RANK is '-1'"));
  EXPECT_TRUE(contains(launch_error({{"RANK", "2"}, {"WORLD_SIZE", "2"}}),
                       "RANK is 2, but WORLD_SIZE is 2; ranks are less than the size"));
  EXPECT_TRUE(contains(launch_error({{"RANK", "0"}, {"WORLD_SIZE", "0"}}), "WORLD_SIZE is 0"));
  const std::map<std::string, std::string> two = {
      {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}};
  auto variables = two;
  variables["MASTER_PORT"] = "70000";
  EXPECT_TRUE(contains(launch_error(variables), "MASTER_PORT is '70000', expected a port"));
  variables["MASTER_PORT"] = "65535";
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  EXPECT_TRUE(contains(launch_error(variables), "set TAPER_RENDEZVOUS"));
  variables["TAPER_RENDEZVOUS"] = "nowhere";
  EXPECT_TRUE(contains(launch_error(variables), "TAPER_RENDEZVOUS is 'nowhere', expected host:p"));
  variables = two;
  variables["LOCAL_RANK"] = "2";
  EXPECT_TRUE(contains(launch_error(variables), "LOCAL_RANK is 2, but WORLD_SIZE is 2"));
}

TEST(ReadLaunch, RejectsContradictions) {
  EXPECT_EQ(launch_error({{"RANK", "0"},
                          {"WORLD_SIZE", "2"},
                          {"OMPI_COMM_WORLD_RANK", "0"},
                          {"OMPI_COMM_WORLD_SIZE", "4"}}),
            "init_process_group: RANK and WORLD_SIZE are 0 and 2, but Open MPI started rank 0 of "
            "4; unset RANK and WORLD_SIZE, or start the program with one launcher");
  EXPECT_EQ(launch_with({{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "4"}})
                .launcher,
            Launcher::pmi);
}

TEST(FirstSlurmHost, ReadsRanges) {
  EXPECT_EQ(first_slurm_host("login"), "login");
  EXPECT_EQ(first_slurm_host("a,b"), "a");
  EXPECT_EQ(first_slurm_host("node[3,5-7],x"), "node3");
  EXPECT_EQ(first_slurm_host("rack[1-2]n[004-9]"), "rack1n004");
  EXPECT_EQ(first_slurm_host("node["), "");
  EXPECT_EQ(first_slurm_host("node[x]"), "");
  EXPECT_EQ(first_slurm_host(""), "");
}

}  // namespace
}  // namespace taper::distributed
