// Records of event files in the form of the cases.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>

#include "kit/events.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/image.h"
#include "taper/train/event_file_reader.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;
using train::Event, train::SummaryValue;

Tensor double_tensor(const std::vector<double>& values) { return tensor(values); }

/// Returns the samples of a WAV file with 16 bits per sample.
Tensor decode_wav(const std::string& bytes) {
  constexpr std::size_t kHeader = 44;
  if (bytes.size() < kHeader || !bytes.starts_with("RIFF") || bytes.compare(36, 4, "data") != 0)
    throw IoError("not a WAV file");
  std::vector<std::int16_t> samples((bytes.size() - kHeader) / 2);
  std::memcpy(samples.data(), bytes.data() + kHeader, 2 * samples.size());
  return tensor(samples);
}

void set_data(Dict& record, const SummaryValue& value) {
  const auto set = [&](const char* name, Value part) { record.set(name, std::move(part)); };
  if (const auto* number = std::get_if<float>(&value.data)) {
    set("kind", "scalar"), set("value", *number);
  } else if (const auto* h = std::get_if<train::HistogramSummary>(&value.data)) {
    set("kind", "histogram"), set("min", h->min), set("max", h->max), set("num", h->num);
    set("sum", h->sum), set("sum_squares", h->sum_squares);
    set("limits", double_tensor(h->bucket_limit)), set("counts", double_tensor(h->bucket));
  } else if (const auto* image = std::get_if<train::ImageSummary>(&value.data)) {
    set("kind", "image"), set("format", "PNG"), set("height", image->height);
    set("width", image->width), set("colorspace", image->colorspace);
    const auto bytes = std::as_bytes(std::span(image->encoded_image));
    set("pixels", data::decode_png(bytes).permute({1, 2, 0}).contiguous());
  } else if (const auto* audio = std::get_if<train::AudioSummary>(&value.data)) {
    set("kind", "audio"), set("sample_rate", audio->sample_rate);
    set("num_channels", audio->num_channels), set("length_frames", audio->length_frames);
    set("content_type", audio->content_type), set("samples", decode_wav(audio->encoded_audio));
  } else if (const auto* strings = std::get_if<std::vector<std::string>>(&value.data)) {
    if (value.plugin_name == "custom_scalars") {
      set("kind", "layout"), set("layout", decode_layout(strings->at(0)));
      return;
    }
    Values items(strings->begin(), strings->end());
    set("kind", value.plugin_name), set("text", Value::list(std::move(items)));
  } else if (const auto* t = std::get_if<Tensor>(&value.data)) {
    set("kind", value.plugin_name == "pr_curves" ? "pr_curve" : "tensor"), set("tensor", *t);
    if (value.plugin_name == "pr_curves")
      set("num_thresholds", decode_num_thresholds(value.plugin_content));
    else
      set("plugin", value.plugin_name);
  } else {
    set("kind", value.plugin_name);
    if (value.plugin_name != "hparams") return;
    const Value parts = decode_hparams(value.plugin_content);
    for (const auto& [name, part] : parts.as_dict()) record.set(name, part);
  }
}

Value record_head(const Event& event) {
  return Value::dict({{"step", event.step}, {"wall_time", event.wall_time}});
}

void append_records(Value& records, const Event& event) {
  if (!event.file_version.empty()) {
    Value record = record_head(event);
    record.as_dict().set("kind", "version");
    record.as_dict().set("file_version", event.file_version);
    records.append(record);
  }
  if (event.session_status) {
    Value record = record_head(event);
    record.as_dict().set("kind", "session");
    record.as_dict().set("status", *event.session_status);
    records.append(record);
  }
  for (const SummaryValue& value : event.values) {
    Value record = record_head(event);
    record.as_dict().set("tag", value.tag);
    set_data(record.as_dict(), value);
    records.append(record);
  }
}

/// Events of the files of each run.
std::map<std::string, std::vector<Event>> events_by_run(const std::string& folder) {
  std::set<fs::path> folders = {folder};
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_directory()) folders.insert(entry.path());
  std::map<std::string, std::vector<Event>> runs;
  for (const fs::path& run : folders)
    for (const std::string& path : train::event_files(run.string())) {
      auto& events = runs[fs::relative(run, folder).string()];
      for (Event& event : train::read_events(path)) events.push_back(std::move(event));
    }
  return runs;
}

/// Tags and scalars of a run. A session start removes the points of its step and later ones.
Value accumulate(const std::vector<Event>& events) {
  constexpr std::int64_t kSessionStart = 1;
  std::map<std::string, std::set<std::string>> tags;
  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> scalars;
  for (const Event& event : events) {
    if (event.session_status == kSessionStart)
      for (auto& [tag, points] : scalars)
        std::erase_if(points, [&](const auto& point) { return point.first >= event.step; });
    for (const SummaryValue& value : event.values) {
      static constexpr const char* kKinds[] = {nullptr, "scalars", "histograms", "images",
                                               "audio", "tensors", "tensors"};
      if (const char* kind = kKinds[value.data.index()]) tags[kind].insert(value.tag);
      if (std::holds_alternative<train::HistogramSummary>(value.data))
        tags["distributions"].insert(value.tag);
      if (const float* number = std::get_if<float>(&value.data))
        scalars[value.tag].emplace_back(event.step, *number);
    }
  }
  Value result = Value::dict(), values = Value::dict();
  for (const auto& [kind, names] : tags)
    result.as_dict().set(kind, Value::list(Values(names.begin(), names.end())));
  for (const auto& [tag, points] : scalars) {
    Value list = Value::list();
    for (const auto& [step, value] : points) list.append(Value::list({step, value}));
    values.as_dict().set(tag, list);
  }
  result.as_dict().set("scalar_values", values);
  return result;
}

}  // namespace

Value read_runs(const std::string& folder) {
  Value runs = Value::dict();
  for (const auto& [run, events] : events_by_run(folder)) {
    Value records = Value::list();
    for (const Event& event : events) append_records(records, event);
    runs.as_dict().set(run, records);
  }
  return runs;
}

Value accumulate_runs(const std::string& folder) {
  Value runs = Value::dict();
  for (const auto& [run, events] : events_by_run(folder))
    runs.as_dict().set(run, accumulate(events));
  return runs;
}

}  // namespace taper::oracle
