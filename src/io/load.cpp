#include "taper/io/load.h"

#include <cstring>

#include "core/check.h"
#include "io/formats.h"

namespace taper {
namespace {

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

/// Whether the first eight bytes can be the length of a safetensors header.
bool has_header_length(std::span<const std::byte> bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) return false;
  std::memcpy(&size, bytes.data(), sizeof size);
  return size <= bytes.size() - sizeof size;
}

bool is_pickle(std::span<const std::byte> bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{0x80} && bytes[1] >= std::byte{2} &&
         bytes[1] <= std::byte{5};
}

}  // namespace

Value load(const std::string& path, const LoadOptions& options) {
  const io::MappedFile file(path);
  const auto bytes = file.bytes();
  if (starts_with(bytes, "PK\3\4")) return io::read_zip(file, options);
  if (has_header_length(bytes)) return io::read_safetensors(file, options);
  if (is_pickle(bytes)) return io::read_legacy(file, options);
  if (starts_with(bytes, "{")) return io::read_safetensors_index(file, options);
  if (starts_with(bytes, "version https://git-lfs"))
    fail<IoError>("load: {}: it is a Git LFS pointer, not the file itself: run git lfs pull", path);
  if (bytes.size() >= 8 && path.ends_with(".safetensors"))
    return io::read_safetensors(file, options);  // says what is wrong with it
  fail<IoError>("load: {}: it is neither a file of torch.save nor safetensors ({} bytes)", path,
                bytes.size());
}

Value load_safetensors(const std::string& path, const LoadOptions& options) {
  const io::MappedFile file(path);
  return io::read_safetensors(file, options);
}

}  // namespace taper
