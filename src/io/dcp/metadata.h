// Codec of the file `.metadata` of distributed checkpoints, which is the pickle of an object.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "taper/io/distributed_checkpoint.h"

namespace taper::io {

using distributed::checkpoint::ChunkStorageMetadata;
using distributed::checkpoint::EntryMetadata;
using distributed::checkpoint::Metadata;
using distributed::checkpoint::StorageInfo;
using distributed::checkpoint::TensorStorageMetadata;

inline constexpr std::string_view kDcpMetadataFile = ".metadata";
inline constexpr std::string_view kDcpMetadataModule = "torch.distributed.checkpoint.metadata";

/// Parses the bytes of the file `path`. Throws LoadError for an invalid or inconsistent file.
Metadata parse_dcp_metadata(std::span<const std::byte> bytes, const std::string& path);
/// Returns the bytes of a file that PyTorch reads.
std::string serialize_dcp_metadata(const Metadata& metadata);

/// Returns the first reason to reject the metadata; empty if they are consistent.
std::string find_dcp_error(const Metadata& metadata);

}  // namespace taper::io
