// Failures of jobs of several processes, which find each other on the loopback interface.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "dist/support.h"
#include "support/program.h"
#include "taper_paths.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::Environment;
using test::ProgramResult;

/// Results of the ranks of a job.
struct JobResult {
  std::vector<ProgramResult> ranks;
  double seconds = 0;
};

/// Returns variables of a job of `size` ranks on the loopback interface.
Environment job_variables(int rank, int size, int port) {
  Environment variables = {{"RANK", std::to_string(rank)},
                           {"WORLD_SIZE", std::to_string(size)},
                           {"MASTER_ADDR", "127.0.0.1"},
                           {"MASTER_PORT", std::to_string(port)}};
  for (const char* name : {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_USE_AGENT_STORE",
                           "TAPER_RENDEZVOUS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    variables.emplace_back(name, std::nullopt);
  // LeakSanitizer crashes if a thread of Gloo ends while it stops all threads.
  const char* const sanitizer = std::getenv("ASAN_OPTIONS");
  variables.emplace_back("ASAN_OPTIONS",
                         (sanitizer ? sanitizer + std::string(":") : "") + "detect_leaks=0");
  return variables;
}

int random_port() {
  static std::mt19937 random{std::random_device()()};
  return std::uniform_int_distribution(20000, 32000)(random);
}

JobResult run_scenario(const std::string& name, int size, const Environment& changes = {}) {
  JobResult job;
  job.ranks.resize(static_cast<std::size_t>(size));
  const auto begin = std::chrono::steady_clock::now();
  const int port = random_port();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      Environment variables = job_variables(rank, size, port);
      variables.insert(variables.end(), changes.begin(), changes.end());
      job.ranks[static_cast<std::size_t>(rank)] =
          test::run_program({TAPER_BIN_DIR "/taper_test_ranks", "--scenario=" + name}, variables);
    });
  for (std::thread& thread : threads) thread.join();
  job.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return job;
}

class GlooJob : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(TAPER_BIN_DIR "/../lib/libtaper_dist_gloo.so"))
      GTEST_SKIP() << "Gloo is not installed (./dev setup dist)";
  }

  static void expect_error(const JobResult& job, std::size_t rank, const std::string& text) {
    EXPECT_EQ(job.ranks[rank].status, 3) << "rank " << rank;
    EXPECT_TRUE(contains(job.ranks[rank].err, text))
        << "rank " << rank << ": " << job.ranks[rank].err;
  }
  /// Expects that both ranks report the call of the other one, or the reason of the rank that has
  /// failed first.
  static void expect_difference(const JobResult& job, const std::string& call_of_0,
                                const std::string& call_of_1) {
    const std::string reasons[] = {"rank 1 called " + call_of_1, "rank 0 called " + call_of_0};
    for (const std::size_t rank : {0u, 1u}) {
      const std::string& text = job.ranks[rank].err;
      EXPECT_EQ(job.ranks[rank].status, 3) << "rank " << rank;
      EXPECT_TRUE(contains(text, reasons[rank]) || contains(text, reasons[1 - rank]))
          << "rank " << rank << ": " << text;
    }
  }
};

TEST_F(GlooJob, Succeeds) {
  const JobResult job = run_scenario("start_and_sum", 3);
  for (const ProgramResult& rank : job.ranks) EXPECT_EQ(rank.status, 0) << rank.err;
}

TEST_F(GlooJob, SurvivorsNameADeadRank) {
  const JobResult job = run_scenario("dead_rank", 4);
  for (const std::size_t rank : {0u, 1u, 2u})
    expect_error(job, rank, "all_reduce(sum) of float32 [4]: rank 3 has ended");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, SurvivorsNameADeadRankZero) {
  const JobResult job = run_scenario("dead_rank_zero", 3);
  for (const std::size_t rank : {1u, 2u}) expect_error(job, rank, "rank 0 has ended");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, SurvivorsNameARankThatDiedWithinAMessage) {
  const JobResult job = run_scenario("dead_rank_within_message", 2);
  expect_error(job, 0, "all_reduce(sum) of float32 [16777216]: rank 1 has ended");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, SurvivorsNameARankThatThrew) {
  const JobResult job = run_scenario("failing_rank", 3);
  expect_error(job, 1, "no data");
  for (const std::size_t rank : {0u, 2u}) expect_error(job, rank, "barrier: rank 1 has ended");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, TimeoutNamesARankThatDoesNotCall) {
  const JobResult job = run_scenario("absent_rank", 3);
  const std::string text = job.ranks[0].err + job.ranks[2].err;
  EXPECT_TRUE(contains(text,
                       "all_reduce(sum) of float32 [4]: timed out after 1 s: rank 1 has not "
                       "called it"))
      << text;
  for (const std::size_t rank : {0u, 2u}) expect_error(job, rank, "rank 1 has not called it");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, TimeoutNamesARankThatDoesNotRespond) {
  const JobResult job = run_scenario("stopped_rank", 2);
  expect_error(job, 0, "timed out after 1 s: rank 1 does not answer");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, TimeoutNamesARankZeroThatDoesNotRespond) {
  const JobResult job = run_scenario("stopped_rank_zero", 2);
  expect_error(job, 1, "timed out after 1 s: rank 0 does not answer");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, OtherSizesFail) {
  const JobResult job = run_scenario("other_size", 2);
  expect_difference(job, "all_reduce(sum) of float32 [4]", "all_reduce(sum) of float32 [5]");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, OtherCallsFail) {
  expect_difference(run_scenario("other_call", 2), "all_reduce(sum) of float32 [4]", "barrier");
}

TEST_F(GlooJob, DebugModeNamesBothCalls) {
  const JobResult job = run_scenario("other_size_in_debug_mode", 2);
  for (const std::size_t rank : {0u, 1u})
    expect_error(job, rank,
                 "collectives do not match at call 1: rank 0 called all_reduce(sum) of float32 [3, "
                 "2], rank 1 called all_reduce(sum) of float32 [2, 3]");
}

TEST_F(GlooJob, OtherSplitsFail) {
  const JobResult job = run_scenario("other_split", 2);
  EXPECT_TRUE(contains(job.ranks[1].err, "mismatch") || contains(job.ranks[1].err, "timed out"))
      << job.ranks[1].err;
  EXPECT_EQ(job.ranks[0].status, 3) << job.ranks[0].err;
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, MessagesOfOtherSizesTimeOut) {
  const JobResult job = run_scenario("message_of_other_size", 2);
  expect_error(job, 1, "recv of float32 [4] from rank 0");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, MessageTimeoutsNameTheRank) {
  const JobResult job = run_scenario("no_message", 2);
  expect_error(job, 0, "recv of float32 [4] from rank 1: timed out after 1 s: rank 1 has not sent");
}

TEST_F(GlooJob, AbortCarriesItsReason) {
  const JobResult job = run_scenario("aborting_rank", 3);
  for (const std::size_t rank : {0u, 1u, 2u}) expect_error(job, rank, "disk is full");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, NamesARankThatDoesNotStart) {
  const JobResult job = run_scenario("missing_rank", 3);
  for (const std::size_t rank : {0u, 2u})
    expect_error(job, rank, "rank 1 has not joined the group within 1 s");
  EXPECT_LT(job.seconds, 30);
}

TEST_F(GlooJob, ReportsAnUnreachableRankZero) {
  // Nothing listens on this port, which a process cannot use without privileges either.
  const ProgramResult result = test::run_program(
      {TAPER_BIN_DIR "/taper_test_ranks", "--scenario=missing_rank"}, job_variables(2, 3, 1));
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err,
            "init_process_group: rank 2: cannot connect to rank 0 at 127.0.0.1:1: Connection "
            "refused\n");
}

TEST_F(GlooJob, ReportsTwoProcessesWithTheSameRank) {
  const JobResult job = run_scenario("missing_rank", 3, {{"RANK", "0"}});
  int in_use = 0;
  for (const ProgramResult& rank : job.ranks)
    in_use += contains(rank.err, "rank 0 cannot listen at 127.0.0.1:");
  EXPECT_EQ(in_use, 2) << job.ranks[0].err << job.ranks[1].err << job.ranks[2].err;
}

TEST_F(GlooJob, ReportsMissingAddresses) {
  const JobResult job = run_scenario("start_and_sum", 2, {{"MASTER_PORT", std::nullopt}});
  expect_error(job, 0, "engine 'gloo': MASTER_ADDR is set, but MASTER_PORT is not");
}

TEST_F(GlooJob, FindsRankZeroByTaperRendezvous) {
  const std::string rendezvous = "127.0.0.1:" + std::to_string(random_port());
  const JobResult job = run_scenario("start_and_sum", 3,
                                     {{"MASTER_ADDR", std::nullopt},
                                      {"MASTER_PORT", std::nullopt},
                                      {"TAPER_RENDEZVOUS", rendezvous}});
  for (const ProgramResult& rank : job.ranks) EXPECT_EQ(rank.status, 0) << rank.err;
}

TEST_F(GlooJob, ReportsAnUnknownNetworkInterface) {
  Environment variables = job_variables(0, 2, random_port());
  variables.emplace_back("GLOO_SOCKET_IFNAME", "nonexistent");
  const ProgramResult result =
      test::run_program({TAPER_BIN_DIR "/taper_test_ranks", "--scenario=start_and_sum"}, variables);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err,
            "process group: rank 0: GLOO_SOCKET_IFNAME is 'nonexistent', expected the name of a "
            "network interface with an address\n");
}

TEST_F(GlooJob, ContinuesOnFewerRanks) {
  const std::string taper = TAPER_BIN_DIR "/taper";
  if (!std::filesystem::exists(taper)) GTEST_SKIP() << "the tools are not built";
  const ProgramResult result =
      test::run_program({taper, "run", "-n", "2:3", "--max-restarts", "1",
                         TAPER_BIN_DIR "/taper_test_ranks", "--scenario=restart"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* const rank : {"0", "1"}) {
    const std::string prefix = "[" + std::string(rank) + "] ";
    EXPECT_TRUE(contains(
        result.err, prefix + "rank " + rank + ": all_reduce(sum) of float32 [1]: rank 2 has ended"))
        << result.err;
    EXPECT_TRUE(contains(result.out, prefix + "sum of ones: 2")) << result.out;
  }
  EXPECT_TRUE(contains(result.err,
                       "rank 2 was ended by signal 9 (Killed); the other ranks were "
                       "ended; restart 1 of 1 with 2 ranks"))
      << result.err;
}

/// Jobs of MPI, which the launcher ends.
class MpiJob : public testing::TestWithParam<std::string> {
 protected:
  /// Runs ranks; `result` has both streams of each.
  static ProgramResult run_ranks(const std::string& argument, const Environment& changes = {},
                                 int size = 2) {
    Environment variables = {{"RANK", std::nullopt}, {"WORLD_SIZE", std::nullopt}};
    variables.insert(variables.end(), changes.begin(), changes.end());
    ProgramResult result =
        test::run_program({TAPER_SOURCE_DIR "/tests/dist/run_ranks.sh", GetParam(),
                           std::to_string(size), TAPER_BIN_DIR "/taper_test_ranks", argument},
                          variables);
    result.err += result.out;
    return result;
  }
  /// As run_ranks, up to three times until the output contains `text`: when a process aborts, the
  /// launcher of MPICH may discard output that it has not read.
  static ProgramResult run_ranks_until(const std::string& argument, const std::string& text,
                                       int size = 2) {
    ProgramResult result = run_ranks(argument, {}, size);
    for (int i = 1; i < 3 && result.status != 77 && !contains(result.err, text); ++i)
      result = run_ranks(argument, {}, size);
    return result;
  }
};

TEST_P(MpiJob, MakesAllCallsInOneThreadWithoutThreadSupport) {
  const ProgramResult result =
      run_ranks("--gtest_filter=Engine*-*AllTypes:*UnevenCounts:*LargeAndEmpty*",
                {{"TAPER_MPI_THREADS", "single"}});
  if (result.status == 77) GTEST_SKIP() << result.out;
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_P(MpiJob, EndsWithARank) {
  const ProgramResult result = run_ranks("--scenario=dead_rank");
  if (result.status == 77) GTEST_SKIP() << result.out;
  EXPECT_NE(result.status, 0);
}

TEST_P(MpiJob, KeepsTheStatusOfARankThatFailed) {
  const ProgramResult result = run_ranks_until("--scenario=failing_rank", "no data");
  if (result.status == 77) GTEST_SKIP() << result.out;
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(contains(result.err, "no data")) << result.err;
}

TEST_P(MpiJob, TimeoutEndsAllRanks) {
  const std::string text = "rank 0: all_reduce(sum) of float32 [4]: timed out after 1 s";
  const ProgramResult result = run_ranks_until("--scenario=absent_rank", text);
  if (result.status == 77) GTEST_SKIP() << result.out;
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(contains(result.err, text)) << result.err;
}

TEST_P(MpiJob, TimeoutEndsTheCreationOfAGroup) {
  const std::pair<std::string, std::string> cases[] = {
      {"absent_member", "process group: rank 0: rank 1 has not created the group within 1 s"},
      {"absent_first_member",
       "process group: rank 1: rank 0 or another rank has not created the group within 1 s"}};
  for (const auto& [scenario, text] : cases) {
    // The group is a part of the job.
    const ProgramResult result = run_ranks_until("--scenario=" + scenario, text, 3);
    if (result.status == 77) GTEST_SKIP() << result.out;
    EXPECT_EQ(result.status, 3);
    EXPECT_TRUE(contains(result.err, text)) << result.err;
  }
}

TEST_P(MpiJob, DebugModeNamesBothCalls) {
  const std::string text =
      "rank 0 called all_reduce(sum) of float32 [3, 2], rank 1 called all_reduce(sum) of float32 "
      "[2, 3]";
  const ProgramResult result = run_ranks_until("--scenario=other_size_in_debug_mode", text);
  if (result.status == 77) GTEST_SKIP() << result.out;
  EXPECT_NE(result.status, 0);
  EXPECT_TRUE(contains(result.err, text)) << result.err;
}

TEST_P(MpiJob, RejectsTheLauncherOfTheOther) {
  const bool is_open_mpi = GetParam() == "openmpi";
  const std::string other = is_open_mpi ? "mpich" : "openmpi";
  if (!std::filesystem::exists(TAPER_BIN_DIR "/../lib/libtaper_dist_" + other + ".so"))
    GTEST_SKIP() << "the engine " << other << " is not built";
  const ProgramResult result = run_ranks("--backend=" + other);
  if (result.status == 77) GTEST_SKIP() << result.out;
  EXPECT_NE(result.status, 0);
  EXPECT_TRUE(contains(result.err, is_open_mpi ? "built for MPICH, but OMPI_COMM_WORLD_SIZE is set"
                                               : "built for Open MPI, but PMI_SIZE is set"))
      << result.err;
}

INSTANTIATE_TEST_SUITE_P(, MpiJob, testing::Values("openmpi", "mpich"),
                         [](const auto& info) { return info.param; });

TEST(ProcessJob, ReportsEnginesThatCannotBeLoaded) {
  for (const auto& [run_id, launcher] :
       {std::pair<std::optional<std::string>, const char*>{
            std::nullopt, "a program that set RANK and WORLD_SIZE"},
        {"none", "torchrun"},
        {"taper-7", "taper run"}}) {
    const JobResult job =
        run_scenario("start_and_sum", 2,
                     {{"TAPER_DIST_ENGINES", "/nonexistent"}, {"TORCHELASTIC_RUN_ID", run_id}});
    EXPECT_TRUE(contains(job.ranks[0].err,
                         "init_process_group: cannot connect the 2 processes started by " +
                             std::string(launcher) +
                             ": engine 'gloo': /nonexistent/libtaper_dist_gloo.so: cannot open"))
        << job.ranks[0].err;
    EXPECT_TRUE(contains(job.ranks[0].err, "Install Gloo (libgloo-dev on Debian)"));
  }
}

}  // namespace
}  // namespace taper::distributed
