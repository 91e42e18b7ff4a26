#include "dist/ranks/scenarios.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

#include "taper/core/factory.h"
#include "taper/dist/dist.h"

namespace taper::test {
namespace {

using namespace distributed;

Tensor vector_of(std::int64_t size) { return ones({size}); }

void start(double timeout) { init_process_group({.timeout = Timeout(timeout)}); }

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// The last rank ends without a message while the others wait for it.
void dead_rank() {
  start(60);
  all_reduce(vector_of(4));
  if (get_rank() == get_world_size() - 1) raise(SIGKILL);
  all_reduce(vector_of(4));
}

/// The last rank ends while the others receive a message from it.
void dead_rank_within_message() {
  init_process_group({.timeout = Timeout(60), .deterministic = true});
  const Tensor x = zeros({std::int64_t{1} << 24});
  const Work work = all_reduce(x, {.async_op = true});
  if (get_rank() == get_world_size() - 1) {
    sleep_seconds(0.02);
    raise(SIGKILL);
  }
  work.wait();
  all_reduce(x);
}

/// The last rank ends in the first attempt; the other ranks continue in the second one.
void restart() {
  start(60);
  const Tensor x = vector_of(1);
  all_reduce(x);
  const std::string_view attempt = std::getenv("TORCHELASTIC_RESTART_COUNT");
  if (attempt == "0") {
    if (get_rank() == get_world_size() - 1) raise(SIGKILL);
    all_reduce(x);
  }
  std::cout << "sum of ones: " << x.item<float>() << std::endl;
  destroy_process_group();
}

void dead_rank_zero() {
  start(60);
  all_reduce(vector_of(4));
  if (get_rank() == 0) raise(SIGKILL);
  all_reduce(vector_of(4));
}

/// A rank throws, and its process ends.
void failing_rank() {
  start(60);
  if (get_rank() == 1) throw ValueError("no data");
  barrier();
}

/// Rank 1 does not call a collective.
void absent_rank() {
  start(1);
  if (get_rank() == 1) sleep_seconds(2);
  if (get_rank() != 1) all_reduce(vector_of(4));
}

/// Rank `rank` does not respond for some seconds.
void stop_rank(int rank) {
  start(1);
  barrier();
  if (get_rank() == rank) {
    const pid_t self = getpid();
    if (fork() == 0) {
      sleep_seconds(rank == 0 ? 8 : 4);
      kill(self, SIGCONT);
      _exit(0);
    }
    raise(SIGSTOP);
  }
  all_reduce(vector_of(4));
}

void stopped_rank() { stop_rank(1); }
void stopped_rank_zero() { stop_rank(0); }

void other_size() {
  start(2);
  all_reduce(vector_of(get_rank() == 1 ? 5 : 4));
}

void other_call() {
  start(2);
  if (get_rank() == 1)
    barrier();
  else
    all_reduce(vector_of(4));
}

void other_size_in_debug_mode() {
  start(30);
  set_debug_level(DebugLevel::detail);
  all_reduce(get_rank() == 1 ? ones({2, 3}) : ones({3, 2}));
}

/// Sizes that an engine cannot compare are not written outside of a buffer.
void other_split() {
  start(2);
  all_to_all_single(empty({4}), vector_of(4),
                    {.output_split_sizes = {2, 2},
                     .input_split_sizes = get_rank() == 1 ? std::vector<std::int64_t>{1, 3}
                                                          : std::vector<std::int64_t>{2, 2}});
}

void message_of_other_size() {
  start(2);
  if (get_rank() == 0)
    send(vector_of(5), 1);
  else
    recv(vector_of(4), 0);
}

void no_message() {
  start(1);
  if (get_rank() == 0) recv(vector_of(4), 1);
  sleep_seconds(get_rank() == 1 ? 2 : 0);
}

/// Rank 1 fails in a call of its own; the others learn the reason.
void aborting_rank() {
  start(60);
  if (get_rank() == 1) default_group()->abort("disk is full");
  all_reduce(vector_of(4));
}

/// Rank 1 does not create a group with rank 0.
void absent_member() {
  start(1);
  if (get_rank() == 0) new_group({0, 1});
  sleep_seconds(get_rank() == 0 ? 0 : 3);
}

/// The first member does not create a group.
void absent_first_member() {
  start(1);
  if (get_rank() == 1) new_group({0, 1});
  sleep_seconds(get_rank() == 1 ? 0 : 3);
}

/// Rank 1 does not start.
void missing_rank() {
  if (std::getenv("RANK") == std::string_view("1")) return;
  start(1);
}

/// Prints the median time of a sum of one number.
void latency() {
  start(60);
  const Tensor x = zeros({1});
  std::vector<double> times;
  for (int i = 0; i < 20000; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    all_reduce(x);
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  std::sort(times.begin(), times.end());
  if (get_rank() == 0) std::cout << "all_reduce: " << times[times.size() / 2] << " us\n";
  destroy_process_group();
}

void start_and_sum() {
  start(10);
  all_reduce(vector_of(4));
  destroy_process_group();
}

}  // namespace

int run_scenario(std::string_view name) {
  const std::map<std::string_view, void (*)()> scenarios = {
      {"dead_rank", dead_rank},
      {"dead_rank_zero", dead_rank_zero},
      {"dead_rank_within_message", dead_rank_within_message},
      {"restart", restart},
      {"failing_rank", failing_rank},
      {"absent_rank", absent_rank},
      {"stopped_rank", stopped_rank},
      {"stopped_rank_zero", stopped_rank_zero},
      {"other_size", other_size},
      {"other_call", other_call},
      {"other_size_in_debug_mode", other_size_in_debug_mode},
      {"other_split", other_split},
      {"message_of_other_size", message_of_other_size},
      {"no_message", no_message},
      {"aborting_rank", aborting_rank},
      {"absent_member", absent_member},
      {"absent_first_member", absent_first_member},
      {"missing_rank", missing_rank},
      {"latency", latency},
      {"start_and_sum", start_and_sum},
      {"write_checkpoints", write_checkpoints}};
  try {
    scenarios.at(name)();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 3;
  }
}

}  // namespace taper::test
