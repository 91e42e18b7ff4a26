// Messages of TensorBoard's plugins, with the names of their fields.
#include "kit/events.h"
#include "taper/core/dict.h"
#include "train/events/event_fields.h"
#include "train/events/message_reader.h"

namespace taper::oracle {
namespace {

using namespace train::events;

template <std::size_t N> Value enum_name(const char* const (&names)[N], std::int64_t value) {
  return value >= 0 && value < static_cast<std::int64_t>(N)
             ? Value(names[static_cast<std::size_t>(value)])
             : Value(value);
}

/// Appends to the list `name` of `record`.
void append_part(Value& record, const char* name, const Value& part) {
  if (!record.contains(name)) record.as_dict().set(name, Value::list());
  record.as_dict().at(name).append(part);
}

Value decode_json_value(std::string_view message) {
  Value value;
  MessageReader reader(message);
  while (reader.next()) switch (reader.field()) {
      case json_value_field::number_value: value = reader.double_value(); break;
      case json_value_field::string_value: value = reader.text(); break;
      case json_value_field::bool_value: value = reader.integer() != 0; break;
      default: break;
    }
  return value;
}

Value decode_hparam_info(std::string_view message) {
  static constexpr const char* kTypes[] = {"DATA_TYPE_UNSET", "DATA_TYPE_STRING", "DATA_TYPE_BOOL",
                                           "DATA_TYPE_FLOAT64"};
  Value info = Value::dict();
  MessageReader reader(message);
  while (reader.next()) switch (reader.field()) {
      case hparam_info_field::name: info.as_dict().set("name", reader.text()); break;
      case hparam_info_field::type:
        info.as_dict().set("type", enum_name(kTypes, reader.integer()));
        break;
      case hparam_info_field::domain_discrete: {
        MessageReader list(reader.bytes());
        while (list.next()) append_part(info, "domain_discrete", decode_json_value(list.bytes()));
        break;
      }
      default: break;
    }
  return info;
}

Value decode_metric_info(std::string_view message) {
  Value info = Value::dict();
  MessageReader reader(message);
  while (reader.next()) {
    if (reader.field() != metric_info_field::name) continue;
    Value name = Value::dict();
    MessageReader tag(reader.bytes());
    while (tag.next())
      if (tag.field() == metric_name_field::tag) name.as_dict().set("tag", tag.text());
    info.as_dict().set("name", name);
  }
  return info;
}

Value decode_experiment(std::string_view message) {
  Value experiment = Value::dict();
  MessageReader reader(message);
  while (reader.next()) {
    if (reader.field() == experiment_field::hparam_infos)
      append_part(experiment, "hparam_infos", decode_hparam_info(reader.bytes()));
    if (reader.field() == experiment_field::metric_infos)
      append_part(experiment, "metric_infos", decode_metric_info(reader.bytes()));
  }
  return experiment;
}

Value decode_session_start(std::string_view message) {
  Value hparams = Value::dict();
  MessageReader reader(message);
  while (reader.next()) {
    if (reader.field() != session_start_field::hparams) continue;
    std::string key;
    Value value;
    MessageReader entry(reader.bytes());
    while (entry.next()) {
      if (entry.field() == map_field::key) key = entry.text();
      if (entry.field() == map_field::value) value = decode_json_value(entry.bytes());
    }
    hparams.as_dict().set(key, value);
  }
  return Value::dict({{"hparams", hparams}});
}

Value decode_session_end(std::string_view message) {
  static constexpr const char* kStatus[] = {"STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE",
                                            "STATUS_RUNNING"};
  Value end = Value::dict();
  MessageReader reader(message);
  while (reader.next())
    if (reader.field() == session_end_field::status)
      end.as_dict().set("status", enum_name(kStatus, reader.integer()));
  return end;
}

Value decode_chart(std::string_view message) {
  Value chart = Value::dict();
  MessageReader reader(message);
  while (reader.next()) {
    if (reader.field() == chart_field::title) chart.as_dict().set("title", reader.text());
    if (reader.field() == chart_field::multiline) {
      Value content = Value::dict();
      MessageReader tags(reader.bytes());
      while (tags.next()) append_part(content, "tag", tags.text());
      chart.as_dict().set("multiline", content);
    }
    if (reader.field() != chart_field::margin) continue;
    Value content = Value::dict();
    MessageReader all(reader.bytes());
    while (all.next()) {
      Value series = Value::dict();
      MessageReader names(all.bytes());
      while (names.next()) {
        static constexpr const char* kNames[] = {"", "value", "lower", "upper"};
        if (names.field() < std::size(kNames))
          series.as_dict().set(kNames[names.field()], names.text());
      }
      append_part(content, "series", series);
    }
    chart.as_dict().set("margin", content);
  }
  return chart;
}

}  // namespace

Value decode_hparams(const std::string& content) {
  Value record = Value::dict({{"version", 0}});
  MessageReader reader(content);
  while (reader.next()) switch (reader.field()) {
      case hparams_field::version: record.as_dict().set("version", reader.integer()); break;
      case hparams_field::experiment:
        record.as_dict().set("experiment", decode_experiment(reader.bytes()));
        break;
      case hparams_field::session_start_info:
        record.as_dict().set("session_start_info", decode_session_start(reader.bytes()));
        break;
      case hparams_field::session_end_info:
        record.as_dict().set("session_end_info", decode_session_end(reader.bytes()));
        break;
      default: break;
    }
  return record;
}

Value decode_layout(const std::string& content) {
  Value layout = Value::dict();
  MessageReader reader(content);
  while (reader.next()) {
    if (reader.field() != layout_field::category) continue;
    Value category = Value::dict();
    MessageReader fields(reader.bytes());
    while (fields.next()) {
      if (fields.field() == category_field::title) category.as_dict().set("title", fields.text());
      if (fields.field() == category_field::chart)
        append_part(category, "chart", decode_chart(fields.bytes()));
    }
    append_part(layout, "category", category);
  }
  return layout;
}

std::int64_t decode_num_thresholds(const std::string& content) {
  std::int64_t count = 0;
  MessageReader reader(content);
  while (reader.next())
    if (reader.field() == pr_curve_field::num_thresholds) count = reader.integer();
  return count;
}

}  // namespace taper::oracle
