#include "train/events/message_reader.h"

#include <bit>

#include "core/check.h"

namespace taper::train::events {
namespace {

[[noreturn]] void reject(const char* reason) {
  fail<IoError>("malformed protocol buffer: {}", reason);
}

std::string_view take(std::string_view& from, std::uint64_t count) {
  if (count > from.size()) reject("truncated field");
  const std::string_view taken = from.substr(0, static_cast<std::size_t>(count));
  from.remove_prefix(taken.size());
  return taken;
}

std::uint64_t take_varint(std::string_view& from) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(from, 1)[0]);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  reject("invalid integer");
}

std::uint64_t take_fixed(std::string_view& from, std::size_t size) {
  const std::string_view bytes = take(from, size);
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

float to_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

}  // namespace

bool MessageReader::next() {
  if (remaining_.empty()) return false;
  const std::uint64_t tag = take_varint(remaining_);
  if (tag >> 3 == 0 || tag >> 32 != 0) reject("invalid number of a field");
  field_ = static_cast<unsigned>(tag >> 3);
  type_ = static_cast<WireType>(tag & 7);
  switch (type_) {
    case WireType::varint: number_ = take_varint(remaining_); break;
    case WireType::fixed64: number_ = take_fixed(remaining_, 8); break;
    case WireType::fixed32: number_ = take_fixed(remaining_, 4); break;
    case WireType::bytes: bytes_ = take(remaining_, take_varint(remaining_)); break;
    default: reject("unknown type of a field");
  }
  return true;
}

void MessageReader::expect(WireType type) const {
  if (type_ != type) reject("unexpected type of a field");
}

std::int64_t MessageReader::integer() const {
  expect(WireType::varint);
  return static_cast<std::int64_t>(number_);
}

float MessageReader::float_value() const {
  expect(WireType::fixed32);
  return to_float(number_);
}

double MessageReader::double_value() const {
  expect(WireType::fixed64);
  return std::bit_cast<double>(number_);
}

std::string_view MessageReader::bytes() const {
  expect(WireType::bytes);
  return bytes_;
}

void MessageReader::append_to(std::vector<std::int64_t>& values) const {
  if (type_ != WireType::bytes) return values.push_back(integer());
  for (std::string_view rest = bytes_; !rest.empty();)
    values.push_back(static_cast<std::int64_t>(take_varint(rest)));
}

void MessageReader::append_to(std::vector<float>& values) const {
  if (type_ != WireType::bytes) return values.push_back(float_value());
  for (std::string_view rest = bytes_; !rest.empty();)
    values.push_back(to_float(take_fixed(rest, 4)));
}

void MessageReader::append_to(std::vector<double>& values) const {
  if (type_ != WireType::bytes) return values.push_back(double_value());
  for (std::string_view rest = bytes_; !rest.empty();)
    values.push_back(std::bit_cast<double>(take_fixed(rest, 8)));
}

}  // namespace taper::train::events
