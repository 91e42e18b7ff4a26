#include "transform_factory.h"

#include "core/check.h"
#include "taper/data/transforms/transforms.h"
#include "transform_arguments.h"

namespace taper::tools {

namespace {

namespace T = data::transforms;
using T::AnyTransform;

/// A class of transforms: its name, the names of its parameters, and its constructor.
struct TransformRow {
  std::string_view name, parameters;
  AnyTransform (*make)(TransformArguments& a);
};

template <class Transform> AnyTransform make_probable(TransformArguments& a) {
  return Transform(a.number("p", 0.5));
}

T::ResizeOptions resize_options(TransformArguments& a) {
  return {.interpolation = a.text("interpolation", "bilinear"),
          .max_size = a.optional_integer("max_size"),
          .antialias = a.flag("antialias", true)};
}

T::RandomSizeOptions size_options(TransformArguments& a) {
  return {.interpolation = a.text("interpolation", "bilinear"),
          .antialias = a.flag("antialias", true)};
}

const std::vector<TransformRow>& geometry() {
  static const std::vector<TransformRow> rows = {
      {"Resize", "size interpolation max_size antialias",
       [](TransformArguments& a) -> AnyTransform {
         return T::Resize(a.shape("size"), resize_options(a));
       }},
      {"CenterCrop", "size",
       [](TransformArguments& a) -> AnyTransform { return T::CenterCrop(a.shape("size")); }},
      {"Pad", "padding fill padding_mode",
       [](TransformArguments& a) -> AnyTransform {
         return T::Pad(a.shape("padding"), {.fill = a.numbers("fill"),
                                            .padding_mode = a.text("padding_mode", "constant")});
       }},
      {"FiveCrop", "size",
       [](TransformArguments& a) -> AnyTransform { return T::FiveCrop(a.shape("size")); }},
      {"TenCrop", "size vertical_flip",
       [](TransformArguments& a) -> AnyTransform {
         return T::TenCrop(a.shape("size"), a.flag("vertical_flip", false));
       }},
      {"RandomHorizontalFlip", "p", make_probable<T::RandomHorizontalFlip>},
      {"RandomVerticalFlip", "p", make_probable<T::RandomVerticalFlip>},
      {"RandomCrop", "size padding pad_if_needed fill padding_mode",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomCrop(a.shape("size"),
                              {.padding = a.shape("padding"),
                               .pad_if_needed = a.flag("pad_if_needed", false),
                               .fill = a.numbers("fill", 0),
                               .padding_mode = a.text("padding_mode", "constant")});
       }},
      {"RandomResizedCrop", "size scale ratio interpolation antialias",
       [](TransformArguments& a) -> AnyTransform {
         const T::RandomResizedCropOptions o;
         return T::RandomResizedCrop(a.shape("size"),
                                     {.scale = a.pair("scale", o.scale),
                                      .ratio = a.pair("ratio", o.ratio),
                                      .interpolation = a.text("interpolation", o.interpolation),
                                      .antialias = a.flag("antialias", true)});
       }},
      {"RandomZoomOut", "fill side_range p",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomZoomOut({.fill = a.numbers("fill", 0),
                                  .side_range = a.pair("side_range", {1, 4}),
                                  .p = a.number("p", 0.5)});
       }},
      {"ScaleJitter", "target_size scale_range interpolation antialias",
       [](TransformArguments& a) -> AnyTransform {
         return T::ScaleJitter(a.shape("target_size"), a.pair("scale_range", {0.1, 2}),
                               size_options(a));
       }},
      {"RandomShortestSize", "min_size max_size interpolation antialias",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomShortestSize(a.shape("min_size"), a.optional_integer("max_size"),
                                      size_options(a));
       }},
      {"RandomResize", "min_size max_size interpolation antialias",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomResize(a.integer("min_size"), a.integer("max_size"), size_options(a));
       }}};
  return rows;
}

const std::vector<TransformRow>& warps() {
  static const std::vector<TransformRow> rows = {
      {"RandomRotation", "degrees interpolation expand center fill",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomRotation(a.numbers("degrees"),
                                  {.interpolation = a.text("interpolation", "nearest"),
                                   .expand = a.flag("expand", false),
                                   .center = a.numbers("center"),
                                   .fill = a.numbers("fill", 0)});
       }},
      {"RandomAffine", "degrees translate scale shear interpolation fill center",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomAffine(a.numbers("degrees"),
                                {.translate = a.optional_pair("translate"),
                                 .scale = a.optional_pair("scale"),
                                 .shear = a.numbers("shear"),
                                 .interpolation = a.text("interpolation", "nearest"),
                                 .fill = a.numbers("fill", 0),
                                 .center = a.numbers("center")});
       }},
      {"RandomPerspective", "distortion_scale p interpolation fill",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomPerspective({.distortion_scale = a.number("distortion_scale", 0.5),
                                      .p = a.number("p", 0.5),
                                      .interpolation = a.text("interpolation", "bilinear"),
                                      .fill = a.numbers("fill", 0)});
       }},
      {"ElasticTransform", "alpha sigma interpolation fill",
       [](TransformArguments& a) -> AnyTransform {
         return T::ElasticTransform({.alpha = a.numbers("alpha", 50),
                                     .sigma = a.numbers("sigma", 5),
                                     .interpolation = a.text("interpolation", "bilinear"),
                                     .fill = a.numbers("fill", 0)});
       }}};
  return rows;
}

const std::vector<TransformRow>& colors() {
  static const std::vector<TransformRow> rows = {
      {"Grayscale", "num_output_channels",
       [](TransformArguments& a) -> AnyTransform {
         return T::Grayscale(a.integer("num_output_channels", 1));
       }},
      {"RGB", "", [](TransformArguments&) -> AnyTransform { return T::RGB(); }},
      {"RandomGrayscale", "p",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomGrayscale(a.number("p", 0.1));
       }},
      {"ColorJitter", "brightness contrast saturation hue",
       [](TransformArguments& a) -> AnyTransform {
         return T::ColorJitter({.brightness = a.numbers("brightness"),
                                .contrast = a.numbers("contrast"),
                                .saturation = a.numbers("saturation"),
                                .hue = a.numbers("hue")});
       }},
      {"RandomPhotometricDistort", "brightness contrast saturation hue p",
       [](TransformArguments& a) -> AnyTransform {
         const T::RandomPhotometricDistortOptions o;
         return T::RandomPhotometricDistort({.brightness = a.pair("brightness", o.brightness),
                                             .contrast = a.pair("contrast", o.contrast),
                                             .saturation = a.pair("saturation", o.saturation),
                                             .hue = a.pair("hue", o.hue),
                                             .p = a.number("p", o.p)});
       }},
      {"RandomChannelPermutation", "",
       [](TransformArguments&) -> AnyTransform { return T::RandomChannelPermutation(); }},
      {"RandomInvert", "p", make_probable<T::RandomInvert>},
      {"RandomAutocontrast", "p", make_probable<T::RandomAutocontrast>},
      {"RandomEqualize", "p", make_probable<T::RandomEqualize>},
      {"RandomPosterize", "bits p",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomPosterize(a.integer("bits"), a.number("p", 0.5));
       }},
      {"RandomSolarize", "threshold p",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandomSolarize(a.number("threshold"), a.number("p", 0.5));
       }},
      {"RandomAdjustSharpness", "sharpness_factor p", [](TransformArguments& a) -> AnyTransform {
         return T::RandomAdjustSharpness(a.number("sharpness_factor"), a.number("p", 0.5));
       }}};
  return rows;
}

AnyTransform make_erasing(TransformArguments& a) {
  T::RandomErasingOptions options;
  options.p = a.number("p", options.p);
  options.scale = a.pair("scale", options.scale);
  options.ratio = a.pair("ratio", options.ratio);
  if (const Value* const value = a.find("value"); value && value->is_string())
    options.value = value->as_string();
  else
    options.value = a.numbers("value", 0);
  return T::RandomErasing(options);
}

const std::vector<TransformRow>& others() {
  static const std::vector<TransformRow> rows = {
      {"Normalize", "mean std",
       [](TransformArguments& a) -> AnyTransform {
         return T::Normalize(a.numbers("mean"), a.numbers("std"));
       }},
      {"ToDtype", "dtype scale",
       [](TransformArguments& a) -> AnyTransform {
         return T::ToDtype(a.dtype("dtype"), a.flag("scale", false));
       }},
      {"GaussianBlur", "kernel_size sigma",
       [](TransformArguments& a) -> AnyTransform {
         return T::GaussianBlur(a.shape("kernel_size"), a.numbers("sigma", {0.1, 2.0}));
       }},
      {"GaussianNoise", "mean sigma clip",
       [](TransformArguments& a) -> AnyTransform {
         return T::GaussianNoise({.mean = a.number("mean", 0),
                                  .sigma = a.number("sigma", 0.1),
                                  .clip = a.flag("clip", true)});
       }},
      {"LinearTransformation", "transformation_matrix mean_vector",
       [](TransformArguments& a) -> AnyTransform {
         return T::LinearTransformation(a.tensor("transformation_matrix"), a.tensor("mean_vector"));
       }},
      {"RandomErasing", "p scale ratio value", make_erasing},
      {"AutoAugment", "policy interpolation fill",
       [](TransformArguments& a) -> AnyTransform {
         return T::AutoAugment({.policy = a.text("policy", "imagenet"),
                                .interpolation = a.text("interpolation", "nearest"),
                                .fill = a.numbers("fill")});
       }},
      {"RandAugment", "num_ops magnitude num_magnitude_bins interpolation fill",
       [](TransformArguments& a) -> AnyTransform {
         return T::RandAugment({.num_ops = a.integer("num_ops", 2),
                                .magnitude = a.integer("magnitude", 9),
                                .num_magnitude_bins = a.integer("num_magnitude_bins", 31),
                                .interpolation = a.text("interpolation", "nearest"),
                                .fill = a.numbers("fill")});
       }},
      {"TrivialAugmentWide", "num_magnitude_bins interpolation fill",
       [](TransformArguments& a) -> AnyTransform {
         return T::TrivialAugmentWide({.num_magnitude_bins = a.integer("num_magnitude_bins", 31),
                                       .interpolation = a.text("interpolation", "nearest"),
                                       .fill = a.numbers("fill")});
       }},
      {"AugMix", "severity mixture_width chain_depth alpha all_ops interpolation fill",
       [](TransformArguments& a) -> AnyTransform {
         return T::AugMix({.severity = a.integer("severity", 3),
                           .mixture_width = a.integer("mixture_width", 3),
                           .chain_depth = a.integer("chain_depth", -1),
                           .alpha = a.number("alpha", 1),
                           .all_ops = a.flag("all_ops", true),
                           .interpolation = a.text("interpolation", "bilinear"),
                           .fill = a.numbers("fill")});
       }}};
  return rows;
}

template <class Visit> void for_each_row(const Visit& visit) {
  for (const std::vector<TransformRow>* rows : {&geometry(), &warps(), &colors(), &others()})
    for (const TransformRow& row : *rows) visit(row);
}

}  // namespace

std::vector<std::string> transform_names() {
  std::vector<std::string> names;
  for_each_row([&](const TransformRow& row) { names.emplace_back(row.name); });
  return names;
}

AnyTransform make_transform(const std::string& name, const Values& args, const Value& kwargs) {
  const TransformRow* found = nullptr;
  for_each_row([&](const TransformRow& row) {
    if (row.name == name) found = &row;
  });
  if (!found) fail<AttributeError>("transforms: unknown class '{}'", name);
  TransformArguments arguments(name, found->parameters, args, kwargs);
  return found->make(arguments);
}

}  // namespace taper::tools
