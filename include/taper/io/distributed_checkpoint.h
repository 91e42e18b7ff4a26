// Metadata of the checkpoints of torch.distributed.checkpoint: folders of pieces of tensors.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/dtype.h"
#include "taper/core/shape.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace distributed::checkpoint {

/// Part of a tensor: the elements `offsets` to `offsets + sizes` of each dimension.
/// PyTorch: torch.distributed.checkpoint.metadata.ChunkStorageMetadata.
struct ChunkStorageMetadata {
  Shape offsets{}, sizes{};
};

/// Element type, shape and parts of a tensor. The parts are disjoint and cover all elements.
/// PyTorch: torch.distributed.checkpoint.metadata.TensorStorageMetadata.
struct TensorStorageMetadata {
  std::string dtype_name{};      ///< name of the element type in PyTorch: "float32"
  std::optional<DType> dtype{};  ///< empty if the library does not support the element type
  Shape size{};
  std::vector<ChunkStorageMetadata> chunks{};
};

/// Bytes of a file that contain a tensor or object, as torch.save writes it.
struct StorageInfo {
  std::string relative_path{};  ///< name of a file in the folder: "__0_0.distcp"
  std::uint64_t offset = 0, length = 0;
};

/// Entry of a checkpoint: a tensor or any other value.
struct EntryMetadata {
  std::string name{};  ///< "optim.state.fc.weight.exp_avg"
  Values path{};       ///< keys and list indices in the nested state dict
  std::optional<TensorStorageMetadata> tensor{};  ///< empty for other values
  std::vector<StorageInfo> storage{};  ///< location of each chunk of the tensor, or of the value
};

/// Contents of the file `.metadata`. PyTorch: torch.distributed.checkpoint.metadata.Metadata.
struct Metadata {
  std::vector<EntryMetadata> entries{};  ///< in the order of the file
};

/// Reads the metadata of the checkpoint in the folder `checkpoint_id`. Nothing in the file is
/// executed. Throws LoadError if the file cannot be read, or if it is inconsistent: chunks that
/// overlap, exceed the tensor or do not cover it, chunks without a location, locations that
/// overlap, and files outside of the folder. PyTorch:
/// torch.distributed.checkpoint.FileSystemReader(checkpoint_id).read_metadata().
Metadata read_metadata(const std::string& checkpoint_id);

}  // namespace distributed::checkpoint
}  // namespace taper
