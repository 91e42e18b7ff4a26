// Contents of event files: events and their summaries.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace train {

/// Histogram of values. Bin `i` contains `bucket[i]` values, which are below `bucket_limit[i]` and
/// not below the limit before it.
struct HistogramSummary {
  double min = 0, max = 0, num = 0, sum = 0, sum_squares = 0;
  std::vector<double> bucket_limit{}, bucket{};
};

/// Encoded image. `colorspace` is the number of channels.
struct ImageSummary {
  std::int64_t height = 0, width = 0, colorspace = 0;
  std::string encoded_image{};  ///< bytes of a PNG file
};

/// Encoded sound.
struct AudioSummary {
  float sample_rate = 0;
  std::int64_t num_channels = 0, length_frames = 0;
  std::string encoded_audio{};  ///< bytes of a WAV file
  std::string content_type{};
};

/// Value that an event assigns to a tag.
struct SummaryValue {
  std::string tag{};
  std::string plugin_name{};     ///< plugin of TensorBoard that displays the value
  std::string plugin_content{};  ///< data of the plugin, a message of protocol buffers
  /// A scalar, a histogram, an image, a sound, a tensor, or the strings of a tensor of strings.
  std::variant<std::monostate, float, HistogramSummary, ImageSummary, AudioSummary, Tensor,
               std::vector<std::string>>
      data{};
};

/// Record of an event file.
struct Event {
  double wall_time = 0;  ///< seconds since 1970
  std::int64_t step = 0;
  std::string file_version{};  ///< of the first event of a file: "brain.Event:2"
  /// Start (1) or end (2) of a session. A start hides the earlier events of its step and later
  /// ones.
  std::optional<std::int64_t> session_status{};
  std::vector<SummaryValue> values{};
};

}  // namespace train
}  // namespace taper
