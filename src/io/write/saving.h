// Steps shared by save() and save_async().
#pragma once
#include <condition_variable>
#include <string>
#include <vector>

#include "io/write/serialized_file.h"

namespace taper::io {

/// The files that a save writes.
struct SavePlan {
  std::vector<NamedFile> files{};  ///< in the order in which they are renamed to their final paths
  std::string shards_of{};  ///< path of the checkpoint if `files` are its shards, otherwise empty
};
/// Serializes `value` without writing to disk. Throws if it cannot be saved.
SavePlan plan(const Value& value, const std::string& path, const SaveOptions& options);
/// Writes the files. All of them are flushed to disk before the first is renamed to its final path.
void write_files(const SavePlan& plan);

/// Ticket for a path. Saves to one path are executed in the order of their tickets.
class SaveTicket {
 public:
  /// Draws a ticket and waits for all earlier ones.
  explicit SaveTicket(const std::string& path) : SaveTicket(path, Deferred()) { wait(); }
  struct Deferred {};
  /// Draws a ticket without waiting.
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
