#include "io/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <istream>

#include "core/check.h"
#include "core/huge_pages.h"
#include "io/flat_tensor.h"
#include "taper/core/factory.h"
#include "taper/io/load_error.h"

namespace taper::io {
namespace {

class MappedFile final : public Source {
 public:
  explicit MappedFile(const std::string& path) : Source(path, true, true) {
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd_ < 0) {
      const std::string why = std::strerror(errno);
      throw LoadError(path, "cannot open the file: " + why);
    }
    struct stat s {};
    if (::fstat(fd_, &s) != 0 || !S_ISREG(s.st_mode)) {
      close();
      throw LoadError(path, "not a regular file");
    }
    identity_ = {s.st_dev, s.st_ino, static_cast<std::uint64_t>(s.st_size)};
    const auto size = static_cast<std::size_t>(s.st_size);
    if (size == 0) return;
    // The mapping is private and writable, so that loaded tensors can be modified without changing
    // the file.
    void* p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd_, 0);
    if (p == MAP_FAILED) {
      const std::string why = std::strerror(errno);
      close();
      throw LoadError(path, "cannot map the file: " + why);
    }
    bytes_ = {static_cast<const std::byte*>(p), size};
  }
  ~MappedFile() override {
    close();
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  void read(std::uint64_t at, std::byte* to, std::size_t count) override {
    // Small reads are likely to hit pages that are already mapped.
    constexpr std::size_t kMaxSmallRead = 16 * 1024;
    if (count <= kMaxSmallRead) return Source::read(at, to, count);
    while (count > 0) {
      const ssize_t n = ::pread(fd_, to, count, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        const std::string why = std::strerror(errno);
        throw LoadError(name(), "read failed: " + why);
      }
      if (n == 0) throw LoadError(name(), "the file was truncated while it was read");
      at += static_cast<std::uint64_t>(n), to += n, count -= static_cast<std::size_t>(n);
    }
  }
  std::optional<ReopenedFile> reopen() const override {
    return ReopenedFile::open(name(), identity_);
  }
  void close() override {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
  FileIdentity identity_{};
};

/// The contents of a stream in an anonymous mapping. Growing it remaps pages instead of copying
/// them, and unused capacity occupies no memory.
class StreamSource final : public Source {
 public:
  explicit StreamSource(std::istream& stream) : Source("<stream>", false, true) {
    grow(kInitialCapacity);
    std::size_t used = 0;
    while (stream) {
      if (used == capacity_) grow(2 * capacity_);
      stream.read(reinterpret_cast<char*>(data_) + used,
                  static_cast<std::streamsize>(capacity_ - used));
      used += static_cast<std::size_t>(stream.gcount());
    }
    if (stream.bad() || !stream.eof()) {
      ::munmap(data_, capacity_);
      throw LoadError(name(), "read failed");
    }
    bytes_ = {data_, used};
  }
  ~StreamSource() override { ::munmap(data_, capacity_); }

 private:
  static constexpr std::size_t kInitialCapacity = std::size_t{2} << 20;
  void grow(std::size_t capacity) {
    void* const p = data_ ? ::mremap(data_, capacity_, capacity, MREMAP_MAYMOVE)
                          : ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
      if (data_) ::munmap(data_, capacity_);
      fail<OutOfMemoryError>(
          "load: <stream>: out of memory: cannot grow the buffer beyond {} bytes", capacity_);
    }
    data_ = static_cast<std::byte*>(p), capacity_ = capacity;
    prefer_huge_pages(p, capacity);
  }
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
};

class MemorySource final : public Source {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : Source("<bytes>", false, false) {
    bytes_ = bytes;
  }
};

class SliceSource final : public Source {
 public:
  SliceSource(const Ref<Source>& whole, std::uint64_t at, std::uint64_t length)
      : Source(format_message("{}: bytes {} to {}", whole->name(), at, at + length),
               whole->is_file(), whole->outlives_load()),
        whole_(whole),
        at_(at) {
    bytes_ = whole->bytes().subspan(at, length);
  }
  void read(std::uint64_t at, std::byte* to, std::size_t bytes) override {
    whole_->read(at_ + at, to, bytes);
  }

 private:
  Ref<Source> whole_;
  std::uint64_t at_;
};

}  // namespace

Ref<Source> Source::open(const std::string& path) {
  return Ref<Source>::adopt(new MappedFile(path));
}
Ref<Source> Source::from_stream(std::istream& stream) {
  return Ref<Source>::adopt(new StreamSource(stream));
}
Ref<Source> Source::from_memory(std::span<const std::byte> bytes) {
  return Ref<Source>::adopt(new MemorySource(bytes));
}
Ref<Source> Source::slice(const Ref<Source>& whole, std::uint64_t at, std::uint64_t length) {
  return Ref<Source>::adopt(new SliceSource(whole, at, length));
}

Tensor Source::view(std::uint64_t at, std::int64_t count, DType dtype) {
  auto* data = const_cast<std::byte*>(bytes_.data()) + at;
  const std::size_t bytes = static_cast<std::size_t>(count) * size_of(dtype);
  constexpr bool kSeenByOthers = false;
  auto storage = Ref<Storage>::adopt(
      new Storage(data, bytes, Device::cpu(), Ref<ExternalOwner>::share(this), kSeenByOthers));
  return flat_tensor(std::move(storage), count, dtype);
}

void Source::read(std::uint64_t at, std::byte* to, std::size_t count) {
  if (count) std::memcpy(to, bytes_.data() + at, count);
}

}  // namespace taper::io
