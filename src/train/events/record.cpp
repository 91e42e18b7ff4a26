#include "train/events/record.h"

#include "core/check.h"
#include "train/events/crc32c.h"

namespace taper::train::events {
namespace {

std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 255);
  return text;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

void append_record(std::string& file, std::string_view data) {
  const std::string length = little_endian(data.size(), 8);
  file += length;
  file += little_endian(masked_crc32c(length), 4);
  file += data;
  file += little_endian(masked_crc32c(data), 4);
}

std::uint64_t read_record_length(std::string_view header) {
  const std::string_view length = header.substr(0, 8);
  if (from_little_endian(header.substr(8, 4)) != masked_crc32c(length))
    fail<IoError>("the checksum of the length of the record differs");
  return from_little_endian(length);
}

void check_record(std::string_view data, std::string_view footer) {
  if (from_little_endian(footer) != masked_crc32c(data))
    fail<IoError>("the checksum of the record differs");
}

}  // namespace taper::train::events
