#include "data/readers/input_file.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/huge_pages.h"

namespace taper::data {
namespace {

constexpr std::size_t kReadChunk = std::size_t{1} << 20;
constexpr unsigned kCompressedBuffer = 1u << 17;

}  // namespace

void ByteBuffer::Free::operator()(char* p) const { std::free(p); }

ByteBuffer::ByteBuffer(std::string_view bytes) {
  reserve(bytes.size());
  std::copy(bytes.begin(), bytes.end(), end());
  resize(bytes.size());
}

void ByteBuffer::reserve(std::size_t capacity) {
  if (data_ && capacity <= capacity_) return;
  // realloc() moves the pages of a large block instead of copying them.
  char* const p = static_cast<char*>(std::realloc(data_.get(), capacity + 1));
  if (!p) throw std::bad_alloc();
  static_cast<void>(data_.release());
  data_.reset(p);
  capacity_ = capacity;
  prefer_huge_pages(p, capacity);
  data_.get()[size_] = '\0';
}

InputFile::InputFile(std::string reader, std::string path)
    : reader_(std::move(reader)), path_(std::move(path)) {
  errno = 0;
  file_ = gzopen(path_.c_str(), "rbe");
  if (!file_) fail("cannot open the file: {}", std::strerror(errno ? errno : ENOMEM));
  gzbuffer(file_, kCompressedBuffer);
  // zlib returns the bytes of other files as they are, also those of a header that was cut.
  if (path_.ends_with(".gz") && gzdirect(file_)) {
    int code = Z_OK;
    gzerror(file_, &code);
    if (code == Z_OK) {
      gzclose(file_);
      fail("not a gzip file");
    }
  }
}

InputFile::~InputFile() { gzclose(file_); }

std::size_t InputFile::read(void* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const auto part = static_cast<unsigned>(std::min(count - done, kReadChunk));
    const int got = gzread(file_, static_cast<char*>(to) + done, part);
    int code = Z_OK;
    const char* const text = gzerror(file_, &code);
    if (code == Z_BUF_ERROR) fail("truncated file: incomplete compressed data");
    if (got < 0) fail("cannot be read: {}", code == Z_ERRNO ? std::strerror(errno) : text);
    done += static_cast<std::size_t>(got);
    if (static_cast<unsigned>(got) < part) break;
  }
  return done;
}

std::string InputFile::read_up_to(std::uint64_t count) {
  std::string all;
  while (all.size() < count) {
    const std::size_t had = all.size();
    const std::size_t part = std::min<std::uint64_t>(std::max(had, kReadChunk), count - had);
    all.resize(had + part);
    const std::size_t got = read(all.data() + had, part);
    all.resize(had + got);
    if (got < part) break;
  }
  return all;
}

std::uint64_t InputFile::size_hint() const {
  struct stat s {};
  return ::stat(path_.c_str(), &s) == 0 && S_ISREG(s.st_mode)
             ? static_cast<std::uint64_t>(s.st_size)
             : 0;
}

ByteBuffer InputFile::read_rest() {
  ByteBuffer all;
  all.reserve(std::max<std::size_t>(size_hint(), 4096));
  while (true) {
    const std::size_t available = all.capacity() - all.size();
    const std::size_t got = read(all.end(), available);
    all.resize(all.size() + got);
    if (got < available) return all;
    char next = 0;  // the file ends here, unless it is compressed or was extended
    if (read(&next, 1) == 0) return all;
    all.reserve(2 * all.capacity());
    *all.end() = next;
    all.resize(all.size() + 1);
  }
}

std::string inflate_gzip(std::string_view compressed) {
  z_stream z{};
  constexpr int kGzip = 16;
  if (inflateInit2(&z, MAX_WBITS + kGzip) != Z_OK)
    fail<RuntimeError>("gzip: cannot initialize zlib");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&z, inflateEnd);
  std::string out;
  std::size_t used = 0;
  int code = Z_OK;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  const char* const end = compressed.data() + compressed.size();
  const auto left = [&] { return end - reinterpret_cast<const char*>(z.next_in); };
  do {  // a file may consist of several compressed parts
    if (code == Z_STREAM_END && inflateReset(&z) != Z_OK)
      fail<RuntimeError>("gzip: cannot initialize zlib");
    do {
      if (used == out.size()) out.resize(std::max<std::size_t>(4096, 2 * out.size()));
      const auto available = static_cast<uInt>(std::min(out.size() - used, kReadChunk));
      z.next_out = reinterpret_cast<Bytef*>(out.data() + used);
      z.avail_out = available;
      z.avail_in = static_cast<uInt>(std::min<std::ptrdiff_t>(left(), kReadChunk));
      code = inflate(&z, Z_NO_FLUSH);
      used += available - z.avail_out;
      if (code == Z_BUF_ERROR && left() == 0)
        fail<ValueError>("gzip: truncated data: got {} bytes", compressed.size());
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        fail<ValueError>("gzip: invalid data: {}", z.msg ? z.msg : "not a gzip file");
    } while (code != Z_STREAM_END);
  } while (left() > 0);
  out.resize(used);
  return out;
}

}  // namespace taper::data
