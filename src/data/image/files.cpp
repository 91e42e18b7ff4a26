// Reading and writing of whole files.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "data/image/encoded.h"
#include "taper/core/factory.h"

namespace taper::data {

namespace {

[[noreturn]] void reject_file(const char* op, const std::string& path, const char* problem) {
  fail<IoError>("{}: {}: {}", op, path, problem);
}

}  // namespace

std::string read_file_bytes(const char* op, const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    reject_file(op, path, "is a directory, expected a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) reject_file(op, path, std::strerror(errno ? errno : EIO));
  // The size of the file, or of the first part of a pipe.
  const auto size = std::filesystem::file_size(path, error);
  std::size_t chunk =
      error || size == 0 ? std::size_t{1} << 16 : static_cast<std::size_t>(size) + 1;
  std::string bytes;
  while (in) {
    const std::size_t old_size = bytes.size();
    bytes.resize(old_size + chunk);
    in.read(bytes.data() + old_size, static_cast<std::streamsize>(chunk));
    bytes.resize(old_size + static_cast<std::size_t>(in.gcount()));
    chunk = std::size_t{1} << 16;
  }
  if (in.bad()) reject_file(op, path, "cannot be read");
  return bytes;
}

void write_file_bytes(const char* op, const std::string& path,
                      std::span<const unsigned char> bytes) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) reject_file(op, path, std::strerror(errno ? errno : EIO));
}

Tensor read_file(const std::string& path) {
  const std::string bytes = read_file_bytes("read_file", path);
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return tensor(std::span(data, bytes.size()), {static_cast<std::int64_t>(bytes.size())});
}

void write_file(const std::string& filename, const Tensor& data) {
  if (data.dtype() != DType::u8 || data.dim() != 1)
    fail<ValueError>("write_file: data must be uint8 with one dimension: got {} {}", data.dtype(),
                     data.shape());
  const Tensor bytes = data.to(Device::cpu()).contiguous();
  write_file_bytes("write_file", filename, bytes.data<std::uint8_t>());
}

}  // namespace taper::data
