#include "train/events/event_decoder.h"

#include "train/events/event_fields.h"

namespace taper::train::events {
namespace {

HistogramSummary decode_histogram(std::string_view message) {
  HistogramSummary h;
  MessageReader reader(message);
  while (reader.next()) switch (reader.field()) {
      case histogram_field::min: h.min = reader.double_value(); break;
      case histogram_field::max: h.max = reader.double_value(); break;
      case histogram_field::num: h.num = reader.double_value(); break;
      case histogram_field::sum: h.sum = reader.double_value(); break;
      case histogram_field::sum_squares: h.sum_squares = reader.double_value(); break;
      case histogram_field::bucket_limit: reader.append_to(h.bucket_limit); break;
      case histogram_field::bucket: reader.append_to(h.bucket); break;
      default: break;
    }
  return h;
}

ImageSummary decode_image(std::string_view message) {
  ImageSummary image;
  MessageReader reader(message);
  while (reader.next()) switch (reader.field()) {
      case image_field::height: image.height = reader.integer(); break;
      case image_field::width: image.width = reader.integer(); break;
      case image_field::colorspace: image.colorspace = reader.integer(); break;
      case image_field::encoded: image.encoded_image = reader.text(); break;
      default: break;
    }
  return image;
}

AudioSummary decode_audio(std::string_view message) {
  AudioSummary audio;
  MessageReader reader(message);
  while (reader.next()) switch (reader.field()) {
      case audio_field::sample_rate: audio.sample_rate = reader.float_value(); break;
      case audio_field::num_channels: audio.num_channels = reader.integer(); break;
      case audio_field::length_frames: audio.length_frames = reader.integer(); break;
      case audio_field::encoded: audio.encoded_audio = reader.text(); break;
      case audio_field::content_type: audio.content_type = reader.text(); break;
      default: break;
    }
  return audio;
}

void decode_metadata(std::string_view message, SummaryValue& value) {
  MessageReader reader(message);
  while (reader.next()) {
    if (reader.field() != metadata_field::plugin_data) continue;
    MessageReader plugin(reader.bytes());
    while (plugin.next()) {
      if (plugin.field() == plugin_field::name) value.plugin_name = plugin.text();
      if (plugin.field() == plugin_field::content) value.plugin_content = plugin.text();
    }
  }
}

SummaryValue decode_value(std::string_view message) {
  SummaryValue value;
  MessageReader reader(message);
  while (reader.next()) switch (reader.field()) {
      case value_field::tag: value.tag = reader.text(); break;
      case value_field::simple_value: value.data = reader.float_value(); break;
      case value_field::image: value.data = decode_image(reader.bytes()); break;
      case value_field::histogram: value.data = decode_histogram(reader.bytes()); break;
      case value_field::audio: value.data = decode_audio(reader.bytes()); break;
      case value_field::tensor: decode_tensor(reader.bytes(), value); break;
      case value_field::metadata: decode_metadata(reader.bytes(), value); break;
      default: break;
    }
  return value;
}

}  // namespace

Event decode_event(std::string_view message) {
  Event event;
  MessageReader reader(message);
  while (reader.next()) switch (reader.field()) {
      case event_field::wall_time: event.wall_time = reader.double_value(); break;
      case event_field::step: event.step = reader.integer(); break;
      case event_field::file_version: event.file_version = reader.text(); break;
      case event_field::session_log: {
        event.session_status = 0;
        MessageReader log(reader.bytes());
        while (log.next())
          if (log.field() == session_log_field::status) event.session_status = log.integer();
        break;
      }
      case event_field::summary: {
        MessageReader summary(reader.bytes());
        while (summary.next())
          if (summary.field() == summary_field::value)
            event.values.push_back(decode_value(summary.bytes()));
        break;
      }
      default: break;
    }
  return event;
}

}  // namespace taper::train::events
