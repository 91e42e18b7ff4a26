// Distributed checkpoints: folders to which each rank writes its part of a state dict.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/value.h"
#include "taper/dist/process_group.h"
#include "taper/io/distributed_checkpoint.h"

namespace TAPER_API taper {
namespace distributed::checkpoint {

/// Options of save and load.
struct CheckpointOptions {
  Group process_group{};  ///< the ranks that call the function; default: all ranks
};

/// Writes a nested state dict to the folder `checkpoint_id`, which is created if it does not exist
/// and must be accessible to all ranks. Collective; without a process group, writes alone.
///
/// Each rank writes its parts of the tensors that `fully_shard` or `parallelize_module` has
/// divided, which it recognizes in the results of `get_model_state_dict` and
/// `get_optimizer_state_dict`. All other tensors and values must be equal on all ranks; each is
/// written by one rank. PyTorch reads the folder (torch.distributed.checkpoint.load,
/// format_utils.dcp_to_torch_save), as does taper::load. As in PyTorch, keys of dicts become
/// strings, and dicts without entries are omitted.
///
/// Writing is atomic: the files of the ranks get names that the folder does not contain, the
/// metadata are replaced when all of them are flushed to disk, and files of a previous checkpoint
/// are removed afterward. A failure at any point preserves the previous checkpoint.
///
/// Returns the metadata. If a rank fails, throws its error on that rank, and RuntimeError with its
/// text on the others: IoError if writing fails, TypeError for a value that a checkpoint cannot
/// contain, ValueError for two entries with one name or for tensors of different shapes.
/// PyTorch: torch.distributed.checkpoint.save.
Metadata save(const Value& state_dict, const std::string& checkpoint_id,
              const CheckpointOptions& options = {});

/// Writes a dict of tensors as a checkpoint of the libraries of Hugging Face: whole tensors in
/// shards `model-00001-of-00004.safetensors`, for the path `model.safetensors`, and the index
/// `model.safetensors.index.json`. Collective; without a process group, writes alone.
///
/// Each rank gathers and writes the tensors that it owns: they are assigned by falling size, each
/// to the rank with the fewest bytes. Tensors that are not divided must be equal on all ranks.
/// Memory is needed for the owned tensors and one other. A single shard is written to the path
/// itself. The index is written last; files of a previous checkpoint are removed afterward.
///
/// Throws as `save`, and the errors of taper::save for safetensors.
/// PyTorch: torch.distributed.checkpoint.HuggingFaceStorageWriter with enable_consolidation.
void save_safetensors(const Value& state_dict, const std::string& path,
                      const CheckpointOptions& options = {});

/// Loads a checkpoint into a nested state dict: elements are copied into its tensors, and its other
/// values are replaced. Collective; without a process group, loads alone. Entries of the checkpoint
/// that the state dict does not have are ignored.
///
/// The checkpoint may have been written by any number of ranks: each rank reads the elements of its
/// parts. A checkpoint of whole tensors is accepted as well: every file or directory that
/// taper::load accepts, such as the index of sharded safetensors, of which each rank reads its
/// parts if the file can be mapped. Entries are found by their paths, joined by dots. Pass the
/// tensors of a model through `get_model_state_dict` and `get_optimizer_state_dict`, then the
/// loaded state dict to `set_optimizer_state_dict`; the tensors of the model are loaded in place.
///
/// If a rank fails, throws its error on that rank, and RuntimeError with its text on the others;
/// the state dict is unchanged on all ranks. LoadError for files that cannot be read, KeyError for
/// an entry that the checkpoint does not have, ShapeError for a tensor of another shape. PyTorch:
/// torch.distributed.checkpoint.load.
void load(const Value& state_dict, const std::string& checkpoint_id,
          const CheckpointOptions& options = {});

}  // namespace distributed::checkpoint
}  // namespace taper
