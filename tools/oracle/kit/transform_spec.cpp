// Transforms described in cases.
#include "cases/outcome.h"
#include "kit/image_functions.h"
#include "taper/data/transforms/transforms.h"

namespace taper::oracle {
namespace {

namespace T = data::transforms;
using T::AnyTransform;
using MakeTransform = AnyTransform (*)(KitArguments& a);
using TransformTable = std::map<std::string, MakeTransform>;

template <class Transform> AnyTransform make_probable(KitArguments& a) {
  return Transform(a.number("p", 0.5));
}

T::ResizeOptions resize_options(KitArguments& a) {
  return {.interpolation = a.text("interpolation", "bilinear"),
          .max_size = a.optional_integer("max_size"),
          .antialias = a.flag("antialias", true)};
}

T::RandomSizeOptions size_options(KitArguments& a) {
  return {.interpolation = a.text("interpolation", "bilinear"),
          .antialias = a.flag("antialias", true)};
}

const TransformTable& geometry() {
  static const TransformTable table = {
      {"Resize",
       [](KitArguments& a) -> AnyTransform {
         return T::Resize(a.shape("size"), resize_options(a));
       }},
      {"CenterCrop",
       [](KitArguments& a) -> AnyTransform { return T::CenterCrop(a.shape("size")); }},
      {"Pad",
       [](KitArguments& a) -> AnyTransform {
         return T::Pad(a.shape("padding"), {.fill = a.numbers("fill"),
                                            .padding_mode = a.text("padding_mode", "constant")});
       }},
      {"FiveCrop", [](KitArguments& a) -> AnyTransform { return T::FiveCrop(a.shape("size")); }},
      {"TenCrop",
       [](KitArguments& a) -> AnyTransform {
         return T::TenCrop(a.shape("size"), a.flag("vertical_flip", false));
       }},
      {"RandomHorizontalFlip", make_probable<T::RandomHorizontalFlip>},
      {"RandomVerticalFlip", make_probable<T::RandomVerticalFlip>},
      {"RandomCrop",
       [](KitArguments& a) -> AnyTransform {
         return T::RandomCrop(a.shape("size"),
                              {.padding = a.shape("padding"),
                               .pad_if_needed = a.flag("pad_if_needed", false),
                               .fill = a.numbers("fill", 0),
                               .padding_mode = a.text("padding_mode", "constant")});
       }},
      {"RandomResizedCrop",
       [](KitArguments& a) -> AnyTransform {
         const T::RandomResizedCropOptions o;
         return T::RandomResizedCrop(a.shape("size"),
                                     {.scale = a.pair("scale", o.scale),
                                      .ratio = a.pair("ratio", o.ratio),
                                      .interpolation = a.text("interpolation", o.interpolation),
                                      .antialias = a.flag("antialias", true)});
       }},
      {"RandomZoomOut",
       [](KitArguments& a) -> AnyTransform {
         return T::RandomZoomOut({.fill = a.numbers("fill", 0),
                                  .side_range = a.pair("side_range", {1, 4}),
                                  .p = a.number("p", 0.5)});
       }},
      {"ScaleJitter",
       [](KitArguments& a) -> AnyTransform {
         return T::ScaleJitter(a.shape("target_size"), a.pair("scale_range", {0.1, 2}),
                               size_options(a));
       }},
      {"RandomShortestSize",
       [](KitArguments& a) -> AnyTransform {
         return T::RandomShortestSize(a.shape("min_size"), a.optional_integer("max_size"),
                                      size_options(a));
       }},
      {"RandomResize", [](KitArguments& a) -> AnyTransform {
         return T::RandomResize(a.integer("min_size"), a.integer("max_size"), size_options(a));
       }}};
  return table;
}

const TransformTable& warps() {
  static const TransformTable table = {
      {"RandomRotation",
       [](KitArguments& a) -> AnyTransform {
         return T::RandomRotation(a.numbers("degrees"),
                                  {.interpolation = a.text("interpolation", "nearest"),
                                   .expand = a.flag("expand", false),
                                   .center = a.numbers("center"),
                                   .fill = a.numbers("fill", 0)});
       }},
      {"RandomAffine",
       [](KitArguments& a) -> AnyTransform {
         return T::RandomAffine(a.numbers("degrees"),
                                {.translate = a.optional_pair("translate"),
                                 .scale = a.optional_pair("scale"),
                                 .shear = a.numbers("shear"),
                                 .interpolation = a.text("interpolation", "nearest"),
                                 .fill = a.numbers("fill", 0),
                                 .center = a.numbers("center")});
       }},
      {"RandomPerspective",
       [](KitArguments& a) -> AnyTransform {
         return T::RandomPerspective({.distortion_scale = a.number("distortion_scale", 0.5),
                                      .p = a.number("p", 0.5),
                                      .interpolation = a.text("interpolation", "bilinear"),
                                      .fill = a.numbers("fill", 0)});
       }},
      {"ElasticTransform", [](KitArguments& a) -> AnyTransform {
         return T::ElasticTransform({.alpha = a.numbers("alpha", 50),
                                     .sigma = a.numbers("sigma", 5),
                                     .interpolation = a.text("interpolation", "bilinear"),
                                     .fill = a.numbers("fill", 0)});
       }}};
  return table;
}

const TransformTable& colors() {
  static const TransformTable table = {
      {"Grayscale",
       [](KitArguments& a) -> AnyTransform {
         return T::Grayscale(a.integer("num_output_channels", 1));
       }},
      {"RGB", [](KitArguments&) -> AnyTransform { return T::RGB(); }},
      {"RandomGrayscale",
       [](KitArguments& a) -> AnyTransform { return T::RandomGrayscale(a.number("p", 0.1)); }},
      {"ColorJitter",
       [](KitArguments& a) -> AnyTransform {
         return T::ColorJitter({.brightness = a.numbers("brightness"),
                                .contrast = a.numbers("contrast"),
                                .saturation = a.numbers("saturation"),
                                .hue = a.numbers("hue")});
       }},
      {"RandomPhotometricDistort",
       [](KitArguments& a) -> AnyTransform {
         const T::RandomPhotometricDistortOptions o;
         return T::RandomPhotometricDistort({.brightness = a.pair("brightness", o.brightness),
                                             .contrast = a.pair("contrast", o.contrast),
                                             .saturation = a.pair("saturation", o.saturation),
                                             .hue = a.pair("hue", o.hue),
                                             .p = a.number("p", o.p)});
       }},
      {"RandomChannelPermutation",
       [](KitArguments&) -> AnyTransform { return T::RandomChannelPermutation(); }},
      {"RandomInvert", make_probable<T::RandomInvert>},
      {"RandomAutocontrast", make_probable<T::RandomAutocontrast>},
      {"RandomEqualize", make_probable<T::RandomEqualize>},
      {"RandomPosterize",
       [](KitArguments& a) -> AnyTransform {
         return T::RandomPosterize(a.integer("bits"), a.number("p", 0.5));
       }},
      {"RandomSolarize",
       [](KitArguments& a) -> AnyTransform {
         return T::RandomSolarize(a.number("threshold"), a.number("p", 0.5));
       }},
      {"RandomAdjustSharpness", [](KitArguments& a) -> AnyTransform {
         return T::RandomAdjustSharpness(a.number("sharpness_factor"), a.number("p", 0.5));
       }}};
  return table;
}

AnyTransform make_erasing(KitArguments& a) {
  T::RandomErasingOptions options;
  options.p = a.number("p", options.p);
  options.scale = a.pair("scale", options.scale);
  options.ratio = a.pair("ratio", options.ratio);
  const Json* value = a.find("value");
  if (value && value->is_string())
    options.value = value->get<std::string>();
  else
    options.value = a.numbers("value", 0);
  return T::RandomErasing(options);
}

const TransformTable& others() {
  static const TransformTable table = {
      {"Normalize",
       [](KitArguments& a) -> AnyTransform {
         return T::Normalize(a.numbers("mean"), a.numbers("std"));
       }},
      {"ToDtype",
       [](KitArguments& a) -> AnyTransform {
         return T::ToDtype(a.dtype("dtype"), a.flag("scale", false));
       }},
      {"GaussianBlur",
       [](KitArguments& a) -> AnyTransform {
         return T::GaussianBlur(a.shape("kernel_size"), a.numbers("sigma", {0.1, 2.0}));
       }},
      {"GaussianNoise",
       [](KitArguments& a) -> AnyTransform {
         return T::GaussianNoise({.mean = a.number("mean", 0),
                                  .sigma = a.number("sigma", 0.1),
                                  .clip = a.flag("clip", true)});
       }},
      {"LinearTransformation",
       [](KitArguments& a) -> AnyTransform {
         return T::LinearTransformation(a.tensor("transformation_matrix"), a.tensor("mean_vector"));
       }},
      {"RandomErasing", make_erasing},
      {"AutoAugment",
       [](KitArguments& a) -> AnyTransform {
         return T::AutoAugment({.policy = a.text("policy", "imagenet"),
                                .interpolation = a.text("interpolation", "nearest"),
                                .fill = a.numbers("fill")});
       }},
      {"RandAugment",
       [](KitArguments& a) -> AnyTransform {
         return T::RandAugment({.num_ops = a.integer("num_ops", 2),
                                .magnitude = a.integer("magnitude", 9),
                                .num_magnitude_bins = a.integer("num_magnitude_bins", 31),
                                .interpolation = a.text("interpolation", "nearest"),
                                .fill = a.numbers("fill")});
       }},
      {"TrivialAugmentWide",
       [](KitArguments& a) -> AnyTransform {
         return T::TrivialAugmentWide({.num_magnitude_bins = a.integer("num_magnitude_bins", 31),
                                       .interpolation = a.text("interpolation", "nearest"),
                                       .fill = a.numbers("fill")});
       }},
      {"AugMix", [](KitArguments& a) -> AnyTransform {
         return T::AugMix({.severity = a.integer("severity", 3),
                           .mixture_width = a.integer("mixture_width", 3),
                           .chain_depth = a.integer("chain_depth", -1),
                           .alpha = a.number("alpha", 1),
                           .all_ops = a.flag("all_ops", true),
                           .interpolation = a.text("interpolation", "bilinear"),
                           .fill = a.numbers("fill")});
       }}};
  return table;
}

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
  KitArguments arguments(c, arguments_of(fields));
  const Json* children = fields.find("transforms");
  fields.done();
  if (children) {
    std::vector<AnyTransform> list;
    for (const Json& child : *children) list.push_back(make_transform(c, child));
    AnyTransform result = make_container(name, std::move(list), arguments);
    arguments.done();
    return result;
  }
  for (const TransformTable* table : {&geometry(), &warps(), &colors(), &others()})
    if (const auto found = table->find(name); found != table->end()) {
      AnyTransform result = found->second(arguments);
      arguments.done();
      return result;
    }
  throw Unsupported("transform " + name);
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
