// ProcessJob: the connections of a process to the other processes of its job.
#pragma once
#include <memory>
#include <string>

#include "dist/job/peer_monitor.h"
#include "dist/store/server.h"
#include "taper/dist/c_api.h"
#include "taper/dist/init.h"

namespace taper::distributed {

class ProcessJob {
 public:
  /// Loads an engine and connects to rank 0. Throws ValueError for options that do not fit the
  /// launcher, DistributedError, with a reason per engine, if none can be used.
  ProcessJob(const Launch& launch, const InitOptions& options);
  /// Ends the connections. Rank 0 waits for the others for a short time, since they need its store.
  ~ProcessJob();
  ProcessJob(const ProcessJob&) = delete;
  ProcessJob& operator=(const ProcessJob&) = delete;

  int rank() const { return launch_.rank; }
  int size() const { return launch_.size; }
  const Launch& launch() const { return launch_; }
  const taper_dist_engine& engine() const { return *engine_; }
  /// Returns true if the options select the engine in use.
  bool is_compatible(const InitOptions& options) const;
  /// Null if the engine does not use a store.
  const std::shared_ptr<PeerMonitor>& monitor() const { return monitor_; }
  const taper_dist_store* store() const { return client_ ? &store_ : nullptr; }
  const std::string& address() const { return address_; }
  /// Specifies whether the end of this process is a failure of the job.
  void set_takes_part(bool takes_part);

 private:
  bool try_engine(const std::string& name, const InitOptions& options, std::string& problem);
  void connect(double seconds);
  static taper_dist_status store_set(void* job, const char* key, const void* value,
                                     std::size_t size);
  static taper_dist_status store_get(void* job, const char* key, double seconds, const void** value,
                                     std::size_t* size);

  Launch launch_;
  const taper_dist_engine* engine_ = nullptr;
  std::unique_ptr<StoreServer> server_;
  std::shared_ptr<StoreClient> client_;
  std::shared_ptr<PeerMonitor> monitor_;
  std::string address_{}, value_{}, problem_{};
  taper_dist_store store_{};
};

}  // namespace taper::distributed
