// StoreAdapter: the store of a job as that of Gloo.
#pragma once
#include <gloo/rendezvous/store.h>

#include <string>
#include <vector>

#include "taper/dist/c_api.h"

namespace taper::dist_engines {

class StoreAdapter final : public gloo::rendezvous::Store {
 public:
  StoreAdapter(const taper_dist_rendezvous& rendezvous, int size);

  void set(const std::string& key, const std::vector<char>& data) override;
  /// Throws std::runtime_error, which names the rank whose key does not exist in time.
  std::vector<char> get(const std::string& key) override;
  void wait(const std::vector<std::string>& keys) override;
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override;

 private:
  std::string rank_text(const std::string& key) const;

  const taper_dist_rendezvous& rendezvous_;
  int size_;
};

}  // namespace taper::dist_engines
