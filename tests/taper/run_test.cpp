// The subcommand `taper run`.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "command.h"

namespace taper::cli::test {
namespace {

std::vector<std::string> sorted_lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

Outcome run_script(std::vector<std::string> options, const std::string& script) {
  options.insert(options.begin(), "run");
  options.insert(options.end(), {"/bin/sh", "-c", script});
  return run(options);
}

/// Time of a scope.
struct Seconds {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  double count() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

TEST(Run, SetsVariablesOfTorchrun) {
  const Outcome done = run_script(
      {"-n", "2", "--no-prefix", "--max-restarts", "3", "--master-port", "29511"},
      "echo $RANK $LOCAL_RANK $ROLE_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $ROLE_WORLD_SIZE "
      "$GROUP_RANK "
      "$GROUP_WORLD_SIZE $ROLE_NAME $MASTER_ADDR $MASTER_PORT $TORCHELASTIC_RESTART_COUNT "
      "$TORCHELASTIC_MAX_RESTARTS $TORCHELASTIC_USE_AGENT_STORE ${TORCHELASTIC_RUN_ID:+id}");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(sorted_lines(done.out),
            (std::vector<std::string>{"0 0 0 2 2 2 0 1 default 127.0.0.1 29511 0 3 False id",
                                      "1 1 1 2 2 2 0 1 default 127.0.0.1 29511 0 3 False id"}));
}

TEST(Run, SetsThreadsOfSeveralRanksOnly) {
  const std::string script = "echo threads ${OMP_NUM_THREADS:-unset}";
  const auto threads = [&](const std::string& prefix, const std::string& n) {
    return run_shell(prefix + " $TAPER run -n " + n + " --no-prefix /bin/sh -c '" + script + "'")
        .out;
  };
  EXPECT_EQ(threads("env -u OMP_NUM_THREADS", "1"), "threads unset\n");
  EXPECT_EQ(threads("env -u OMP_NUM_THREADS", "2"), "threads 1\nthreads 1\n");
  EXPECT_EQ(threads("OMP_NUM_THREADS=3", "2"), "threads 3\nthreads 3\n");
}

TEST(Run, PrefixesLines) {
  const Outcome done = run_script({"-n", "2"}, "echo a; echo b; printf c; echo d >&2");
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(sorted_lines(done.out),
            (std::vector<std::string>{"[0] a", "[0] b", "[0] c", "[1] a", "[1] b", "[1] c"}));
  EXPECT_EQ(sorted_lines(done.err), (std::vector<std::string>{"[0] d", "[1] d"}));
}

TEST(Run, PassesArguments) {
  const Outcome done = run({"run", "--no-prefix", "/bin/echo", "-n", "2", "--json", "a b"});
  EXPECT_EQ(done.out, "2 --json a b\n");
}

// As for mpirun, `--` may precede the program.
TEST(Run, AcceptsASeparatorBeforeTheProgram) {
  EXPECT_EQ(run({"run", "--no-prefix", "-n", "2", "--", "/bin/echo", "a", "-n"}).out,
            "a -n\na -n\n");
  EXPECT_EQ(run({"run", "--no-prefix", "--", "/bin/echo", "a", "--", "b"}).out, "a -- b\n");
  EXPECT_EQ(run({"run", "--no-prefix", "/bin/echo", "--", "b"}).out, "-- b\n");
  EXPECT_EQ(run({"run", "--nproc=2", "--", "/bin/echo", "[1,2]"}).status, 0);
  EXPECT_TRUE(contains(run({"run", "-n", "2", "--"}).err, "a program is required"));
}

TEST(Run, IsNamedInErrorsOfItsJobs) {
  const Outcome done = run_shell(
      "TAPER_DIST_ENGINES=/nonexistent $TAPER run -n 2 --no-prefix -- "
      "$TAPER plan-dist 'Linear(4, 2)' --input 8x4 --check");
  EXPECT_NE(done.status, 0);
  EXPECT_TRUE(contains(done.err,
                       "the 2 processes started by taper run: engine 'gloo': "
                       "/nonexistent/libtaper_dist_gloo.so: cannot open"))
      << done.err;
  EXPECT_TRUE(contains(done.err, "Install Gloo (libgloo-dev on Debian)")) << done.err;
}

TEST(Run, EndsAllRanksAfterAFailure) {
  const Seconds time;
  const Outcome done = run_script({"-n", "3"}, "[ $RANK = 1 ] && exit 7; sleep 60");
  EXPECT_EQ(done.status, 7);
  EXPECT_EQ(done.err, "taper run: rank 1 exited with status 7; the other ranks were ended\n");
  EXPECT_LT(time.count(), 2);
}

TEST(Run, KillsRanksThatIgnoreSIGTERM) {
  const Seconds time;
  const Outcome done =
      run_script({"-n", "2"}, "trap '' TERM; [ $RANK = 1 ] && kill -9 $$; sleep 60 & wait; wait");
  EXPECT_EQ(done.status, 137);
  EXPECT_TRUE(contains(done.err, "rank 1 was ended by signal 9 (Killed)")) << done.err;
  EXPECT_LT(time.count(), 2);
}

TEST(Run, LetsRanksReportAFailure) {
  const Outcome done =
      run_script({"-n", "2"}, "[ $RANK = 1 ] && exit 3; sleep 0.1; echo rank 1 has ended; exit 4");
  EXPECT_EQ(done.out, "[0] rank 1 has ended\n");
  EXPECT_EQ(done.status, 3);
}

TEST(Run, RestartsAllRanks) {
  const Outcome done =
      run_script({"-n", "2", "--max-restarts", "2"},
                 "echo $TORCHELASTIC_RESTART_COUNT; [ $TORCHELASTIC_RESTART_COUNT = 2 ] || exit 5");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(contains(done.err, "restart 1 of 2 with 2 ranks")) << done.err;
  EXPECT_TRUE(contains(done.err, "restart 2 of 2 with 2 ranks")) << done.err;
  EXPECT_TRUE(contains(done.out, "[0] 2\n")) << done.out;
}

TEST(Run, KeepsTheStatusIfRestartsAreUsedUp) {
  const Outcome done = run_script({"-n", "2", "--max-restarts", "1"},
                                  "[ $RANK = $TORCHELASTIC_RESTART_COUNT ] || sleep 60; exit "
                                  "$((4 + TORCHELASTIC_RESTART_COUNT))");
  EXPECT_EQ(done.status, 5) << done.err;
}

TEST(Run, RestartsWithFewerRanks) {
  const Outcome done = run_script({"-n", "2:4", "--max-restarts", "3", "--no-prefix"},
                                  "[ $RANK = 0 ] && echo $WORLD_SIZE; [ $RANK = 1 ] || sleep 60; "
                                  "exit 1");
  EXPECT_EQ(done.out, "4\n3\n2\n2\n");
  EXPECT_EQ(done.status, 1);
}

TEST(Run, ForwardsSignals) {
  const Outcome done = run_shell(
      "$TAPER run -n 2 /bin/sh -c 'trap \"echo got it; exit 0\" TERM; sleep 60 & wait' & "
      "sleep 0.5; kill -TERM $!; wait $!");
  EXPECT_EQ(done.status, 128 + 15) << done.err;
  EXPECT_EQ(sorted_lines(done.out), (std::vector<std::string>{"[0] got it", "[1] got it"}));
}

TEST(Run, ReportsProgramsThatCannotBeStarted) {
  const Outcome done = run({"run", "-n", "2", "./nonexistent"});
  EXPECT_EQ(done.status, 1);
  EXPECT_EQ(done.err, "taper: cannot start ./nonexistent: No such file or directory\n");
}

TEST(Run, RejectsInvalidOptions) {
  EXPECT_TRUE(contains(run({"run"}).err, "run: a program is required"));
  for (const char* const n : {"0", "x", "3:2", "1:", "-1"}) {
    const Outcome done = run({"run", "-n", n, "true"});
    EXPECT_EQ(done.status, 2) << n;
  }
  EXPECT_TRUE(contains(run({"run", "--restarts", "true"}).err, "unknown option '--restarts'"));
}

}  // namespace
}  // namespace taper::cli::test
