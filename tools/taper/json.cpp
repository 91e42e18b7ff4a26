#include "json.h"

#include <cmath>

#include "contents.h"
#include "words.h"

namespace taper::cli {

void print_json(Out& out, const Json& json) {
  out.write(json.dump(2, ' ', false, Json::error_handler_t::replace));
  out.write("\n");
}

Json json_of(const taper::Shape& shape) {
  return std::vector<std::int64_t>(shape.begin(), shape.end());
}

Json json_of(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const taper::Value& v) {
  using Kind = taper::Value::Kind;
  switch (v.kind()) {
    case Kind::none: return nullptr;
    case Kind::boolean: return v.as_bool();
    case Kind::integer: return v.as_int();
    case Kind::floating: return json_of(v.as_double());
    case Kind::string: return v.as_string();
    case Kind::list:
    case Kind::tuple:
    case Kind::set: {
      // One level only, because the items of nested sequences are listed separately.
      Json list = Json::array();
      for (const taper::Value& item : v.as_sequence()) {
        const bool nested = item.is_list() || item.is_tuple() || item.is_set();
        list.push_back(nested ? Json(brief(item)) : json_of(item));
      }
      return list;
    }
    default: return brief(v);
  }
}

}  // namespace taper::cli
