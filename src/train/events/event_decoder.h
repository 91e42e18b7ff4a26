// Decoder of serialized events.
#pragma once
#include <string_view>

#include "taper/train/event_records.h"
#include "train/events/message_reader.h"

namespace taper::train::events {

/// Returns the event of a record. Values of an unknown type are `monostate`. Throws IoError if the
/// message is malformed.
Event decode_event(std::string_view message);
/// Sets the data of `value` to a TensorProto: a tensor, or strings.
void decode_tensor(std::string_view message, SummaryValue& value);

}  // namespace taper::train::events
