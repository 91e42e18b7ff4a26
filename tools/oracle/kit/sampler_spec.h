// Samplers described in cases.
#pragma once
#include <memory>

#include "kit/values.h"
#include "taper/data/nested_batch_sampler.h"
#include "taper/data/sampler.h"

namespace taper::oracle {

using NestedBatches = data::NestedBatchSampler<data::BatchSampler>;

/// A sampler, a batch sampler, or one of batches of batches; the other pointers are null.
struct SomeSampler {
  std::shared_ptr<data::Sampler> indices{};
  std::shared_ptr<data::BatchSampler> batches{};
  std::shared_ptr<NestedBatches> nested{};

  std::int64_t size() const {
    return indices ? indices->size() : batches ? batches->size() : nested->size();
  }
};

/// Creates the sampler that `spec` describes, over `size` examples. Throws the errors of its
/// constructor.
SomeSampler make_sampler(Case& c, const Json& spec, std::int64_t size,
                         const Generators& generators);

/// Pass over a sampler, whose items are compared with those expected.
class SamplerPass {
 public:
  explicit SamplerPass(const SomeSampler& sampler);
  /// Takes up to `count` items.
  void take(std::int64_t count);
  /// Compares the items since the last call with the expected ones.
  void expect(Case& c, const std::string& what, const Json& expected);

 private:
  data::NextIndex next_index_;
  data::NextBatch next_batch_;
  std::vector<std::int64_t> indices_;
  std::vector<std::vector<std::int64_t>> batches_;
  NestedBatches::Next next_list_;
  std::vector<std::vector<std::vector<std::int64_t>>> lists_;
};

}  // namespace taper::oracle
