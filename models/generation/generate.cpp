#include "generation/generate.h"

#include <algorithm>

#include "generation/search.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace generation {

using namespace taper;

namespace {

/// Returns the mask of the prompts, or an undefined tensor if nothing is padded.
Tensor mask_of_prompts(const Tensor& input_ids, const Tensor& given, const GenerationConfig& c) {
  Tensor mask = given;
  if (!mask.defined() && c.pad_token_id) {
    const TokenIds ends = c.eos_token_id.value_or(TokenIds());
    if (std::find(ends.begin(), ends.end(), *c.pad_token_id) == ends.end())
      mask = input_ids.ne(*c.pad_token_id).to(DType::i64);
  }
  if (!mask.defined()) return {};
  if (mask.shape() != input_ids.shape())
    throw ShapeError("generate: attention_mask must have the shape " + input_ids.shape().str() +
                     " of input_ids, got " + mask.shape().str());
  return mask.ne(0).all().item<bool>() ? Tensor() : mask;
}

/// Returns the length at which generation ends.
std::int64_t max_length_of(const GenerationConfig& c, std::int64_t prompt) {
  constexpr std::int64_t kDefaultNewTokens = 20;
  const std::int64_t length = c.max_new_tokens ? prompt + *c.max_new_tokens
                              : c.max_length   ? *c.max_length
                                               : prompt + kDefaultNewTokens;
  if (length <= prompt)
    throw ValueError("generate: the prompt has " + std::to_string(prompt) +
                     " tokens, but the maximum length is " + std::to_string(length));
  return length;
}

void check_prompts(const Tensor& input_ids) {
  if (input_ids.dim() != 2 || input_ids.size(1) == 0)
    throw ShapeError("generate: input_ids must be (N, T) with at least one token, got " +
                     input_ids.shape().str());
  if (input_ids.dtype() != DType::i64)
    throw DTypeError("generate: input_ids must be int64, got " +
                     std::string(name_of(input_ids.dtype())));
}

void check_counts(std::int64_t beams, std::int64_t returned, bool do_sample) {
  if (beams < 1 || returned < 1)
    throw ValueError("generate: num_beams and num_return_sequences must be positive, got " +
                     std::to_string(beams) + " and " + std::to_string(returned));
  if (beams > 1 ? returned > beams : returned > 1 && !do_sample)
    throw ValueError(
        "generate: num_return_sequences must not exceed num_beams unless tokens are "
        "drawn, got " +
        std::to_string(returned) + " and " + std::to_string(beams));
}

}  // namespace

Tensor generate(const LanguageModel& model, const GenerationConfig& defaults,
                const Tensor& input_ids, const GenerationConfig& config,
                const Tensor& attention_mask, GenerateReport* report) {
  GenerationConfig c = config;
  c.set_defaults(defaults);
  if (!c.unsupported.empty())
    throw NotImplementedError("generate: option '" + c.unsupported.front() +
                              "' of the generation_config is not supported");
  check_prompts(input_ids);
  const std::int64_t beams = c.num_beams.value_or(1);
  const std::int64_t returned = c.num_return_sequences.value_or(1);
  const bool do_sample = c.do_sample.value_or(false);
  check_counts(beams, returned, do_sample);

  const NoGrad guard;
  Tensor mask = mask_of_prompts(input_ids, attention_mask, c), prompts = input_ids;
  if (const std::int64_t copies = std::max(beams, returned); copies > 1) {
    prompts = prompts.repeat_interleave(copies, 0);
    if (mask.defined()) mask = mask.repeat_interleave(copies, 0);
  }
  const auto processors = LogitsProcessorList::from_config(c, prompts.size(1), mask);
  Decoder decoder(model, mask, c.use_cache.value_or(true));
  if (report) *report = {};
  const Search search{decoder,
                      processors,
                      max_length_of(c, prompts.size(1)),
                      c.eos_token_id.value_or(TokenIds()),
                      c.pad_token_id,
                      report};
  if (beams == 1) return sample(search, prompts, do_sample);
  return beam_search(search, prompts,
                     {.num_beams = beams,
                      .num_return_sequences = returned,
                      .length_penalty = c.length_penalty.value_or(1),
                      .early_stopping = c.early_stopping.value_or("false"),
                      .do_sample = do_sample});
}

Tensor sample(const Search& search, Tensor sequences, bool do_sample) {
  const Tensor ends = tensor(static_cast<const std::vector<std::int64_t>&>(search.eos_token_ids));
  const bool has_ends = !search.eos_token_ids.empty();
  Tensor has_ended = zeros({sequences.size(0)}, {.dtype = DType::bool_});
  while (sequences.size(1) < search.max_length) {
    const Tensor scores = search.processors(sequences, search.decoder.next_logits(sequences));
    if (search.report) search.report->scores.push_back(scores);
    Tensor next = do_sample ? scores.softmax(-1).multinomial(1).squeeze({1}) : scores.argmax(-1);
    if (has_ends)
      next =
          next.masked_fill(has_ended, search.pad_token_id.value_or(search.eos_token_ids.front()));
    sequences = cat({sequences, next.unsqueeze(1)}, 1);
    if (!has_ends) continue;
    has_ended = has_ended.logical_or(isin(next, ends));
    if (has_ended.all().item<bool>()) break;
  }
  return sequences;
}

}  // namespace generation
