#include "dist/store/message.h"

namespace taper::distributed {
namespace {

// Little-endian, whatever the processor.
void append_bytes(std::string& text, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i)
    text.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
}

std::uint64_t read_bytes(std::string_view text, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  return value;
}

}  // namespace

MessageWriter& MessageWriter::number(std::int64_t value) {
  append_bytes(text_, static_cast<std::uint64_t>(value), 8);
  return *this;
}

MessageWriter& MessageWriter::string(std::string_view value) {
  append_bytes(text_, value.size(), 4);
  text_ += value;
  return *this;
}

std::string MessageWriter::framed() const {
  std::string framed;
  append_bytes(framed, text_.size(), 4);
  return framed + text_;
}

std::optional<std::uint8_t> MessageReader::kind() {
  if (text_.empty()) return {};
  const auto kind = static_cast<std::uint8_t>(text_[0]);
  text_.remove_prefix(1);
  return kind;
}

std::optional<std::int64_t> MessageReader::number() {
  if (text_.size() < 8) return {};
  const auto value = static_cast<std::int64_t>(read_bytes(text_, 8));
  text_.remove_prefix(8);
  return value;
}

std::optional<std::string> MessageReader::string() {
  if (text_.size() < 4) return {};
  const std::uint64_t size = read_bytes(text_, 4);
  if (text_.size() - 4 < size) return {};
  std::string value(text_.substr(4, size));
  text_.remove_prefix(4 + size);
  return value;
}

std::optional<std::uint32_t> message_length(std::string_view text) {
  if (text.size() < 4) return {};
  return static_cast<std::uint32_t>(read_bytes(text, 4));
}

}  // namespace taper::distributed
