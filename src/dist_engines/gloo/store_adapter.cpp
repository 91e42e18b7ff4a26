#include "dist_engines/gloo/store_adapter.h"

#include <cstdio>
#include <stdexcept>

namespace taper::dist_engines {
namespace {

std::string scoped_key(const taper_dist_rendezvous& rendezvous, const std::string& key) {
  return "gloo/" + std::string(rendezvous.key) + "/" + key;
}

}  // namespace

StoreAdapter::StoreAdapter(const taper_dist_rendezvous& rendezvous, int size)
    : rendezvous_(rendezvous), size_(size) {}

void StoreAdapter::set(const std::string& key, const std::vector<char>& data) {
  const taper_dist_store& store = *rendezvous_.store;
  if (store.set(store.context, scoped_key(rendezvous_, key).c_str(), data.data(), data.size()) !=
      TAPER_DIST_OK)
    throw std::runtime_error(store.explain(store.context));
}

/// Gloo's keys end with the rank in the group: "2", "rank_2".
std::string StoreAdapter::rank_text(const std::string& key) const {
  const std::string digits = key.substr(key.find_last_not_of("0123456789") + 1);
  if (digits.empty() || digits.size() > 7 || std::stoi(digits) >= size_) return "another rank";
  return "rank " + std::to_string(rendezvous_.ranks[std::stoi(digits)]);
}

std::vector<char> StoreAdapter::get(const std::string& key) {
  const taper_dist_store& store = *rendezvous_.store;
  const void* value = nullptr;
  std::size_t size = 0;
  const taper_dist_status status = store.get(store.context, scoped_key(rendezvous_, key).c_str(),
                                             rendezvous_.timeout, &value, &size);
  if (status == TAPER_DIST_TIMED_OUT) {
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%g", rendezvous_.timeout);
    throw std::runtime_error(rank_text(key) + " has not joined the group within " + seconds + " s");
  }
  if (status != TAPER_DIST_OK) throw std::runtime_error(store.explain(store.context));
  const char* const bytes = static_cast<const char*>(value);
  return {bytes, bytes + size};
}

void StoreAdapter::wait(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) get(key);
}

void StoreAdapter::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) {
  wait(keys);  // the timeout is that of the rendezvous
}

}  // namespace taper::dist_engines
