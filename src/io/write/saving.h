// What save and save_async share.
#pragma once
#include <condition_variable>
#include <string>
#include <vector>

#include "io/write/document.h"

namespace taper::io {

/// What a save consists of.
struct Plan {
  std::vector<NamedDocument> files{};  ///< in the order in which they get their names
  std::string shards_of{};             ///< the path that they are shards of
};
/// Throws for what cannot be written.
Plan plan(const Value& value, const std::string& path, const SaveOptions& options);
/// All are on disk before the first gets its name.
void write_files(const Plan& plan);

/// A place in the queue of a path: saves of one path go one after the other, in the order of their
/// places.
class Turn {
 public:
  /// Waits for those before it.
  explicit Turn(const std::string& path) : Turn(path, Later()) { wait(); }
  struct Later {};
  /// Only takes the place.
  Turn(const std::string& path, Later);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  void wait();

 private:
  std::string key_;
  std::uint64_t number_;
};

}  // namespace taper::io
