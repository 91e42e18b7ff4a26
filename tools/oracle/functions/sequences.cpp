// Sequences of several lengths: rnn.pack_sequence and related functions.
#include "functions/table.h"
#include "taper/core/error.h"
#include "taper/nn/utils/rnn.h"

namespace taper::oracle {
namespace {

namespace rnn = nn::utils::rnn;
using Packed = nn::Convert<rnn::PackedSequence>;

Value call_pack_padded_sequence(Arguments& a) {
  const Tensor x = a.tensor("input");
  const Value lengths = a.value("lengths");
  rnn::PackOptions o;
  o.batch_first = a.boolean("batch_first", o.batch_first);
  o.enforce_sorted = a.boolean("enforce_sorted", o.enforce_sorted);
  a.done();
  return Packed::to(lengths.is_tensor() ? rnn::pack_padded_sequence(x, lengths.as_tensor(), o)
                                        : rnn::pack_padded_sequence(x, shape_of(lengths), o));
}

Value call_pad_packed_sequence(Arguments& a) {
  const rnn::PackedSequence sequence = Packed::from(a.value("sequence"));
  rnn::PadPackedOptions o;
  o.batch_first = a.boolean("batch_first", o.batch_first);
  o.padding_value = a.scalar("padding_value", o.padding_value);
  o.total_length = a.optional_integer("total_length");
  a.done();
  const auto [padded, lengths] = rnn::pad_packed_sequence(sequence, o);
  return Value::tuple({padded, lengths});
}

Value call_pad_sequence(Arguments& a) {
  const std::vector<Tensor> sequences = a.tensors("sequences");
  rnn::PadSequenceOptions o;
  o.batch_first = a.boolean("batch_first", o.batch_first);
  o.padding_value = a.scalar("padding_value", o.padding_value);
  o.padding_side = a.text("padding_side", o.padding_side);
  a.done();
  return rnn::pad_sequence(sequences, o);
}

Value call_pack_sequence(Arguments& a) {
  const std::vector<Tensor> sequences = a.tensors("sequences");
  const bool enforce_sorted = a.boolean("enforce_sorted", true);
  a.done();
  return Packed::to(rnn::pack_sequence(sequences, enforce_sorted));
}

Value listed(const std::vector<Tensor>& sequences) {
  return Value::list(Values(sequences.begin(), sequences.end()));
}

Value call_unpack_sequence(Arguments& a) {
  const rnn::PackedSequence sequence = Packed::from(a.value("packed_sequences"));
  a.done();
  return listed(rnn::unpack_sequence(sequence));
}

Value call_unpad_sequence(Arguments& a) {
  const Tensor padded = a.tensor("padded_sequences"), lengths = a.tensor("lengths");
  const bool batch_first = a.boolean("batch_first", false);
  a.done();
  const Value sequences = listed(rnn::unpad_sequence(padded, lengths, batch_first));
  // PyTorch transposes the caller's tensor in place, as its cases expect; Taper does not.
  if (!batch_first) padded.set_data(padded.transpose(0, 1));
  return sequences;
}

}  // namespace

void add_sequences(FunctionTable& table) {
  table["rnn.pack_padded_sequence"] = call_pack_padded_sequence;
  table["rnn.pad_packed_sequence"] = call_pad_packed_sequence;
  table["rnn.pad_sequence"] = call_pad_sequence;
  table["rnn.pack_sequence"] = call_pack_sequence;
  table["rnn.unpack_sequence"] = call_unpack_sequence;
  table["rnn.unpad_sequence"] = call_unpad_sequence;
}

}  // namespace taper::oracle
