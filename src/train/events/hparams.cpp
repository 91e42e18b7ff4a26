#include "train/events/hparams.h"

#include "core/check.h"
#include "taper/core/dict.h"
#include "train/events/event_fields.h"
#include "train/events/event_message.h"

namespace taper::train::events {
namespace {

/// DataType and Status of the plugin.
constexpr int kString = 1, kFloat64 = 3, kSuccess = 1;

const Dict& dict_of(const char* name, const Value& value) {
  if (!value.is_dict())
    fail<TypeError>("add_hparams: {} should be a dictionary, got {}", name, value.type_name());
  for (const auto& [key, item] : value.as_dict()) {
    if (!key.is_string())
      fail<TypeError>("add_hparams: {}: expected strings as keys, got {}", name, key.repr());
    check_utf8("add_hparams", "the name", key.as_string());
  }
  return value.as_dict();
}

/// Returns a google.protobuf.Value: a string or a number.
MessageWriter json_value(const Value& value) {
  MessageWriter message;
  if (value.is_string()) {
    check_utf8("add_hparams", "the value", value.as_string());
    message.add_bytes(json_value_field::string_value, value.as_string());
  } else if (value.is_bool() || value.is_int() || value.is_float()) {
    message.add_double(json_value_field::number_value,
                       value.is_bool() ? (value.as_bool() ? 1.0 : 0.0) : value.as_double());
  } else if (value.is_tensor() && value.as_tensor().dim() <= 1 && value.as_tensor().numel() > 0) {
    // PyTorch stores the first element.
    message.add_double(json_value_field::number_value,
                       value.as_tensor().detach().flatten().select(0, 0).item<double>());
  } else {
    fail<ValueError>(
        "add_hparams: value should be one of int, float, str, bool, or a tensor with one element, "
        "got {}",
        value.repr());
  }
  return message;
}

/// Returns true if Python's `isinstance(value, type(like))` is true.
bool is_instance(const Value& value, const Value& like) {
  return value.kind() == like.kind() || (value.is_bool() && like.is_int());
}

/// Checks the possible values of hyperparameters.
void check_domains(const Dict& hparams, const Dict& domains) {
  for (const auto& [name, domain] : domains) {
    const Value* const value = hparams.find(name);
    bool fits = value && domain.is_list();
    if (fits)
      for (const Value& item : domain.as_list()) fits = fits && is_instance(item, *value);
    if (!fits)
      fail<TypeError>(
          "parameter: hparam_domain_discrete[{}] should be a list of same type as hparam_dict[{}].",
          name.as_string(), name.as_string());
  }
}

MessageWriter hparam_info(const Value& name, const Value& value, const Value* domain) {
  MessageWriter info;
  info.add_bytes(hparam_info_field::name, name.as_string())
      .add_integer(hparam_info_field::type, value.is_string() ? kString : kFloat64);
  if (!domain || value.is_tensor()) return info;
  MessageWriter list;
  for (const Value& item : domain->as_list())
    list.add_message(list_value_field::values, json_value(item));
  info.add_message(hparam_info_field::domain_discrete, list);
  return info;
}

MessageWriter metric_info(const Value& name) {
  MessageWriter tag, info;
  tag.add_bytes(metric_name_field::tag, name.as_string());
  info.add_message(metric_info_field::name, tag);
  return info;
}

MessageWriter hparams_data(const std::string& tag, unsigned field, const MessageWriter& message) {
  MessageWriter data;
  data.add_message(field, message);
  return hparams_value(tag, data.bytes());
}

MessageWriter chart_message(const CustomChart& chart) {
  constexpr const char* kFunction = "add_custom_scalars";
  check_utf8(kFunction, "the title", chart.title);
  for (const std::string& tag : chart.tags) check_utf8(kFunction, "the tag", tag);
  MessageWriter content, message;
  message.add_bytes(chart_field::title, chart.title);
  if (chart.type == "Margin") {
    if (chart.tags.size() != 3)
      fail<AssertionError>("{}: Expected 3 tags, got {}.", kFunction, chart.tags.size());
    MessageWriter series;
    series.add_bytes(series_field::value, chart.tags[0])
        .add_bytes(series_field::lower, chart.tags[1])
        .add_bytes(series_field::upper, chart.tags[2]);
    content.add_message(margin_field::series, series);
    message.add_message(chart_field::margin, content);
  } else if (chart.type == "Multiline") {
    for (const std::string& tag : chart.tags) content.add_bytes(multiline_field::tag, tag);
    message.add_message(chart_field::multiline, content);
  } else {
    fail<ValueError>("add_custom_scalars: the type of a chart is Multiline or Margin, got '{}'",
                     chart.type);
  }
  return message;
}

}  // namespace

HParamsValues hparams_values(const Value& hparam_dict, const Value& metric_dict,
                             const Value& hparam_domain_discrete) {
  const Dict& hparams = dict_of("hparam_dict", hparam_dict);
  const Dict& metrics = dict_of("metric_dict", metric_dict);
  const Value no_domains = Value::dict();
  const Dict& domains =
      dict_of("hparam_domain_discrete",
              hparam_domain_discrete.is_none() ? no_domains : hparam_domain_discrete);
  check_domains(hparams, domains);

  MessageWriter experiment, start, end;
  for (const auto& [name, value] : hparams) {
    if (value.is_none()) continue;
    MessageWriter entry;
    entry.add_bytes(map_field::key, name.as_string())
        .add_message(map_field::value, json_value(value));
    start.add_message(session_start_field::hparams, entry);
    experiment.add_message(experiment_field::hparam_infos,
                           hparam_info(name, value, domains.find(name)));
  }
  for (const auto& [name, value] : metrics)
    experiment.add_message(experiment_field::metric_infos, metric_info(name));
  end.add_integer(session_end_field::status, kSuccess);
  return {hparams_data("_hparams_/experiment", hparams_field::experiment, experiment),
          hparams_data("_hparams_/session_start_info", hparams_field::session_start_info, start),
          hparams_data("_hparams_/session_end_info", hparams_field::session_end_info, end)};
}

std::string layout_message(const std::vector<CustomChartCategory>& layout) {
  MessageWriter message;
  for (const CustomChartCategory& category : layout) {
    check_utf8("add_custom_scalars", "the title", category.title);
    MessageWriter content;
    content.add_bytes(category_field::title, category.title);
    for (const CustomChart& chart : category.charts)
      content.add_message(category_field::chart, chart_message(chart));
    message.add_message(layout_field::category, content);
  }
  return message.bytes();
}

}  // namespace taper::train::events
