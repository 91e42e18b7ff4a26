// Consistency of the metadata of distributed checkpoints.
#include <algorithm>
#include <optional>
#include <tuple>

#include "core/check.h"
#include "io/dcp/metadata.h"
#include "io/text.h"

namespace taper::io {
namespace {

/// Returns the number of elements; nullopt if it exceeds 2^63 - 1.
std::optional<std::int64_t> volume_of(const Shape& sizes) {
  std::int64_t volume = 1;
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  for (const std::int64_t n : sizes)
    if (__builtin_mul_overflow(volume, n, &volume)) return {};
  return volume;
}

bool is_inside(const ChunkStorageMetadata& chunk, const Shape& size) {
  if (chunk.offsets.size() != size.size() || chunk.sizes.size() != size.size()) return false;
  for (std::size_t d = 0; d < size.size(); ++d)
    if (chunk.offsets[d] > size[d] || chunk.sizes[d] > size[d] - chunk.offsets[d]) return false;
  return true;
}

bool overlaps(const ChunkStorageMetadata& a, const ChunkStorageMetadata& b) {
  for (std::size_t d = 0; d < a.sizes.size(); ++d)
    if (a.offsets[d] >= b.offsets[d] + b.sizes[d] || b.offsets[d] >= a.offsets[d] + a.sizes[d])
      return false;
  return true;
}

/// Returns true if two of the chunks, which are not empty, overlap. Compares each chunk with those
/// before it that reach its first row.
bool have_overlap(std::vector<const ChunkStorageMetadata*> chunks) {
  const auto begin = [](const ChunkStorageMetadata* c) { return c->offsets[0]; };
  const auto end = [](const ChunkStorageMetadata* c) { return c->offsets[0] + c->sizes[0]; };
  std::sort(chunks.begin(), chunks.end(),
            [&](const auto* a, const auto* b) { return begin(a) < begin(b); });
  std::vector<const ChunkStorageMetadata*> active;
  for (const ChunkStorageMetadata* const chunk : chunks) {
    std::erase_if(active, [&](const auto* other) { return end(other) <= begin(chunk); });
    for (const ChunkStorageMetadata* const other : active)
      if (overlaps(*chunk, *other)) return true;
    active.push_back(chunk);
  }
  return false;
}

std::string find_tensor_error(const TensorStorageMetadata& tensor,
                              const std::vector<StorageInfo>& storage) {
  const auto volume = volume_of(tensor.size);
  if (!volume) return format_message("the sizes {} are too large", tensor.size);
  std::int64_t covered = 0;
  std::vector<const ChunkStorageMetadata*> filled;
  for (std::size_t i = 0; i < tensor.chunks.size(); ++i) {
    const ChunkStorageMetadata& chunk = tensor.chunks[i];
    if (!is_inside(chunk, tensor.size))
      return format_message("the chunk of {} elements at {} exceeds the tensor of {}", chunk.sizes,
                            chunk.offsets, tensor.size);
    const std::int64_t elements = *volume_of(chunk.sizes);
    if (tensor.dtype && static_cast<std::uint64_t>(elements) >
                            storage[i].length / std::max<std::size_t>(1, size_of(*tensor.dtype)))
      return format_message("the chunk of {} elements at {} does not fit into {} bytes",
                            chunk.sizes, chunk.offsets, storage[i].length);
    if (elements == 0) continue;
    // Disjoint chunks cannot exceed the tensor, so that a sum that overflows is an overlap.
    if (__builtin_add_overflow(covered, elements, &covered)) return "chunks overlap";
    filled.push_back(&chunk);
  }
  if (covered > *volume || (!tensor.size.empty() && have_overlap(filled))) return "chunks overlap";
  if (covered < *volume)
    return format_message("the chunks have {} of {} elements", covered, *volume);
  return "";
}

/// Returns an error if the bytes of two pieces overlap: a small file could otherwise expand to many
/// tensors.
std::string find_location_error(const Metadata& metadata) {
  std::vector<std::pair<const StorageInfo*, const EntryMetadata*>> pieces;
  for (const EntryMetadata& entry : metadata.entries)
    for (const StorageInfo& piece : entry.storage) pieces.emplace_back(&piece, &entry);
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first->relative_path, a.first->offset) <
           std::tie(b.first->relative_path, b.first->offset);
  });
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const StorageInfo &a = *pieces[i - 1].first, &b = *pieces[i].first;
    if (a.relative_path == b.relative_path && b.offset - a.offset < a.length)
      return format_message("the pieces of '{}' and '{}' overlap in {}",
                            escape_for_message(pieces[i - 1].second->name),
                            escape_for_message(pieces[i].second->name),
                            escape_for_message(a.relative_path));
  }
  return "";
}

}  // namespace

std::string find_dcp_error(const Metadata& metadata) {
  for (const EntryMetadata& entry : metadata.entries) {
    if (!entry.tensor) continue;
    const std::string why = find_tensor_error(*entry.tensor, entry.storage);
    if (!why.empty()) return "'" + escape_for_message(entry.name) + "': " + why;
  }
  return find_location_error(metadata);
}

}  // namespace taper::io
