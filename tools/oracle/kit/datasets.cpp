#include "kit/datasets.h"

#include <algorithm>

#include "cases/outcome.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader_options.h"
#include "taper/data/dataset.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

template <class T> Value to_value(const T& item) { return item; }
template <class... T> Value to_value(const std::tuple<T...>& items) {
  return std::apply([](const T&... item) { return Value::tuple({to_value(item)...}); }, items);
}

template <data::Dataset D> AnyDataset any_dataset(D dataset) {
  const std::int64_t size = dataset.size();
  return {size, [d = std::move(dataset)](std::int64_t i) { return to_value(d.get(i)); }};
}

/// Calls f(1), ..., f(4) with `count` as a constant.
template <std::size_t N = 1, class F> AnyDataset with_count(std::size_t count, F&& f) {
  if constexpr (N > 4) {
    throw Unsupported("datasets of more than four parts");
  } else {
    if (count == N) return f(std::integral_constant<std::size_t, N>());
    return with_count<N + 1>(count, f);
  }
}

struct Range {
  std::int64_t count, start;
  std::int64_t size() const { return count; }
  std::int64_t get(std::int64_t i) const { return start + data::detail::wrap_index(i, count); }
};

/// Examples that contain the worker that reads them, and what it draws.
Value probe(std::int64_t i) {
  const data::WorkerInfo* worker = data::get_worker_info();
  const data::WorkerInfo none{.id = -1, .num_workers = 0, .seed = static_cast<std::uint64_t>(-1)};
  const data::WorkerInfo& w = worker ? *worker : none;
  const std::vector<std::int64_t> info{i, w.id, w.num_workers, static_cast<std::int64_t>(w.seed),
                                       static_cast<std::int64_t>(initial_seed())};
  const Tensor uniform = rand({1});
  return Value::tuple({tensor(info), cat({uniform, randn({1})})});
}

Value read_or_fail(std::int64_t i, const std::vector<std::int64_t>& failing) {
  if (std::find(failing.begin(), failing.end(), i) != failing.end())
    throw ValueError("cannot read item " + std::to_string(i));
  return i;
}

AnyIterable::Next iterate_range(std::int64_t start, std::int64_t end, const std::string& sharding) {
  std::int64_t step = 1;
  if (const data::WorkerInfo* w = data::get_worker_info(); w && sharding != "none") {
    const std::int64_t part = (end - start + w->num_workers - 1) / w->num_workers;
    if (sharding == "strided") {
      start += w->id;
      step = w->num_workers;
    } else {
      start += w->id * part;
      end = std::min(end, start + part);
    }
  }
  return [start, end, step]() mutable -> std::optional<Value> {
    if (start >= end) return std::nullopt;
    return Value(std::exchange(start, start + step));
  };
}

AnyIterable range_iterable(Fields& fields) {
  const std::int64_t start = read_integer(fields.at("start")), end = read_integer(fields.at("end"));
  const Json* sharding = fields.find("sharding");
  const Json* length = fields.find("length");
  AnyIterable result;
  result.start = [start, end, how = sharding ? sharding->get<std::string>() : "none"] {
    return iterate_range(start, end, how);
  };
  if (length && !length->is_null()) result.length = read_integer(*length);
  return result;
}

AnyDataset tensor_dataset(Case& c, const Json& references) {
  return with_count(references.size(), [&](auto n) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return any_dataset(
          data::TensorDataset(c.tensor(references.at(I).at("t").template get<std::string>())...));
    }
    (std::make_index_sequence<n>());
  });
}

/// Returns the children of a combined dataset, which all have the type T.
template <class T> std::vector<T> make_children(Case& c, const Json& specs) {
  // With other arguments, the constructors do not compile.
  if (specs.empty()) throw TypeError("expected at least one dataset");
  std::vector<T> children;
  for (const Json& spec : specs) {
    SomeDataset child = make_dataset(c, spec);
    if (!std::holds_alternative<T>(child)) throw TypeError("not a dataset of this kind");
    children.push_back(std::get<T>(std::move(child)));
  }
  return children;
}

AnyDataset concat_dataset(Case& c, const Json& specs) {
  const data::ConcatDataset all(make_children<AnyDataset>(c, specs));
  AnyDataset result = any_dataset(all);
  result.cumulative_sizes = all.cumulative_sizes();
  return result;
}

AnyDataset named_stack_dataset(const Json& specs, const std::vector<AnyDataset>& children) {
  std::vector<std::string> names;
  for (const auto& [name, spec] : specs.items()) names.push_back(name);
  return with_count(children.size(), [&](auto n) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return any_dataset(data::StackDataset(data::NamedDataset(names[I], children[I])...));
    }
    (std::make_index_sequence<n>());
  });
}

AnyDataset stack_dataset(Case& c, const Json& specs) {
  const std::vector<AnyDataset> children = make_children<AnyDataset>(c, specs);
  if (specs.is_object()) return named_stack_dataset(specs, children);
  return with_count(children.size(), [&](auto n) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return any_dataset(data::StackDataset(children[I]...));
    }
    (std::make_index_sequence<n>());
  });
}

AnyIterable chain_dataset(Case& c, const Json& specs) {
  const data::ChainDataset all(make_children<AnyIterable>(c, specs));
  AnyIterable result;
  result.start = [all] { return AnyIterable::Next(all.iterate()); };
  return result;
}

SomeDataset make(Case& c, const std::string& name, Fields& fields) {
  if (name == "TensorDataset") return tensor_dataset(c, fields.at("tensors"));
  if (name == "ConcatDataset") return concat_dataset(c, fields.at("children"));
  if (name == "StackDataset") return stack_dataset(c, fields.at("children"));
  if (name == "ChainDataset") return chain_dataset(c, fields.at("children"));
  if (name == "RangeIterable") return range_iterable(fields);
  if (name == "Subset")
    return any_dataset(data::Subset(std::get<AnyDataset>(make_dataset(c, fields.at("child"))),
                                    fields.at("indices").get<std::vector<std::int64_t>>()));
  const std::int64_t size = read_integer(fields.at("size"));
  if (name == "Range") {
    const Json* start = fields.find("start");
    return any_dataset(Range{size, start ? read_integer(*start) : 0});
  }
  if (name == "Probe") return AnyDataset{size, probe};
  if (name == "Fails")
    return AnyDataset{size, [at = fields.at("at").get<std::vector<std::int64_t>>()](
                                std::int64_t i) { return read_or_fail(i, at); }};
  throw Unsupported(name);
}

}  // namespace

SomeDataset make_dataset(Case& c, const Json& spec) {
  Fields fields(spec);
  SomeDataset result = make(c, fields.text("name"), fields);
  fields.done();
  return result;
}

}  // namespace taper::oracle
