// Writer of the files of distributed checkpoints.
#pragma once
#include <string>

#include "io/dcp/metadata.h"
#include "io/write/atomic_file.h"

namespace taper::io {

/// File of pieces: archives of torch.save, each of which begins at a multiple of 64 bytes, so that
/// its tensors can be mapped.
class DcpPieceFile {
 public:
  explicit DcpPieceFile(const std::string& path) : file_(path) {}
  /// Writes a value, or the elements of a tensor without others of its storage. Returns the
  /// location without the name of the file. Throws the errors of `save`.
  StorageInfo append(const Value& value);
  /// Flushes the file to disk and renames it to its path.
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
};

/// Creates the folder and its parents if they do not exist. Returns a number that no file of pieces
/// in the folder has. Throws IoError.
int prepare_dcp_folder(const std::string& folder);
/// Returns the name of a file of pieces: "__<rank>_<number>.distcp".
std::string dcp_piece_name(int rank, int number);
/// Replaces the metadata in the folder atomically, then removes the files of pieces that they do
/// not contain. Throws IoError.
void commit_dcp_metadata(const std::string& folder, const Metadata& metadata);

}  // namespace taper::io
