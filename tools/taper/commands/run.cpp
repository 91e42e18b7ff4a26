// taper run: command-line interface.
#include <charconv>

#include "options.h"
#include "rank_job.h"
#include "suggestion.h"
#include "usage_error.h"

namespace taper::cli {
namespace {

constexpr int kMaxRanks = 4096;

struct RunOptions {
  std::string ranks = "1";
  JobOptions job{};
  bool no_prefix = false;
};

/// Parses "4" or "2:4".
void parse_ranks(const std::string& text, JobOptions& job) {
  const std::size_t colon = text.find(':');
  const auto number = [&](const std::string& part) {
    int value = 0;
    const char* const last = part.data() + part.size();
    const auto [end, error] = std::from_chars(part.data(), last, value);
    if (error != std::errc() || end != last || value < 1 || value > kMaxRanks)
      throw UsageError("--nproc: expected a number from 1 to " + std::to_string(kMaxRanks) +
                       " or a range MIN:MAX, got '" + printable(text) + "'");
    return value;
  };
  job.max_ranks = number(colon == std::string::npos ? text : text.substr(colon + 1));
  job.min_ranks = colon == std::string::npos ? job.max_ranks : number(text.substr(0, colon));
  if (job.min_ranks > job.max_ranks)
    throw UsageError("--nproc: the range " + printable(text) + " is empty");
}

}  // namespace

void add_run(Commands& commands) {
  CLI::App& sub = commands.add(
      "run", "run a program as several processes that train together",
      "  taper run -n 4 ./train --lr 0.1\n"
      "  taper run -n 2:4 --max-restarts 3 ./train    restarts with the ranks that did not fail\n"
      "\n"
      "Each process receives the variables of torchrun: RANK, WORLD_SIZE, LOCAL_RANK,\n"
      "MASTER_ADDR, MASTER_PORT and others. When a rank fails, the others are ended, and the\n"
      "exit status is that of the rank.");
  const auto o = std::make_shared<RunOptions>();
  sub.prefix_command();
  sub.add_option("-n,--nproc", o->ranks,
                 "number of ranks, or a range: the minimum after failures and the number at first")
      ->type_name("N|MIN:MAX")
      ->capture_default_str();
  sub.add_option("--max-restarts", o->job.max_restarts,
                 "number of times that all ranks are started again after a failure")
      ->check(integer_in_range(0, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  sub.add_option("--master-port", o->job.port, "port at which rank 0 listens; 0: a free one")
      ->check(integer_in_range(0, 65535))
      ->type_name("PORT")
      ->capture_default_str();
  sub.add_flag("--no-prefix", o->no_prefix, "print lines of the ranks without [rank] before them");
  commands.set_action(sub, [o, &sub](Out& out) {
    JobOptions job = o->job;
    parse_ranks(o->ranks, job);
    job.command = sub.remaining();
    if (job.command.empty()) throw UsageError("a program is required");
    if (job.command[0].starts_with('-')) throw UsageError(unknown_option_text(sub, job.command[0]));
    job.prefixes = !o->no_prefix;
    out.flush();
    return run_job(job);
  });
}

}  // namespace taper::cli
