#include "io/write/output.h"

#include <ostream>

#include "core/check.h"

namespace taper::io {

void StreamOutput::write(const void* data, std::size_t bytes) {
  stream_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  if (!stream_) fail<IoError>("save: writing to the stream failed after {} bytes", position_);
  position_ += bytes;
}

void MemoryOutput::write(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), from, from + bytes);
  position_ += bytes;
}

}  // namespace taper::io
