#include "train/events/event_message.h"

#include <chrono>

#include "core/check.h"
#include "io/text.h"
#include "train/events/event_fields.h"

namespace taper::train::events {
namespace {

constexpr const char* kFileVersion = "brain.Event:2";
constexpr const char* kWriter = "taper.train.SummaryWriter";

MessageWriter event_head(double wall_time, std::int64_t step) {
  MessageWriter event;
  event.add_double(event_field::wall_time, wall_time);
  if (step != 0) event.add_integer(event_field::step, step);
  return event;
}

MessageWriter tagged_value(const std::string& tag) {
  MessageWriter value;
  value.add_bytes(value_field::tag, tag);
  return value;
}

MessageWriter string_tensor(const std::string& text, const MessageWriter& shape) {
  MessageWriter tensor;
  tensor.add_integer(tensor_field::dtype, static_cast<int>(TensorType::dt_string))
      .add_message(tensor_field::shape, shape)
      .add_bytes(tensor_field::string_val, text);
  return tensor;
}

}  // namespace

double current_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string version_event(double wall_time, std::int64_t step) {
  MessageWriter source;
  source.add_bytes(source_metadata_field::writer, kWriter);
  return event_head(wall_time, step)
      .add_bytes(event_field::file_version, kFileVersion)
      .add_message(event_field::source_metadata, source)
      .bytes();
}

std::string session_start_event(double wall_time, std::int64_t step) {
  MessageWriter log;
  log.add_integer(session_log_field::status, session_log_field::start);
  return event_head(wall_time, step).add_message(event_field::session_log, log).bytes();
}

std::string summary_event(const MessageWriter& value, double wall_time, std::int64_t step) {
  MessageWriter summary;
  summary.add_message(summary_field::value, value);
  return event_head(wall_time, step).add_message(event_field::summary, summary).bytes();
}

void check_utf8(std::string_view function, std::string_view what, std::string_view text) {
  if (!io::is_utf8(text))
    fail<ValueError>("{}: {} '{}' is not UTF-8", function, what, io::escape_for_message(text));
}

MessageWriter plugin_metadata(const std::string& name, const std::string& content) {
  MessageWriter plugin, metadata;
  plugin.add_bytes(plugin_field::name, name);
  if (!content.empty()) plugin.add_bytes(plugin_field::content, content);
  metadata.add_message(metadata_field::plugin_data, plugin);
  return metadata;
}

MessageWriter scalar_value(const std::string& tag, double value, const ScalarOptions& options) {
  MessageWriter all = tagged_value(tag);
  if (!options.new_style) {
    all.add_float(value_field::simple_value, static_cast<float>(value));
    return all;
  }
  MessageWriter tensor;
  if (options.double_precision)
    tensor.add_integer(tensor_field::dtype, static_cast<int>(TensorType::dt_double))
        .add_packed(tensor_field::double_val, std::span<const double>(&value, 1));
  else {
    const auto narrow = static_cast<float>(value);
    tensor.add_integer(tensor_field::dtype, static_cast<int>(TensorType::dt_float))
        .add_packed(tensor_field::float_val, std::span<const float>(&narrow, 1));
  }
  all.add_message(value_field::tensor, tensor)
      .add_message(value_field::metadata, plugin_metadata("scalars"));
  return all;
}

MessageWriter tensor_value(const std::string& tag, const Tensor& tensor) {
  MessageWriter all = tagged_value(tag);
  all.add_message(value_field::tensor, tensor_message(tensor))
      .add_message(value_field::metadata, plugin_metadata("tensor"));
  return all;
}

MessageWriter histogram_value(const std::string& tag, const HistogramSummary& h) {
  MessageWriter histogram;
  histogram.add_double(histogram_field::min, h.min)
      .add_double(histogram_field::max, h.max)
      .add_double(histogram_field::num, h.num)
      .add_double(histogram_field::sum, h.sum)
      .add_double(histogram_field::sum_squares, h.sum_squares)
      .add_packed(histogram_field::bucket_limit, std::span<const double>(h.bucket_limit))
      .add_packed(histogram_field::bucket, std::span<const double>(h.bucket));
  MessageWriter all = tagged_value(tag);
  all.add_message(value_field::histogram, histogram);
  return all;
}

MessageWriter image_value(const std::string& tag, const ImageSummary& image) {
  MessageWriter message;
  message.add_integer(image_field::height, image.height)
      .add_integer(image_field::width, image.width)
      .add_integer(image_field::colorspace, image.colorspace)
      .add_bytes(image_field::encoded, image.encoded_image);
  MessageWriter all = tagged_value(tag);
  all.add_message(value_field::image, message);
  return all;
}

MessageWriter audio_value(const std::string& tag, const AudioSummary& audio) {
  MessageWriter message;
  message.add_float(audio_field::sample_rate, audio.sample_rate)
      .add_integer(audio_field::num_channels, audio.num_channels)
      .add_integer(audio_field::length_frames, audio.length_frames)
      .add_bytes(audio_field::encoded, audio.encoded_audio)
      .add_bytes(audio_field::content_type, audio.content_type);
  MessageWriter all = tagged_value(tag);
  all.add_message(value_field::audio, message);
  return all;
}

MessageWriter text_value(const std::string& tag, const std::string& text) {
  MessageWriter all = tagged_value(tag + "/text_summary");
  all.add_message(value_field::metadata, plugin_metadata("text"))
      .add_message(value_field::tensor, string_tensor(text, shape_message({1})));
  return all;
}

MessageWriter pr_curve_value(const std::string& tag, std::int64_t num_thresholds,
                             const Tensor& points) {
  MessageWriter plugin;
  plugin.add_integer(pr_curve_field::num_thresholds, num_thresholds);
  MessageWriter all = tagged_value(tag);
  all.add_message(value_field::metadata, plugin_metadata("pr_curves", plugin.bytes()))
      .add_message(value_field::tensor, tensor_message(points.to(DType::f32)));
  return all;
}

MessageWriter layout_value(const std::string& layout) {
  MessageWriter all = tagged_value("custom_scalars__config__");
  all.add_message(value_field::tensor, string_tensor(layout, MessageWriter()))
      .add_message(value_field::metadata, plugin_metadata("custom_scalars"));
  return all;
}

MessageWriter hparams_value(const std::string& tag, const std::string& content) {
  MessageWriter all = tagged_value(tag);
  all.add_message(value_field::metadata, plugin_metadata("hparams", content));
  return all;
}

}  // namespace taper::train::events
