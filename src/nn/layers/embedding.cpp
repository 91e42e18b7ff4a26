#include "taper/nn/embedding.h"

#include "core/check.h"
#include "nn/layers/text.h"
#include "nn/registry/schema.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/embedding.h"
#include "taper/nn/init.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(Embedding, weight)
TAPER_LAYER_MEMBERS(EmbeddingBag, weight)

namespace {

/// Returns a row index as a nonnegative number.
std::optional<std::int64_t> padding_row(std::optional<std::int64_t> index, std::int64_t rows) {
  if (!index) return index;
  if (*index >= std::max<std::int64_t>(rows, 1) || *index < -rows)
    fail<ValueError>("padding_idx must be within num_embeddings: got {} for {} embeddings", *index,
                     rows);
  return *index < 0 ? *index + rows : *index;
}

Tensor new_weight(std::int64_t rows, std::int64_t columns, const auto& options) {
  if (rows < 0 || columns < 0)
    fail<ValueError>("num_embeddings and embedding_dim must not be negative, got {} and {}", rows,
                     columns);
  return empty({rows, columns}, tensor_options(options));
}

const Tensor& checked_matrix(const Tensor& embeddings) {
  if (embeddings.dim() != 2)
    fail<ValueError>("Embeddings parameter is expected to be 2-dimensional, got shape {}",
                     embeddings.shape());
  return embeddings;
}

void initialize(Parameter& weight, std::optional<std::int64_t> padding) {
  init::normal_(weight);
  if (!padding) return;
  const NoGrad guard;
  weight.select(0, *padding).zero_();
}

}  // namespace

Embedding::Embedding(IntArg rows, IntArg columns, const EmbeddingOptions& o)
    : num_embeddings(rows),
      embedding_dim(columns),
      padding_idx(padding_row(o.padding_idx, rows)),
      max_norm(o.max_norm),
      norm_type(o.norm_type),
      scale_grad_by_freq(o.scale_grad_by_freq),
      weight(new_weight(rows, columns, o)) {
  reset_parameters();
}

Embedding::Embedding(const Tensor& matrix, bool freeze, const EmbeddingOptions& o)
    : num_embeddings(checked_matrix(matrix).size(0)),
      embedding_dim(matrix.size(1)),
      padding_idx(padding_row(o.padding_idx, num_embeddings)),
      max_norm(o.max_norm),
      norm_type(o.norm_type),
      scale_grad_by_freq(o.scale_grad_by_freq),
      weight(matrix, !freeze) {}

Embedding Embedding::from_pretrained(const Tensor& embeddings,
                                     const PretrainedEmbeddingOptions& o) {
  return {embeddings,
          o.freeze,
          {.padding_idx = o.padding_idx,
           .max_norm = o.max_norm,
           .norm_type = o.norm_type,
           .scale_grad_by_freq = o.scale_grad_by_freq}};
}

void Embedding::reset_parameters() { initialize(weight, padding_idx); }

Tensor Embedding::forward(const Tensor& input) const {
  return functional::embedding(called(input), weight,
                               {.padding_idx = padding_idx,
                                .max_norm = max_norm,
                                .norm_type = norm_type,
                                .scale_grad_by_freq = scale_grad_by_freq});
}

std::string Embedding::extra_repr() const {
  std::string text = std::to_string(num_embeddings) + ", " + std::to_string(embedding_dim);
  if (padding_idx) text += ", padding_idx=" + std::to_string(*padding_idx);
  if (max_norm) text += ", max_norm=" + python_text(*max_norm);
  if (norm_type != 2) text += ", norm_type=" + python_text(norm_type);
  if (scale_grad_by_freq) text += ", scale_grad_by_freq=True";
  return text;
}

EmbeddingBag::EmbeddingBag(IntArg rows, IntArg columns, const EmbeddingBagOptions& o)
    : num_embeddings(rows),
      embedding_dim(columns),
      max_norm(o.max_norm),
      norm_type(o.norm_type),
      scale_grad_by_freq(o.scale_grad_by_freq),
      mode(o.mode),
      include_last_offset(o.include_last_offset),
      padding_idx(padding_row(o.padding_idx, rows)),
      weight(new_weight(rows, columns, o)) {
  reset_parameters();
}

EmbeddingBag::EmbeddingBag(const Tensor& matrix, bool freeze, const EmbeddingBagOptions& o)
    : num_embeddings(checked_matrix(matrix).size(0)),
      embedding_dim(matrix.size(1)),
      max_norm(o.max_norm),
      norm_type(o.norm_type),
      scale_grad_by_freq(o.scale_grad_by_freq),
      mode(o.mode),
      include_last_offset(o.include_last_offset),
      padding_idx(padding_row(o.padding_idx, num_embeddings)),
      weight(matrix, !freeze) {}

EmbeddingBag EmbeddingBag::from_pretrained(const Tensor& embeddings,
                                           const PretrainedEmbeddingBagOptions& o) {
  return {embeddings,
          o.freeze,
          {.max_norm = o.max_norm,
           .norm_type = o.norm_type,
           .scale_grad_by_freq = o.scale_grad_by_freq,
           .mode = o.mode,
           .include_last_offset = o.include_last_offset,
           .padding_idx = o.padding_idx}};
}

void EmbeddingBag::reset_parameters() { initialize(weight, padding_idx); }

Tensor EmbeddingBag::forward(const Tensor& input, const EmbeddingBagForwardOptions& o) const {
  return functional::embedding_bag(called(input), weight,
                                   {.offsets = o.offsets,
                                    .max_norm = max_norm,
                                    .norm_type = norm_type,
                                    .scale_grad_by_freq = scale_grad_by_freq,
                                    .mode = mode,
                                    .per_sample_weights = o.per_sample_weights,
                                    .include_last_offset = include_last_offset,
                                    .padding_idx = padding_idx});
}

std::string EmbeddingBag::extra_repr() const {
  std::string text = std::to_string(num_embeddings) + ", " + std::to_string(embedding_dim);
  if (max_norm) text += ", max_norm=" + python_text(*max_norm);
  if (norm_type != 2) text += ", norm_type=" + python_text(norm_type);
  if (scale_grad_by_freq) text += ", scale_grad_by_freq=True";
  text += ", mode=" + Value(mode).repr();
  if (padding_idx) text += ", padding_idx=" + std::to_string(*padding_idx);
  return text;
}

namespace {

void reject_sparse(const Arguments& a, const char* name) {
  if (a.flag("sparse")) fail<NotImplementedError>("{}: sparse gradients are not supported", name);
}

/// Returns the argument `_weight`, whose shape must be that of the layer.
std::optional<Tensor> given_weight(const Arguments& a) {
  const std::optional<Tensor> weight = a.tensor("_weight");
  const Shape shape{a.integer("num_embeddings"), a.integer("embedding_dim")};
  if (weight && weight->shape() != shape)
    fail<ValueError>(
        "Shape of weight does not match num_embeddings and embedding_dim: got {}, expected {}",
        weight->shape(), shape);
  return weight;
}

Embedding make_embedding(const Arguments& a) {
  reject_sparse(a, "Embedding");
  const EmbeddingOptions o{.padding_idx = a.optional_integer("padding_idx"),
                           .max_norm = a.optional_number("max_norm"),
                           .norm_type = a.number("norm_type"),
                           .scale_grad_by_freq = a.flag("scale_grad_by_freq"),
                           .dtype = a.dtype(),
                           .device = a.device()};
  const std::optional<Tensor> weight = given_weight(a);
  const bool freeze = a.flag("_freeze");
  if (weight)
    return Embedding::from_pretrained(*weight, {.freeze = freeze,
                                                .padding_idx = o.padding_idx,
                                                .max_norm = o.max_norm,
                                                .norm_type = o.norm_type,
                                                .scale_grad_by_freq = o.scale_grad_by_freq});
  Embedding made(a.integer("num_embeddings"), a.integer("embedding_dim"), o);
  made.weight.set_requires_grad(!freeze);
  return made;
}

EmbeddingBag make_embedding_bag(const Arguments& a) {
  reject_sparse(a, "EmbeddingBag");
  const EmbeddingBagOptions o{.max_norm = a.optional_number("max_norm"),
                              .norm_type = a.number("norm_type"),
                              .scale_grad_by_freq = a.flag("scale_grad_by_freq"),
                              .mode = a.string("mode"),
                              .include_last_offset = a.flag("include_last_offset"),
                              .padding_idx = a.optional_integer("padding_idx"),
                              .dtype = a.dtype(),
                              .device = a.device()};
  const std::optional<Tensor> weight = given_weight(a);
  if (weight)
    return EmbeddingBag::from_pretrained(*weight, {.freeze = false,
                                                   .max_norm = o.max_norm,
                                                   .norm_type = o.norm_type,
                                                   .scale_grad_by_freq = o.scale_grad_by_freq,
                                                   .mode = o.mode,
                                                   .include_last_offset = o.include_last_offset,
                                                   .padding_idx = o.padding_idx});
  return EmbeddingBag(a.integer("num_embeddings"), a.integer("embedding_dim"), o);
}

}  // namespace

const ModuleSchema& module_schema(const Embedding*) {
  static constexpr ModuleSchema schema = layer_schema<Embedding>(
      "Embedding", "sparse",
      "num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, "
      "scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None, "
      "dtype=None",
      [](const Arguments& a) { return make_embedding(a); },
      [](const Embedding& m) -> Values {
        return {m.num_embeddings,
                m.embedding_dim,
                m.padding_idx ? Value(*m.padding_idx) : Value(),
                m.max_norm ? Value(*m.max_norm) : Value(),
                m.norm_type,
                m.scale_grad_by_freq,
                false,
                {},
                !m.weight.requires_grad(),
                m.weight.device(),
                m.weight.dtype()};
      });
  return schema;
}

const ModuleSchema& module_schema(const EmbeddingBag*) {
  static constexpr ModuleSchema schema = layer_schema<EmbeddingBag>(
      "EmbeddingBag", "sparse",
      "num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
      "mode='mean', sparse=False, _weight=None, include_last_offset=False, padding_idx=None, "
      "device=None, dtype=None",
      [](const Arguments& a) { return make_embedding_bag(a); },
      [](const EmbeddingBag& m) -> Values {
        return {m.num_embeddings,
                m.embedding_dim,
                m.max_norm ? Value(*m.max_norm) : Value(),
                m.norm_type,
                m.scale_grad_by_freq,
                m.mode,
                false,
                {},
                m.include_last_offset,
                m.padding_idx ? Value(*m.padding_idx) : Value(),
                m.weight.device(),
                m.weight.dtype()};
      });
  return schema;
}

}  // namespace taper::nn
