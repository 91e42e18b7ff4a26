// MessageWriter: serializes messages of protocol buffers.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taper::train::events {

/// Type of a field in the serialized form.
enum class WireType : unsigned { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// Serialized message. Fields are appended in the order of the calls, also those with their default
/// value.
class MessageWriter {
 public:
  MessageWriter& add_integer(unsigned field, std::int64_t value);
  MessageWriter& add_float(unsigned field, float value);
  MessageWriter& add_double(unsigned field, double value);
  /// Adds a string, bytes, or a message.
  MessageWriter& add_bytes(unsigned field, std::string_view bytes);
  MessageWriter& add_message(unsigned field, const MessageWriter& message) {
    return add_bytes(field, message.bytes());
  }
  /// Adds a repeated field in packed form; nothing if it is empty.
  MessageWriter& add_packed(unsigned field, std::span<const std::int64_t> values);
  MessageWriter& add_packed(unsigned field, std::span<const float> values);
  MessageWriter& add_packed(unsigned field, std::span<const double> values);

  const std::string& bytes() const { return bytes_; }

 private:
  void add_tag(unsigned field, WireType type);

  std::string bytes_;
};

}  // namespace taper::train::events
