// What save and save_async share.
#pragma once
#include <condition_variable>
#include <string>
#include <vector>

#include "io/write/serialized_file.h"

namespace taper::io {

/// What a save consists of.
struct SavePlan {
  std::vector<NamedFile> files{};  ///< in the order in which they get their names
  std::string shards_of{};         ///< the path that they are shards of
};
/// Throws for what cannot be written.
SavePlan plan(const Value& value, const std::string& path, const SaveOptions& options);
/// All are on disk before the first gets its name.
void write_files(const SavePlan& plan);

/// A place in the queue of a path: saves of one path go one after the other, in the order of their
/// places.
class SaveTicket {
 public:
  /// Waits for those before it.
  explicit SaveTicket(const std::string& path) : SaveTicket(path, Deferred()) { wait(); }
  struct Deferred {};
  /// Only takes the place.
  SaveTicket(const std::string& path, Deferred);
  ~SaveTicket();
  SaveTicket(const SaveTicket&) = delete;
  SaveTicket& operator=(const SaveTicket&) = delete;
  void wait();

 private:
  std::string key_;
  std::uint64_t number_;
};

}  // namespace taper::io
