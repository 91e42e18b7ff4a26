// Transforms described in cases.
#include "cases/outcome.h"
#include "kit/image_functions.h"
#include "taper/data/transforms/transforms.h"
#include "transform_factory.h"

namespace taper::oracle {
namespace {

namespace T = data::transforms;
using T::AnyTransform;

AnyTransform make_container(const std::string& name, std::vector<AnyTransform> list,
                            KitArguments& a) {
  if (name == "Compose") return T::Compose(std::move(list));
  if (name == "RandomApply") return T::RandomApply(std::move(list), a.number("p", 0.5));
  if (name == "RandomChoice") return T::RandomChoice(std::move(list), a.numbers("p").values());
  if (name == "RandomOrder") return T::RandomOrder(std::move(list));
  throw Unsupported("transform " + name);
}

const Json& arguments_of(Fields& spec) {
  static const Json kNone = Json::object();
  const Json* arguments = spec.find("args");
  return arguments ? *arguments : kNone;
}

}  // namespace

AnyTransform make_transform(Case& c, const Json& spec) {
  Fields fields(spec);
  const std::string name = fields.text("name");
  const Json& given = arguments_of(fields);
  const Json* children = fields.find("transforms");
  fields.done();
  if (children) {
    KitArguments arguments(c, given);
    std::vector<AnyTransform> list;
    for (const Json& child : *children) list.push_back(make_transform(c, child));
    AnyTransform result = make_container(name, std::move(list), arguments);
    arguments.done();
    return result;
  }
  const std::vector<std::string> known = tools::transform_names();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Unsupported("transform " + name);
  Value kwargs = Value::dict();
  for (const auto& [key, value] : given.items()) kwargs.as_dict().set(key, read_data(c, value));
  return tools::make_transform(name, {}, kwargs);
}

std::unique_ptr<T::MixTransform> make_mix(Case& c, const Json& spec) {
  Fields fields(spec);
  const std::string name = fields.text("name");
  if (name != "MixUp" && name != "CutMix") return nullptr;
  KitArguments arguments(c, arguments_of(fields));
  fields.done();
  const T::MixOptions options{.alpha = arguments.number("alpha", 1),
                              .num_classes = arguments.optional_integer("num_classes")};
  arguments.done();
  if (name == "MixUp") return std::make_unique<T::MixUp>(options);
  return std::make_unique<T::CutMix>(options);
}

}  // namespace taper::oracle
