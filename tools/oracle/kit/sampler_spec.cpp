#include "kit/sampler_spec.h"

#include "cases/outcome.h"
#include "taper/core/factory.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using data::BatchSampler, data::DistributedSampler, data::FixedOrderSampler, data::RandomSampler,
    data::SequentialSampler, data::SubsetRandomSampler, data::WeightedRandomSampler;

std::optional<std::int64_t> optional_integer(const Json* value) {
  return value && !value->is_null() ? std::optional(read_integer(*value)) : std::nullopt;
}

Tensor read_weights(Case& c, const Json& weights) {
  if (weights.is_object()) return c.tensor(weights.at("t").get<std::string>());
  std::vector<double> numbers;
  for (const Json& weight : weights) numbers.push_back(read_number(weight));
  return tensor(numbers);
}

std::shared_ptr<data::Sampler> make_indices(Case& c, const std::string& name, Fields& args,
                                            std::int64_t size,
                                            const std::optional<Generator>& generator) {
  const auto list = [&] { return args.at("indices").get<std::vector<std::int64_t>>(); };
  const auto flag = [&](const char* field, bool default_value) {
    const Json* value = args.find(field);
    return value ? read_bool(*value) : default_value;
  };
  if (name == "list") return std::make_shared<FixedOrderSampler>(list());
  if (name == "SequentialSampler") return std::make_shared<SequentialSampler>(size);
  if (name == "RandomSampler")
    return std::make_shared<RandomSampler>(
        size, data::RandomSamplerOptions{.replacement = flag("replacement", false),
                                         .num_samples = optional_integer(args.find("num_samples")),
                                         .generator = generator});
  if (name == "SubsetRandomSampler")
    return std::make_shared<SubsetRandomSampler>(list(), generator);
  if (name == "WeightedRandomSampler")
    return std::make_shared<WeightedRandomSampler>(
        read_weights(c, args.at("weights")), read_integer(args.at("num_samples")),
        data::WeightedRandomSamplerOptions{.replacement = flag("replacement", true),
                                           .generator = generator});
  if (name == "DistributedSampler") {
    const Json* rank = args.find("rank");
    const Json* seed = args.find("seed");
    return std::make_shared<DistributedSampler>(
        size, data::DistributedSamplerOptions{.num_replicas = read_integer(args.at("num_replicas")),
                                              .rank = rank ? read_integer(*rank) : 0,
                                              .shuffle = flag("shuffle", true),
                                              .seed = seed ? seed_of(*seed) : 0,
                                              .drop_last = flag("drop_last", false)});
  }
  throw Unsupported(name);
}

}  // namespace

SomeSampler make_sampler(Case& c, const Json& spec, std::int64_t size,
                         const Generators& generators) {
  Fields fields(spec);
  const std::string name = fields.text("name");
  Fields args(fields.at("args"));
  const std::optional<Generator> generator = generators.find(fields.find("generator"));
  SomeSampler result;
  if (name == "BatchSampler") {
    const SomeSampler inner = make_sampler(c, fields.at("sampler"), size, generators);
    const std::int64_t batch_size = read_integer(args.at("batch_size"));
    const bool drop_last = read_bool(args.at("drop_last"));
    if (inner.nested) throw Unsupported("batches of batches of batches");
    if (inner.batches)
      result.nested = std::make_shared<NestedBatches>(inner.batches, batch_size, drop_last);
    else
      result.batches = std::make_shared<BatchSampler>(inner.indices, batch_size, drop_last);
  } else {
    result.indices = make_indices(c, name, args, size, generator);
  }
  args.done();
  fields.done();
  return result;
}

SamplerPass::SamplerPass(const SomeSampler& sampler) {
  if (sampler.indices)
    next_index_ = sampler.indices->iterate();
  else if (sampler.batches)
    next_batch_ = sampler.batches->iterate();
  else
    next_list_ = sampler.nested->iterate();
}

void SamplerPass::take(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (next_index_) {
      const auto index = next_index_();
      if (!index) return;
      indices_.push_back(*index);
    } else if (next_batch_) {
      auto batch = next_batch_();
      if (!batch) return;
      batches_.push_back(std::move(*batch));
    } else {
      auto list = next_list_();
      if (!list) return;
      lists_.push_back(std::move(*list));
    }
  }
}

void SamplerPass::expect(Case& c, const std::string& what, const Json& expected) {
  if (next_index_)
    expect_indices(c, what, indices_, expected);
  else
    c.expect_text(what, next_batch_ ? Json(batches_).dump() : Json(lists_).dump(), expected.dump());
  indices_.clear();
  batches_.clear();
  lists_.clear();
}

}  // namespace taper::oracle
