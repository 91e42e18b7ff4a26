// MessageReader: reads serialized messages of protocol buffers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "train/events/message_writer.h"

namespace taper::train::events {

/// Iterates over the fields of a serialized message, which must outlive the reader. Unknown fields
/// can be skipped. Methods throw IoError if the message is malformed or a field has another type.
///
///     MessageReader reader(bytes);
///     while (reader.next())
///       if (reader.field() == 1) tag = reader.bytes();
class MessageReader {
 public:
  explicit MessageReader(std::string_view message) : remaining_(message) {}

  /// Moves to the next field. Returns false at the end.
  bool next();
  unsigned field() const { return field_; }
  std::int64_t integer() const;
  float float_value() const;
  double double_value() const;
  std::string_view bytes() const;
  std::string text() const { return std::string(bytes()); }
  /// Append the values of a repeated field, packed or not.
  void append_to(std::vector<std::int64_t>& values) const;
  void append_to(std::vector<float>& values) const;
  void append_to(std::vector<double>& values) const;

 private:
  void expect(WireType type) const;

  std::string_view remaining_;
  unsigned field_ = 0;
  WireType type_ = WireType::varint;
  std::uint64_t number_ = 0;  ///< value, or its bits
  std::string_view bytes_;
};

}  // namespace taper::train::events
