// taper_oracle DIR: runs the case files of a directory and reports which passed, failed, or were
// skipped.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "dist/launched_worker.h"
#include "runner.h"
#include "taper/core/factory.h"
#include "taper/core/parallel.h"
#include "taper/dist/collectives.h"
#include "taper/dist/init.h"
#include "target.h"

namespace {

/// Returns true if `failed` is true on any rank. Launchers of MPI may hang or crash if a rank fails
/// while others finalize MPI.
bool has_failed_on_any_rank(bool failed) {
  const taper::Tensor any = taper::full({}, failed ? 1.0 : 0.0);
  taper::distributed::all_reduce(any, {.op = taper::distributed::ReduceOp::max});
  return any.item<double>() > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (taper::oracle::is_launched_worker()) return taper::oracle::run_launched_worker(argc, argv);
  CLI::App app("Runs golden cases against the library");
  std::string directory, target;
  int threads = 0;
  bool is_job = false;
  taper::oracle::Selection selection;
  app.add_option("DIR", directory,
                 "directory of case files (<family>.json, .safetensors), or of checkpoints and "
                 "their index.json")
      ->required();
  app.add_option("--family", selection.families, "run only these families, or kinds of files");
  app.add_option("--case", selection.cases, "run only the cases with these ids, or these files");
  app.add_flag("--verbose", selection.verbose, "print every case");
  app.add_flag("--strict-stride", selection.strict_stride,
               "files: strides must be the stored ones");
  app.add_option("--write-back", selection.write_back,
                 "files: write the values that were read to this directory, with an index.json; "
                 "events: write the event files of each case to a subdirectory");
  app.add_option("--threads", threads, "number of threads");
  app.add_flag("--job", is_job,
               "run distributed cases on the ranks of the job, of which this process is one");
  app.add_option("--target", target, "instruction set of the vector kernels, such as AVX2");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }
  try {
    if (threads != 0) taper::set_num_threads(threads);
    if (!target.empty()) taper::oracle::select_target(target);
    if (is_job)
      taper::distributed::init_process_group({.timeout = taper::distributed::Timeout(60)});
    const auto total = taper::oracle::run_directory(directory, selection);
    fmt::print("{} passed, {} failed, {} skipped\n", total.passed, total.failed, total.skipped);
    bool has_failed = total.failed > 0;
    if (is_job) {
      has_failed = has_failed_on_any_rank(has_failed);
      taper::distributed::destroy_process_group();
    }
    return has_failed ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "taper_oracle: {}\n", error.what());
    return 2;
  }
}
