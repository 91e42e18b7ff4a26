// Objects that are kept as data: those the descriptions have a form for, and the others by name.
#include "files/describe.h"

namespace taper::oracle {

Json Describer::opaque(const Value& v) {
  const Opaque& o = v.as_opaque();
  if (std::optional<Json> described = module(v)) return std::move(*described);
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
  // A tensor of a dtype that is not known is told by that.
  constexpr std::size_t kDType = 6;
  if (name == "torch._utils._rebuild_tensor_v3" && arguments.size() > kDType &&
      arguments[kDType].kind() == Value::Kind::global)
    return {{"t", "opaque"}, {"class", python_name(arguments[kDType])}};
  return {{"t", "opaque"}, {"class", name}};
}

}  // namespace taper::oracle
