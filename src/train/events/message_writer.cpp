#include "train/events/message_writer.h"

#include <bit>
#include <cstddef>

namespace taper::train::events {
namespace {

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

template <class Bits> void append_fixed(std::string& bytes, Bits value) {
  for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> 8 * i & 255);
}
void append_number(std::string& bytes, double value) {
  append_fixed(bytes, std::bit_cast<std::uint64_t>(value));
}
void append_number(std::string& bytes, float value) {
  append_fixed(bytes, std::bit_cast<std::uint32_t>(value));
}
void append_number(std::string& bytes, std::int64_t value) {
  append_varint(bytes, static_cast<std::uint64_t>(value));
}

template <class T> std::string packed(std::span<const T> values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (const T value : values) append_number(bytes, value);
  return bytes;
}

}  // namespace

void MessageWriter::add_tag(unsigned field, WireType type) {
  append_varint(bytes_, std::uint64_t{field} << 3 | static_cast<unsigned>(type));
}

MessageWriter& MessageWriter::add_integer(unsigned field, std::int64_t value) {
  add_tag(field, WireType::varint);
  append_number(bytes_, value);
  return *this;
}

MessageWriter& MessageWriter::add_float(unsigned field, float value) {
  add_tag(field, WireType::fixed32);
  append_number(bytes_, value);
  return *this;
}

MessageWriter& MessageWriter::add_double(unsigned field, double value) {
  add_tag(field, WireType::fixed64);
  append_number(bytes_, value);
  return *this;
}

MessageWriter& MessageWriter::add_bytes(unsigned field, std::string_view bytes) {
  add_tag(field, WireType::bytes);
  append_varint(bytes_, bytes.size());
  bytes_ += bytes;
  return *this;
}

MessageWriter& MessageWriter::add_packed(unsigned field, std::span<const std::int64_t> values) {
  return values.empty() ? *this : add_bytes(field, packed(values));
}
MessageWriter& MessageWriter::add_packed(unsigned field, std::span<const float> values) {
  return values.empty() ? *this : add_bytes(field, packed(values));
}
MessageWriter& MessageWriter::add_packed(unsigned field, std::span<const double> values) {
  return values.empty() ? *this : add_bytes(field, packed(values));
}

}  // namespace taper::train::events
