// Descriptions of opaque objects: their contents if the description format has a form for them,
// otherwise their class names.
#include "cases/compare.h"
#include "cases/sha256.h"
#include "files/describe.h"
#include "files/dtype_names.h"
#include "taper/io/foreign_tensor.h"

namespace taper::oracle {

std::optional<Json> Describer::foreign(const Value& v) {
  const std::optional<ForeignTensor> t = foreign_tensor(v);
  if (!t || t->item_bits % 8 != 0 || t->item_bits == 0) return {};
  const std::string bytes = elements(*t);
  Json out = {{"t", "tensor"},
              {"dtype", short_name(t->dtype)},
              {"shape", std::vector<std::int64_t>(t->shape.begin(), t->shape.end())},
              {"stride", std::vector<std::int64_t>(t->strides.begin(), t->strides.end())},
              {"offset", t->offset},
              {"sha256", sha256(bytes.data(), bytes.size())},
              {"requires_grad", t->requires_grad},
              {"parameter", false}};
  label(t->bytes, out);
  return out;
}

std::string Describer::elements(const ForeignTensor& t) {
  std::int64_t count = 1;
  for (const std::int64_t n : t.shape) count *= n;
  consume_budget(static_cast<std::size_t>(count));
  const std::string storage_data = bytes_of(t.bytes);
  const auto item_size = static_cast<std::size_t>(t.item_bits / 8);
  std::string out;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t position = t.offset, remaining = i;
    for (std::size_t d = t.shape.size(); d-- > 0; remaining /= t.shape[d])
      position += remaining % t.shape[d] * t.strides[d];
    out += storage_data.substr(static_cast<std::size_t>(position) * item_size, item_size);
  }
  return out;
}

Json Describer::opaque(const Value& v) {
  const Opaque& o = v.as_opaque();
  if (std::optional<Json> described = module(v)) return std::move(*described);
  if (std::optional<Json> described = foreign(v)) return std::move(*described);
  const std::string name = o.callable.kind() == Value::Kind::global ? python_name(o.callable) : "";
  const Values arguments = o.arguments.is_tuple() ? o.arguments.as_tuple() : Values{};
  if (name == "builtins.bytearray" && arguments.size() == 1 &&
      arguments[0].kind() == Value::Kind::bytes) {
    Json bytes = (*this)(arguments[0]);
    bytes["t"] = "bytearray";
    return bytes;
  }
  if (name == "builtins.frozenset" && arguments.size() == 1 && arguments[0].is_list())
    return sequence("frozenset", arguments[0].as_sequence());
  return {{"t", "opaque"}, {"class", name}};
}

}  // namespace taper::oracle
