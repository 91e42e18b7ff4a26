// Calls of SummaryWriter.
#include "cases/outcome.h"
#include "kit/arguments.h"
#include "kit/events.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/train/summary_writer.h"

namespace taper::oracle {
namespace {

using train::SummaryWriter;

/// Arguments of a call. `ordered` has the keys of dicts in the order of the file.
struct Call {
  Case& c;
  KitArguments args;
  const OrderedJson& ordered;

  const Json& at(const char* name) {
    if (const Json* value = args.find(name)) return *value;
    throw MalformedCase(std::string("no argument '") + name + "'");
  }
  std::string tag(const char* name = "tag") { return at(name).get<std::string>(); }
  std::optional<std::int64_t> step() { return args.optional_integer("global_step"); }
  std::optional<double> walltime() {
    const Json* value = args.find("walltime");
    return value ? std::optional(read_number(*value)) : std::nullopt;
  }
  /// Returns a dict; None if the argument is absent.
  Value dict(const char* name);
  std::vector<double> numbers(const char* name) {
    std::vector<double> list;
    for (const Json& item : at(name)) list.push_back(read_number(item));
    return list;
  }
};

Value ordered_value(Case& c, const OrderedJson& json) {
  if (json.is_array()) {
    Values items;
    for (const OrderedJson& item : json) items.push_back(ordered_value(c, item));
    return Value::list(std::move(items));
  }
  if (!json.is_object() || json.contains("t") || json.contains("float"))
    return read_data(c, Json(json));
  Value dict = Value::dict();
  for (const auto& [name, item] : json.items()) dict.as_dict().set(name, ordered_value(c, item));
  return dict;
}

Value Call::dict(const char* name) {
  return args.find(name) ? ordered_value(c, ordered.at(name)) : Value();
}

void add_scalar(SummaryWriter& w, Call& call) {
  const train::ScalarOptions options{.walltime = call.walltime(),
                                     .new_style = call.args.flag("new_style", false),
                                     .double_precision = call.args.flag("double_precision", false)};
  const Value value = read_data(call.c, call.at("scalar_value"));
  const std::string tag = call.tag();
  if (value.is_tensor())
    w.add_scalar(tag, value.as_tensor(), call.step(), options);
  else if (value.is_bool())
    w.add_scalar(tag, value.as_bool(), call.step(), options);
  else if (value.is_int())
    w.add_scalar(tag, value.as_int(), call.step(), options);
  else
    w.add_scalar(tag, value.as_double(), call.step(), options);
}

void add_scalars(SummaryWriter& w, Call& call) {
  w.add_scalars(call.tag("main_tag"), call.dict("tag_scalar_dict"), call.step(),
                {.walltime = call.walltime()});
}

void add_tensor(SummaryWriter& w, Call& call) {
  w.add_tensor(call.tag(), call.args.tensor("tensor"), call.step(), {.walltime = call.walltime()});
}

train::HistogramBins read_bins(Call& call) {
  const Json* bins = call.args.find("bins");
  if (!bins) return "tensorflow";
  if (bins->is_string()) return bins->get<std::string>();
  if (bins->is_array()) return call.numbers("bins");
  return read_integer(*bins);
}

void add_histogram(SummaryWriter& w, Call& call) {
  w.add_histogram(call.tag(), call.args.tensor("values"), call.step(),
                  {.bins = read_bins(call),
                   .walltime = call.walltime(),
                   .max_bins = call.args.optional_integer("max_bins")});
}

void add_histogram_raw(SummaryWriter& w, Call& call) {
  w.add_histogram_raw(call.tag(),
                      {.min = call.args.number("min"),
                       .max = call.args.number("max"),
                       .num = call.args.number("num"),
                       .sum = call.args.number("sum"),
                       .sum_squares = call.args.number("sum_squares"),
                       .bucket_limit = call.numbers("bucket_limits"),
                       .bucket = call.numbers("bucket_counts")},
                      call.step(), {.walltime = call.walltime()});
}

void add_image(SummaryWriter& w, Call& call) {
  w.add_image(call.tag(), call.args.tensor("img_tensor"), call.step(),
              {.walltime = call.walltime(), .dataformats = call.args.text("dataformats", "CHW")});
}

void add_images(SummaryWriter& w, Call& call) {
  w.add_images(call.tag(), call.args.tensor("img_tensor"), call.step(),
               {.walltime = call.walltime(), .dataformats = call.args.text("dataformats", "NCHW")});
}

void add_audio(SummaryWriter& w, Call& call) {
  w.add_audio(
      call.tag(), call.args.tensor("snd_tensor"), call.step(),
      {.sample_rate = call.args.integer("sample_rate", 44100), .walltime = call.walltime()});
}

void add_text(SummaryWriter& w, Call& call) {
  w.add_text(call.tag(), call.tag("text_string"), call.step(), {.walltime = call.walltime()});
}

train::PrCurveOptions pr_curve_options(Call& call) {
  train::PrCurveOptions options{.num_thresholds = call.args.integer("num_thresholds", 127),
                                .walltime = call.walltime()};
  if (const Json* weights = call.args.find("weights"))
    options.weights = weights->is_object() ? read_tensor(call.c, *weights)
                                           : tensor(read_number(*weights), {.dtype = float64});
  return options;
}

void add_pr_curve(SummaryWriter& w, Call& call) {
  w.add_pr_curve(call.tag(), call.args.tensor("labels"), call.args.tensor("predictions"),
                 call.step(), pr_curve_options(call));
}

void add_pr_curve_raw(SummaryWriter& w, Call& call) {
  w.add_pr_curve_raw(call.tag(),
                     {.true_positive_counts = call.args.tensor("true_positive_counts"),
                      .false_positive_counts = call.args.tensor("false_positive_counts"),
                      .true_negative_counts = call.args.tensor("true_negative_counts"),
                      .false_negative_counts = call.args.tensor("false_negative_counts"),
                      .precision = call.args.tensor("precision"),
                      .recall = call.args.tensor("recall")},
                     call.step(), pr_curve_options(call));
}

void add_hparams(SummaryWriter& w, Call& call) {
  w.add_hparams(call.dict("hparam_dict"), call.dict("metric_dict"),
                {.hparam_domain_discrete = call.dict("hparam_domain_discrete"),
                 .run_name = call.args.text("run_name", ""),
                 .global_step = call.step()});
}

void add_custom_scalars(SummaryWriter& w, Call& call) {
  std::vector<train::CustomChartCategory> layout;
  call.at("layout");
  for (const auto& [title, charts] : call.ordered.at("layout").items()) {
    train::CustomChartCategory category{.title = title};
    for (const auto& [name, chart] : charts.items())
      category.charts.push_back({.title = name,
                                 .type = chart.at(0).get<std::string>(),
                                 .tags = chart.at(1).get<std::vector<std::string>>()});
    layout.push_back(std::move(category));
  }
  w.add_custom_scalars(layout);
}

void flush(SummaryWriter& w, Call&) { w.flush(); }
void close(SummaryWriter& w, Call&) { w.close(); }

train::SummaryWriterOptions writer_options(KitArguments& args) {
  train::SummaryWriterOptions options{.purge_step = args.optional_integer("purge_step"),
                                      .max_queue = args.integer("max_queue", 10)};
  if (const Json* seconds = args.find("flush_secs")) options.flush_secs = read_number(*seconds);
  options.filename_suffix = args.text("filename_suffix", "");
  args.done();
  return options;
}

const std::map<std::string, void (*)(SummaryWriter&, Call&)>& methods() {
  static const std::map<std::string, void (*)(SummaryWriter&, Call&)> all = {
      {"add_scalar", add_scalar},
      {"add_scalars", add_scalars},
      {"add_tensor", add_tensor},
      {"add_histogram", add_histogram},
      {"add_histogram_raw", add_histogram_raw},
      {"add_image", add_image},
      {"add_images", add_images},
      {"add_audio", add_audio},
      {"add_text", add_text},
      {"add_pr_curve", add_pr_curve},
      {"add_pr_curve_raw", add_pr_curve_raw},
      {"add_hparams", add_hparams},
      {"add_custom_scalars", add_custom_scalars},
      {"flush", flush},
      {"close", close}};
  return all;
}

}  // namespace

void log_calls(Case& c, const std::string& folder) {
  const Json& calls = c.at("calls");
  const OrderedJson ordered = ordered_field(c.file(), c.id(), "calls");
  std::size_t i = 0;
  train::SummaryWriterOptions options;
  if (!calls.empty() && calls.at(0).at("do") == "open") {
    KitArguments args(c, calls.at(i++).at("args"));
    options = writer_options(args);
  }
  SummaryWriter writer(folder, options);
  for (; i < calls.size(); ++i) {
    Fields fields(calls.at(i));
    const std::string name = fields.text("do");
    const auto method = methods().find(name);
    if (method == methods().end()) throw MalformedCase("unknown call '" + name + "'");
    Call call{c, KitArguments(c, fields.at("args")), ordered.at(i).at("args")};
    fields.done();
    method->second(writer, call);
    call.args.done();
  }
  writer.close();
}

}  // namespace taper::oracle
