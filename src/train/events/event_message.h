// Serialized events and summary values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "taper/train/event_records.h"
#include "taper/train/summary_options.h"
#include "train/events/message_writer.h"

namespace taper::train::events {

/// Returns the time of the system clock in seconds since 1970.
double current_time();

/// Returns the event that begins a file, or that a restarted run repeats at its first step.
std::string version_event(double wall_time, std::int64_t step = 0);
/// Returns the event that hides earlier events of `step` and later ones.
std::string session_start_event(double wall_time, std::int64_t step);
/// Returns the event of a value, which is the result of one of the functions below.
std::string summary_event(const MessageWriter& value, double wall_time, std::int64_t step);

/// Throws ValueError if `text` is not UTF-8, which a message of protocol buffers requires.
void check_utf8(std::string_view function, std::string_view what, std::string_view text);

/// Returns the SummaryMetadata that assigns a value to a plugin of TensorBoard.
MessageWriter plugin_metadata(const std::string& name, const std::string& content = {});
/// Return a TensorShapeProto and a TensorProto. Throws ValueError for dtypes without a counterpart.
MessageWriter shape_message(const Shape& shape);
MessageWriter tensor_message(const Tensor& tensor);

// Values of a tag: messages Summary.Value.
MessageWriter scalar_value(const std::string& tag, double value, const ScalarOptions& options);
MessageWriter tensor_value(const std::string& tag, const Tensor& tensor);
MessageWriter histogram_value(const std::string& tag, const HistogramSummary& histogram);
MessageWriter image_value(const std::string& tag, const ImageSummary& image);
MessageWriter audio_value(const std::string& tag, const AudioSummary& audio);
MessageWriter text_value(const std::string& tag, const std::string& text);
/// `points` has the rows true positives, false positives, true negatives, false negatives,
/// precision, recall.
MessageWriter pr_curve_value(const std::string& tag, std::int64_t num_thresholds,
                             const Tensor& points);
/// `layout` is a serialized Layout, `content` a serialized HParamsPluginData.
MessageWriter layout_value(const std::string& layout);
MessageWriter hparams_value(const std::string& tag, const std::string& content);

}  // namespace taper::train::events
