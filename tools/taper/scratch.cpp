#include "scratch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/tensor_impl.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "words.h"

namespace taper::cli {

using taper::Tensor;

namespace {
constexpr std::uint64_t kMaxSmallBytes = 1u << 20, kMaxInMemory = 1u << 26;
constexpr std::int64_t kChunkElements = 1 << 20;  // elements converted at a time
constexpr std::int64_t kAlignment = 1 << 16;  // alignment in bytes: a multiple of every page size
}  // namespace

Scratch::~Scratch() {
  if (fd_ >= 0) ::close(fd_);
}

void Scratch::throw_failed(const char* operation) const {
  const std::string reason = std::strerror(errno);
  throw taper::IoError(printable(folder_) + ": " + operation +
                       " a temporary file failed: " + reason);
}

void Scratch::open() {
  if (fd_ >= 0) return;
  fd_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0) {  // the file system does not support O_TMPFILE
    std::string name = folder_ + "/.taper-XXXXXX";
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ >= 0) ::unlink(name.c_str());
  }
  if (fd_ < 0) throw_failed("creating");
}

void Scratch::write(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::pwrite(fd_, from, bytes, end_);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw_failed("writing");
    from += n, end_ += n, bytes -= static_cast<std::size_t>(n);
  }
}

void Scratch::append(const Tensor& t, taper::DType type) {
  if (t.numel() <= kChunkElements || t.dim() == 0) {
    const Tensor converted_tensor = t.to(type).contiguous();
    return write(
        converted_tensor.impl()->storage->row_major_buffer().data +
            converted_tensor.storage_offset() * static_cast<std::int64_t>(taper::size_of(type)),
        static_cast<std::size_t>(converted_tensor.numel()) * taper::size_of(type));
  }
  const std::int64_t row = t.numel() / t.size(0),
                     rows = std::max<std::int64_t>(1, kChunkElements / row);
  for (std::int64_t i = 0; i < t.size(0); i += rows)
    append(row > kChunkElements ? t.select(0, i) : t.narrow(0, i, std::min(rows, t.size(0) - i)),
           type);
}

Tensor Scratch::converted(const Tensor& t, taper::DType type) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(t.numel()) * taper::size_of(type);
  if (bytes < kMaxSmallBytes && in_memory_ + bytes <= kMaxInMemory) {
    in_memory_ += bytes;
    return t.to(type).contiguous();
  }
  open();
  end_ = (end_ + kAlignment - 1) / kAlignment * kAlignment;
  const std::int64_t begin = end_;
  append(t, type);
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd_, begin);
  if (memory == MAP_FAILED) throw_failed("mapping");
  return taper::from_blob(memory, t.shape(), taper::TensorOptions{.dtype = type},
                          [bytes](void* p) { ::munmap(p, bytes); });
}

}  // namespace taper::cli
