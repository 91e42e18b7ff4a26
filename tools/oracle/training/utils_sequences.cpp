// Packed and padded sequences, and a GRU that processes them.
#include "layers/build.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/nn/rnn.h"
#include "training/model.h"
#include "training/utils_kinds.h"

namespace taper::oracle {
namespace {

namespace rnn = nn::utils::rnn;

Tensor cotangent_like(const Tensor& t) {
  return linspace(-1, 1, t.numel(), {.dtype = t.dtype()}).view(t.shape());
}

void expect_indices(Case& c, const std::string& role, const Tensor& actual) {
  if (c.has_tensor(role) != actual.defined()) return c.fail(role + ": one of the two is undefined");
  if (actual.defined()) c.expect_close(role, actual, c.tensor(role), {});
}

std::shared_ptr<nn::Module> gru_of(Case& c) {
  std::map<std::string, Value> options;
  for (const auto& [name, value] : c.at("gru").items()) options[name] = option_value(name, value);
  options["dtype"] = c.tensor("x").dtype();
  const Built gru = make_layer("GRU", {}, std::move(options));
  const Value state = Value::dict();
  for (const auto& [key, value] : state_entries(*gru)) state[key] = c.tensor("gru." + key);
  gru->load_state_dict(state);
  return gru;
}

void run_packed(Case& c) {
  const bool batch_first = c.at("batch_first");
  const Shape lengths = c.at("lengths").get<std::vector<std::int64_t>>();
  const Tensor x = c.tensor("x").clone().requires_grad_();
  const auto packed =
      rnn::pack_padded_sequence(x, lengths, {batch_first, c.at("enforce_sorted").get<bool>()});
  c.expect_close("data", packed.data, c.tensor("data"), {});
  c.expect_close("batch_sizes", packed.batch_sizes, c.tensor("batch_sizes"), {});
  expect_indices(c, "sorted_indices", packed.sorted_indices);
  expect_indices(c, "unsorted_indices", packed.unsorted_indices);
  const auto [padded, counted] =
      rnn::pad_packed_sequence(packed, {.batch_first = batch_first,
                                        .padding_value = c.at("padding_value").get<double>(),
                                        .total_length = c.integer("total_length")});
  c.expect_close("padded", padded, c.tensor("padded"), {});
  c.expect_close("lengths", counted, c.tensor("lengths"), {});
  const auto gru = gru_of(c);
  const auto [output, h] = dynamic_cast<nn::GRU&>(*gru)(packed);
  const Tensor out = rnn::pad_packed_sequence(output, {.batch_first = batch_first}).first;
  c.expect_close("gru_out", out, c.tensor("gru_out"));
  c.expect_close("gru_h", h, c.tensor("gru_h"));
  c.ignore({"grad_of"});
  (out * cotangent_like(out)).sum().backward();
  c.expect_close("grad.x", x.grad(), c.tensor("grad.x"));
}

void expect_list(Case& c, const std::string& role, const std::vector<Tensor>& actual) {
  for (std::size_t i = 0; i < actual.size(); ++i)
    c.expect_close(role + std::to_string(i), actual[i], c.tensor(role + std::to_string(i)), {});
}

void run_pad_sequence(Case& c) {
  std::vector<Tensor> sequences;
  Shape lengths;
  for (int i = 0; c.has_tensor("seq" + std::to_string(i)); ++i) {
    sequences.push_back(c.tensor("seq" + std::to_string(i)));
    lengths.push_back(sequences.back().size(0));
  }
  const Tensor time_first = rnn::pad_sequence(sequences);
  c.expect_close("time_first", time_first, c.tensor("time_first"), {});
  c.expect_close("batch_first",
                 rnn::pad_sequence(sequences, {true, c.at("padding_value").get<double>()}),
                 c.tensor("batch_first"), {});
  c.expect_close("left",
                 rnn::pad_sequence(sequences, {.batch_first = true, .padding_side = "left"}),
                 c.tensor("left"), {});
  const auto packed = rnn::pack_sequence(sequences, false);
  c.expect_close("packed_data", packed.data, c.tensor("packed_data"), {});
  c.expect_close("packed_batch_sizes", packed.batch_sizes, c.tensor("packed_batch_sizes"), {});
  c.expect_close("packed_sorted_indices", packed.sorted_indices, c.tensor("packed_sorted_indices"),
                 {});
  expect_list(c, "unpacked", rnn::unpack_sequence(packed));
  expect_list(c, "unpad",
              rnn::unpad_sequence(time_first, tensor(std::span<const std::int64_t>(lengths),
                                                     {std::ssize(sequences)})));
}

}  // namespace

void add_sequence_kinds(UtilsKinds& kinds) {
  kinds["packed"] = run_packed;
  kinds["pad_sequence"] = run_pad_sequence;
}

}  // namespace taper::oracle
