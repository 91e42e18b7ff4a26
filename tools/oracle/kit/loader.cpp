// Family loader: order and batches of data loaders, collation, datasets.
#include <limits>

#include "cases/outcome.h"
#include "kit/datasets.h"
#include "kit/families.h"
#include "kit/sampler_spec.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using CollateValues = SharedFunction<Value(std::vector<Value>)>;
template <class D> using Loader = data::DataLoader<D, CollateValues>;

struct FixedBatches final : data::BatchSampler {
  explicit FixedBatches(const Json& lists)
      : lists_(lists.get<std::vector<std::vector<std::int64_t>>>()) {}
  std::int64_t size() const override { return static_cast<std::int64_t>(lists_.size()); }
  std::vector<std::vector<std::int64_t>> batches() override { return lists_; }

 private:
  std::vector<std::vector<std::int64_t>> lists_;
};

data::DataLoaderOptions read_arguments(const Json& object) {
  Fields args(object);
  data::DataLoaderOptions options;
  if (const Json* x = args.find("batch_size")) {
    if (x->is_null())
      options.batch_size = std::nullopt;
    else
      options.batch_size = read_integer(*x);
  }
  if (const Json* x = args.find("shuffle")) options.shuffle = read_bool(*x);
  if (const Json* x = args.find("drop_last")) options.drop_last = read_bool(*x);
  if (const Json* x = args.find("num_workers"))
    options.num_workers = static_cast<int>(read_integer(*x));
  if (const Json* x = args.find("prefetch_factor"))
    options.prefetch_factor = static_cast<int>(read_integer(*x));
  if (const Json* x = args.find("persistent_workers")) options.persistent_workers = read_bool(*x);
  if (const Json* x = args.find("timeout")) options.timeout = read_number(*x);
  if (const Json* x = args.find("in_order")) options.in_order = read_bool(*x);
  args.done();
  return options;
}

std::int64_t size_of(const SomeDataset& dataset) {
  const auto* indexed = std::get_if<AnyDataset>(&dataset);
  return indexed ? indexed->size() : 0;
}

data::DataLoaderOptions read_options(Case& c, Fields& loader, const SomeDataset& dataset,
                                     const Generators& generators) {
  data::DataLoaderOptions options = read_arguments(loader.at("args"));
  options.generator = generators.find(loader.find("generator"));
  if (const Json* spec = loader.find("sampler"))
    options.sampler = make_sampler(c, *spec, size_of(dataset), generators).indices;
  if (const Json* spec = loader.find("batch_sampler")) {
    if (spec->at("name") == "list")
      options.batch_sampler = std::make_shared<FixedBatches>(spec->at("args").at("indices"));
    else
      options.batch_sampler = make_sampler(c, *spec, size_of(dataset), generators).batches;
  }
  if (const Json* first_seed = loader.find("worker_init"))
    options.worker_init_fn = [seed = seed_of(*first_seed)](const data::WorkerInfo& worker) {
      manual_seed(seed + static_cast<std::uint64_t>(worker.id));
    };
  return options;
}

bool returns_examples(Fields& loader) {
  const Json& args = loader.at("args");
  return args.contains("batch_size") && args.at("batch_size").is_null();
}

CollateValues read_collate(Fields& loader) {
  if (returns_examples(loader)) {
    if (loader.text("collate") == "default") return data::DefaultConvert();
    return [](const std::vector<Value>& examples) { return examples.at(0); };
  }
  if (loader.text("collate") == "list")
    return [](std::vector<Value> examples) { return Value::list(std::move(examples)); };
  return [](const std::vector<Value>& examples) { return data::default_collate(examples); };
}

/// Calls f(loader) with the loader of the case.
template <class F> void with_loader(Case& c, const Generators& generators, F&& f) {
  const SomeDataset dataset = make_dataset(c, c.at("dataset"));
  Fields fields(c.at("loader"));
  const data::DataLoaderOptions options = read_options(c, fields, dataset, generators);
  const CollateValues collate = read_collate(fields);
  fields.done();
  std::visit(
      [&]<class D>(const D& d) {
        Loader<D> loader(d, options, collate);
        f(loader);
      },
      dataset);
}

/// Iterates over the loader as often as the case says. Calls f(pass, batches) for each pass.
template <class D, class F> void run_passes(Case& c, Loader<D>& loader, F&& f) {
  const Json& expected_seeds = c.at("expected").at("base_seeds");
  for (std::size_t i = 0; i < c.at("passes").size(); ++i) {
    Fields pass(c.at("passes").at(i));
    const Json* count = pass.find("take");
    std::int64_t remaining =
        count ? read_integer(*count) : std::numeric_limits<std::int64_t>::max();
    pass.done();
    auto it = loader.begin();
    c.expect_text("base seed of pass " + std::to_string(i), std::to_string(it.base_seed()),
                  expected_seeds.at(i).dump());
    Values batches;
    while (remaining-- > 0 && !(it == loader.end())) {
      batches.push_back(*it);
      if (remaining > 0) ++it;
    }
    f(i, batches);
  }
}

template <class D> void expect_length(Case& c, const Loader<D>& loader) {
  Fields expected(c.at("expected"));
  if (const Json* length = expected.find("length"))
    c.expect_text("length", std::to_string(loader.size()), length->dump());
}

void run_order(Case& c, Generators& generators) {
  with_loader(c, generators, [&](auto& loader) {
    expect_length(c, loader);
    run_passes(c, loader, [&](std::size_t i, const Values& batches) {
      expect_data(c, "pass " + std::to_string(i), Value::list(batches),
                  c.at("expected").at("passes").at(i));
    });
  });
  generators.expect_next(c.at("expected"));
}

void run_workers(Case& c, Generators& generators) {
  with_loader(c, generators, [&](auto& loader) {
    run_passes(c, loader, [&](std::size_t i, const Values& batches) {
      const std::string what = "pass " + std::to_string(i);
      std::vector<Tensor> info, draws;
      std::vector<std::int64_t> sizes;
      for (const Value& batch : batches) {
        info.push_back(batch.as_sequence().at(0).as_tensor());
        draws.push_back(batch.as_sequence().at(1).as_tensor());
        sizes.push_back(info.back().size(0));
      }
      Fields expected(c.at("expected").at("passes").at(i));
      expect_indices(c, what + ", sizes", sizes, expected.at("sizes"));
      expect_data(c, what + ", info", cat(info), expected.at("info"));
      expect_data(c, what + ", draws", cat(draws), expected.at("draws"));
      expected.done();
    });
  });
  generators.expect_next(c.at("expected"));
}

void run_fails(Case& c, Generators& generators) {
  const Json& expected = c.at("expected").at("batches");
  with_loader(c, generators, [&](auto& loader) {
    std::size_t i = 0;
    for (auto it = loader.begin(); !(it == loader.end()); ++it, ++i) {
      const std::string what = "batch " + std::to_string(i);
      const Json batch = i < expected.size() ? expected.at(i) : Json();
      try {
        const Value values = *it;
        expect_data(c, what, values, batch);
      } catch (const Error& error) {
        const std::string text = batch.is_object() ? batch.at("error").get<std::string>() : "";
        if (text.empty() || !std::string_view(error.what()).ends_with(text))
          c.fail(what + ": error " + error.what() + ", expected " + batch.dump());
      }
    }
    c.expect_text("batches", std::to_string(i), std::to_string(expected.size()));
  });
  generators.expect_next(c.at("expected"));
}

Value collate(Case& c) {
  const std::string name = c.text("name");
  const Value input = read_data(c, c.at("input"));
  if (name == "default_convert") return data::default_convert(input);
  if (name != "default_collate") throw MalformedCase("unknown function '" + name + "'");
  return data::default_collate(input.as_sequence());
}

void run_collate(Case& c, Generators& /*generators*/) {
  expect_data(c, "result", collate(c), c.at("expected").at("result"));
}

void run_dataset(Case& c, Generators& /*generators*/) {
  const SomeDataset some = make_dataset(c, c.at("dataset"));
  const auto& dataset = std::get<AnyDataset>(some);
  Fields expected(c.at("expected"));
  c.expect_text("length", std::to_string(dataset.size()), expected.at("length").dump());
  for (std::size_t i = 0; i < c.at("gets").size(); ++i) {
    const std::int64_t index = read_integer(c.at("gets").at(i));
    const std::string what = "example " + std::to_string(index);
    const Json& item = expected.at("items").at(i);
    const bool fails = item.is_object() && item.contains("refused");
    try {
      const Value example = dataset.get(index);
      if (fails)
        c.fail(what + ": no error");
      else
        expect_data(c, what, example, item);
    } catch (const Error& error) {
      if (!fails) c.fail(what + ": " + error.what());
    }
  }
  if (const Json* sizes = expected.find("cumulative_sizes"))
    expect_indices(c, "cumulative sizes", dataset.cumulative_sizes, *sizes);
  expected.done();
}

void run_loader_error(Case& c, Generators& generators) {
  expect_error(c, [&] {
    if (c.find("name"))
      static_cast<void>(collate(c));
    else if (c.find("loader"))
      with_loader(c, generators, [](auto& loader) {
        for (auto& batch : loader) static_cast<void>(batch);
      });
    else
      static_cast<void>(make_dataset(c, c.at("dataset")));
  });
}

}  // namespace

void run_loader(Case& c) {
  static const KitKinds kinds = {{"order", run_order},     {"workers", run_workers},
                                 {"fails", run_fails},     {"collate", run_collate},
                                 {"dataset", run_dataset}, {"error", run_loader_error}};
  run_kind(c, kinds);
}

}  // namespace taper::oracle
