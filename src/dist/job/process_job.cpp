#include "dist/job/process_job.h"

#include <algorithm>

#include "core/check.h"
#include "dist/job/engine_loader.h"

namespace taper::distributed {
namespace {

constexpr double kSecondsToLinger = 2;

}  // namespace

ProcessJob::ProcessJob(const Launch& launch, const InitOptions& options) : launch_(launch) {
  std::string problems;
  for (const std::string& name :
       engine_candidates(options.backend, launch, options.communicator != nullptr)) {
    std::string problem;
    if (try_engine(name, options, problem)) return;
    problems += format_message("{}engine '{}': {}", problems.empty() ? "" : "; ", name, problem);
  }
  throw DistributedError(
      format_message("init_process_group: cannot connect the {} processes started by {}: {}",
                     launch.size, name_of(launch.launcher), problems));
}

ProcessJob::~ProcessJob() {
  monitor_ = nullptr;
  if (client_) client_->shut_down();
  if (server_) server_->linger(kSecondsToLinger);
}

bool ProcessJob::try_engine(const std::string& name, const InitOptions& options,
                            std::string& problem) {
  const taper_dist_engine* const engine = load_engine(name, problem);
  if (!engine) return false;
  if (!engine->join) {
    if (options.communicator) {
      problem = "it does not use a communicator of MPI";
      return false;
    }
    if (!launch_.rendezvous) {
      problem = launch_.rendezvous_problem;
      return false;
    }
    connect(options.timeout.count());
    engine_ = engine;
    return true;
  }
  int rank = 0, size = 1;
  if (engine->join(options.communicator, &rank, &size) != TAPER_DIST_OK) {
    problem = engine->explain();
    return false;
  }
  if (!options.communicator && (rank != launch_.rank || size != launch_.size)) {
    problem = format_message("it reports rank {} of {}, but {} started rank {} of {}", rank, size,
                             name_of(launch_.launcher), launch_.rank, launch_.size);
    return false;
  }
  launch_.rank = rank, launch_.size = size;
  engine_ = engine;
  return true;
}

void ProcessJob::connect(double seconds) {
  try {
    if (launch_.rank == 0)
      server_ = std::make_unique<StoreServer>(*launch_.rendezvous, launch_.job, launch_.size);
    client_ = std::make_shared<StoreClient>(*launch_.rendezvous, launch_, seconds);
    monitor_ = std::make_shared<PeerMonitor>(*launch_.rendezvous, launch_, client_, seconds);
  } catch (const Error& error) {
    throw_error(error.kind(),
                format_message("init_process_group: rank {}: {}", launch_.rank, error.what()));
  }
  address_ = client_->address();
  store_ = {this, store_set, store_get,
            [](void* job) { return static_cast<ProcessJob*>(job)->problem_.c_str(); }};
}

taper_dist_status ProcessJob::store_set(void* job, const char* key, const void* value,
                                        std::size_t size) {
  auto& self = *static_cast<ProcessJob*>(job);
  try {
    self.client_->set(key, {static_cast<const char*>(value), size});
    return TAPER_DIST_OK;
  } catch (const std::exception& error) {
    self.problem_ = error.what();
    return TAPER_DIST_FAILED;
  }
}

taper_dist_status ProcessJob::store_get(void* job, const char* key, double seconds,
                                        const void** value, std::size_t* size) {
  auto& self = *static_cast<ProcessJob*>(job);
  try {
    auto found = self.client_->get(key, seconds);
    if (!found) return TAPER_DIST_TIMED_OUT;
    self.value_ = std::move(*found);
    *value = self.value_.data(), *size = self.value_.size();
    return TAPER_DIST_OK;
  } catch (const std::exception& error) {
    self.problem_ = error.what();
    return TAPER_DIST_FAILED;
  }
}

bool ProcessJob::is_compatible(const InitOptions& options) const {
  if (options.communicator) return false;
  const auto names = engine_candidates(options.backend, launch_, false);
  return std::count(names.begin(), names.end(), engine_->name) > 0;
}

void ProcessJob::set_takes_part(bool takes_part) {
  if (!client_) return;
  try {
    client_->set_takes_part(takes_part);
  } catch (const DistributedError&) {}  // rank 0 has ended
}

}  // namespace taper::distributed
