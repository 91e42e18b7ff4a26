// Output: sequential destination of a file's bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace taper::io {

class Output {
 public:
  virtual ~Output() = default;
  /// Appends `bytes` bytes that start at `data`. Throws IoError if writing fails.
  virtual void write(const void* data, std::size_t bytes) = 0;
  /// Returns the number of bytes written.
  std::uint64_t position() const { return position_; }

 protected:
  std::uint64_t position_ = 0;
};

class StreamOutput : public Output {
 public:
  explicit StreamOutput(std::ostream& stream) : stream_(stream) {}
  void write(const void* data, std::size_t bytes) override;

 private:
  std::ostream& stream_;
};

class MemoryOutput : public Output {
 public:
  void write(const void* data, std::size_t bytes) override;
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace taper::io
