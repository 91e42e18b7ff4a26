// Family samplers: order of samplers, and random_split.
#include <algorithm>
#include <limits>

#include "cases/outcome.h"
#include "kit/families.h"
#include "kit/sampler_spec.h"
#include "taper/core/error.h"
#include "taper/data/random_split.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

struct Positions {
  std::int64_t count;
  std::int64_t size() const { return count; }
  std::int64_t get(std::int64_t i) const { return i; }
};

void set_epoch(const SomeSampler& sampler, std::int64_t epoch) {
  auto* distributed = dynamic_cast<data::DistributedSampler*>(sampler.indices.get());
  if (!distributed) throw MalformedCase("this sampler has no epoch");
  distributed->set_epoch(epoch);
}

void run_passes(Case& c, Generators& generators) {
  const SomeSampler sampler = make_sampler(c, c.at("sampler"), c.integer("size"), generators);
  Fields expected(c.at("expected"));
  c.expect_number("length", static_cast<double>(sampler.size()), expected.number("length"), {});
  const Json& passes = expected.at("passes");
  for (std::size_t i = 0; i < c.at("passes").size(); ++i) {
    Fields pass(c.at("passes").at(i));
    if (const Json* epoch = pass.find("epoch")) set_epoch(sampler, read_integer(*epoch));
    const Json* count = pass.find("take");
    SamplerPass items(sampler);
    items.take(count ? read_integer(*count) : kAll);
    items.expect(c, "pass " + std::to_string(i), passes.at(i));
    pass.done();
  }
  generators.expect_next(c.at("expected"));
}

void run_interleaved(Case& c, Generators& generators) {
  std::vector<SomeSampler> samplers;
  for (const Json& spec : c.at("samplers"))
    samplers.push_back(make_sampler(c, spec, c.integer("size"), generators));
  std::vector<SamplerPass> passes(samplers.begin(), samplers.end());
  const Json& turns = c.at("turns");
  const Json& expected = c.at("expected").at("taken");
  for (std::size_t i = 0; i < turns.size(); ++i) {
    SamplerPass& pass = passes.at(turns.at(i).at(0).get<std::size_t>());
    pass.take(read_integer(turns.at(i).at(1)));
    pass.expect(c, "turn " + std::to_string(i), expected.at(i));
  }
  generators.expect_next(c.at("expected"));
}

void run_distributed(Case& c, Generators& generators) {
  Fields expected(c.at("expected"));
  const std::int64_t replicas = read_integer(c.at("args").at("num_replicas"));
  for (std::int64_t rank = 0; rank < replicas; ++rank) {
    Json spec = {{"name", "DistributedSampler"}, {"args", c.at("args")}};
    spec["args"]["rank"] = rank;
    const SomeSampler sampler = make_sampler(c, spec, c.integer("size"), generators);
    c.expect_number("length", static_cast<double>(sampler.size()), expected.number("length"), {});
    for (std::size_t i = 0; i < c.at("epochs").size(); ++i) {
      if (const Json& epoch = c.at("epochs").at(i); !epoch.is_null())
        set_epoch(sampler, read_integer(epoch));
      SamplerPass pass(sampler);
      pass.take(kAll);
      pass.expect(c, "rank " + std::to_string(rank) + ", epoch " + std::to_string(i),
                  expected.at("epochs").at(i).at(static_cast<std::size_t>(rank)));
    }
  }
  expected.done();
}

std::vector<data::Subset<Positions>> split_positions(Case& c, const Generators& generators) {
  const Positions range{c.integer("size")};
  const Json& lengths = c.at("lengths");
  const std::optional<Generator> generator = generators.find(c.find("generator"));
  const bool integers = std::all_of(lengths.begin(), lengths.end(),
                                    [](const Json& x) { return x.is_number_integer(); });
  if (integers)
    return data::random_split(range, lengths.get<std::vector<std::int64_t>>(), generator);
  std::vector<double> fractions;
  for (const Json& length : lengths) {
    if (length.is_number_integer()) throw TypeError("sizes and fractions do not compile together");
    fractions.push_back(read_number(length));
  }
  return data::random_split(range, fractions, generator);
}

void run_random_split(Case& c, Generators& generators) {
  const auto parts = split_positions(c, generators);
  const Json& expected = c.at("expected").at("parts");
  c.expect_number("parts", static_cast<double>(parts.size()), static_cast<double>(expected.size()),
                  {});
  for (std::size_t i = 0; i < parts.size(); ++i)
    expect_indices(c, "part " + std::to_string(i), parts[i].indices(), expected.at(i));
  generators.expect_next(c.at("expected"));
}

void run_sampler_error(Case& c, Generators& generators) {
  expect_error(c, [&] {
    if (c.find("lengths"))
      split_positions(c, generators);
    else
      SamplerPass(make_sampler(c, c.at("sampler"), c.integer("size"), generators)).take(kAll);
  });
}

}  // namespace

void run_samplers(Case& c) {
  static const KitKinds kinds = {{"sampler", run_passes},
                                 {"interleaved", run_interleaved},
                                 {"distributed", run_distributed},
                                 {"random_split", run_random_split},
                                 {"error", run_sampler_error}};
  run_kind(c, kinds);
}

}  // namespace taper::oracle
