// Numbers of the fields of TensorBoard's messages.
#pragma once

namespace taper::train::events {

namespace event_field {
inline constexpr unsigned wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7,
                          source_metadata = 10;
}
namespace session_log_field {
inline constexpr unsigned status = 1;
inline constexpr int start = 1;  // a value of the field: SessionStatus.START
}  // namespace session_log_field
namespace source_metadata_field {
inline constexpr unsigned writer = 1;
}
namespace summary_field {
inline constexpr unsigned value = 1;
}
namespace value_field {  // Summary.Value
inline constexpr unsigned tag = 1, simple_value = 2, image = 4, histogram = 5, audio = 6,
                          tensor = 8, metadata = 9;
}
namespace metadata_field {  // SummaryMetadata
inline constexpr unsigned plugin_data = 1;
}
namespace plugin_field {  // SummaryMetadata.PluginData
inline constexpr unsigned name = 1, content = 2;
}
namespace image_field {  // Summary.Image
inline constexpr unsigned height = 1, width = 2, colorspace = 3, encoded = 4;
}
namespace audio_field {  // Summary.Audio
inline constexpr unsigned sample_rate = 1, num_channels = 2, length_frames = 3, encoded = 4,
                          content_type = 5;
}
namespace histogram_field {  // HistogramProto
inline constexpr unsigned min = 1, max = 2, num = 3, sum = 4, sum_squares = 5, bucket_limit = 6,
                          bucket = 7;
}
namespace tensor_field {  // TensorProto
inline constexpr unsigned dtype = 1, shape = 2, content = 4, float_val = 5, double_val = 6,
                          int_val = 7, string_val = 8, int64_val = 10, bool_val = 11, half_val = 13,
                          uint32_val = 16;
}
namespace shape_field {  // TensorShapeProto
inline constexpr unsigned dim = 2;
}
namespace dim_field {  // TensorShapeProto.Dim
inline constexpr unsigned size = 1;
}
namespace pr_curve_field {  // PrCurvePluginData
inline constexpr unsigned num_thresholds = 2;
}

/// DataType of a TensorProto.
enum class TensorType : int {
  dt_float = 1,
  dt_double = 2,
  dt_int32 = 3,
  dt_uint8 = 4,
  dt_int16 = 5,
  dt_int8 = 6,
  dt_string = 7,
  dt_int64 = 9,
  dt_bool = 10,
  dt_bfloat16 = 14,
  dt_half = 19,
};

namespace layout_field {
inline constexpr unsigned category = 2;
}
namespace category_field {
inline constexpr unsigned title = 1, chart = 2;
}
namespace chart_field {
inline constexpr unsigned title = 1, multiline = 2, margin = 3;
}
namespace multiline_field {
inline constexpr unsigned tag = 1;
}
namespace margin_field {
inline constexpr unsigned series = 1;
}
namespace series_field {
inline constexpr unsigned value = 1, lower = 2, upper = 3;
}

namespace hparams_field {  // HParamsPluginData
inline constexpr unsigned version = 1, experiment = 2, session_start_info = 3, session_end_info = 4;
}
namespace experiment_field {
inline constexpr unsigned hparam_infos = 4, metric_infos = 5;
}
namespace hparam_info_field {
inline constexpr unsigned name = 1, type = 4, domain_discrete = 5;
}
namespace metric_info_field {
inline constexpr unsigned name = 1;
}
namespace metric_name_field {
inline constexpr unsigned tag = 2;
}
namespace session_start_field {
inline constexpr unsigned hparams = 1;
}
namespace session_end_field {
inline constexpr unsigned status = 1;
}
namespace map_field {  // entry of a map
inline constexpr unsigned key = 1, value = 2;
}
namespace list_value_field {  // google.protobuf.ListValue
inline constexpr unsigned values = 1;
}
namespace json_value_field {  // google.protobuf.Value
inline constexpr unsigned number_value = 2, string_value = 3, bool_value = 4;
}

}  // namespace taper::train::events
