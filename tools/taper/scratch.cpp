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
constexpr std::uint64_t kSmall = 1u << 20, kMaxInMemory = 1u << 26;
constexpr std::int64_t kPiece = 1 << 20;  // elements converted at a time
constexpr std::int64_t kPages = 1 << 16;  // alignment in bytes: a multiple of every page size
}  // namespace

Scratch::~Scratch() {
  if (fd_ >= 0) ::close(fd_);
}

void Scratch::failed(const char* doing) const {
  const std::string why = std::strerror(errno);
  throw taper::IoError(printable(folder_) + ": " + doing + " a temporary file failed: " + why);
}

void Scratch::open() {
  if (fd_ >= 0) return;
  fd_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0) {  // the file system does not support O_TMPFILE
    std::string name = folder_ + "/.taper-XXXXXX";
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ >= 0) ::unlink(name.c_str());
  }
  if (fd_ < 0) failed("creating");
}

void Scratch::write(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::pwrite(fd_, from, bytes, end_);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) failed("writing");
    from += n, end_ += n, bytes -= static_cast<std::size_t>(n);
  }
}

void Scratch::append(const Tensor& t, taper::DType type) {
  if (t.numel() <= kPiece || t.dim() == 0) {
    const Tensor made = t.to(type).contiguous();
    return write(made.impl()->storage->row_major_buffer().data +
                     made.storage_offset() * static_cast<std::int64_t>(taper::size_of(type)),
                 static_cast<std::size_t>(made.numel()) * taper::size_of(type));
  }
  const std::int64_t row = t.numel() / t.size(0), rows = std::max<std::int64_t>(1, kPiece / row);
  for (std::int64_t i = 0; i < t.size(0); i += rows)
    append(row > kPiece ? t.select(0, i) : t.narrow(0, i, std::min(rows, t.size(0) - i)), type);
}

Tensor Scratch::converted(const Tensor& t, taper::DType type) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(t.numel()) * taper::size_of(type);
  if (bytes < kSmall && in_memory_ + bytes <= kMaxInMemory) {
    in_memory_ += bytes;
    return t.to(type).contiguous();
  }
  open();
  end_ = (end_ + kPages - 1) / kPages * kPages;
  const std::int64_t begin = end_;
  append(t, type);
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd_, begin);
  if (memory == MAP_FAILED) failed("mapping");
  return taper::from_blob(memory, t.shape(), taper::TensorOptions{.dtype = type},
                          [bytes](void* p) { ::munmap(p, bytes); });
}

}  // namespace taper::cli
