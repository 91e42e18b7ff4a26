#include "kit/image_functions.h"

#include "cases/outcome.h"
#include "taper/data/transforms/functional.h"

namespace taper::oracle {
namespace {

namespace T = data::transforms;
namespace F = data::transforms::functional;

T::ResizeOptions resize_options(KitArguments& a) {
  return {.interpolation = a.text("interpolation", "bilinear"),
          .max_size = a.optional_integer("max_size"),
          .antialias = a.flag("antialias", true)};
}

T::WarpOptions warp_options(KitArguments& a, const char* interpolation) {
  return {.interpolation = a.text("interpolation", interpolation),
          .fill = a.numbers("fill"),
          .center = a.numbers("center")};
}

T::Corners corners(const Json& points) {
  T::Corners list;
  for (const Json& point : points)
    list.push_back({read_integer(point.at(0)), read_integer(point.at(1))});
  return list;
}

Value list_of(const std::vector<Tensor>& tensors) {
  return Value::list({tensors.begin(), tensors.end()});
}

Value call_perspective(const Tensor& x, KitArguments& a) {
  const T::WarpOptions options = warp_options(a, "bilinear");
  if (a.find("coefficients")) return F::perspective(x, a.numbers("coefficients").values(), options);
  const Json *start = a.find("startpoints"), *end = a.find("endpoints");
  if (!start || !end) throw MalformedCase("perspective without points");
  return F::perspective(x, corners(*start), corners(*end), options);
}

Value call_affine(const Tensor& x, KitArguments& a) {
  const T::AffineMap map{.angle = a.number("angle"),
                         .translate = a.pair("translate", {0, 0}),
                         .scale = a.number("scale"),
                         .shear = a.numbers("shear")};
  return F::affine(x, map, warp_options(a, "nearest"));
}

using Function = Value (*)(const Tensor& x, KitArguments& a);

const std::map<std::string, Function>& geometry() {
  static const std::map<std::string, Function> table = {
      {"resize",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::resize(x, a.shape("size"), resize_options(a));
       }},
      {"crop",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::crop(x, a.integer("top"), a.integer("left"), a.integer("height"),
                        a.integer("width"));
       }},
      {"resized_crop",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::resized_crop(x, a.integer("top"), a.integer("left"), a.integer("height"),
                                a.integer("width"), a.shape("size"), resize_options(a));
       }},
      {"center_crop",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::center_crop(x, a.shape("output_size"));
       }},
      {"pad",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::pad(
             x, a.shape("padding"),
             {.fill = a.numbers("fill"), .padding_mode = a.text("padding_mode", "constant")});
       }},
      {"horizontal_flip",
       [](const Tensor& x, KitArguments&) -> Value { return F::horizontal_flip(x); }},
      {"vertical_flip",
       [](const Tensor& x, KitArguments&) -> Value { return F::vertical_flip(x); }},
      {"five_crop",
       [](const Tensor& x, KitArguments& a) -> Value {
         return list_of(F::five_crop(x, a.shape("size")));
       }},
      {"ten_crop",
       [](const Tensor& x, KitArguments& a) -> Value {
         return list_of(F::ten_crop(x, a.shape("size"), a.flag("vertical_flip", false)));
       }},
      {"rotate",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::rotate(x, a.number("angle"),
                          {.interpolation = a.text("interpolation", "nearest"),
                           .expand = a.flag("expand", false),
                           .center = a.numbers("center"),
                           .fill = a.numbers("fill")});
       }},
      {"affine", call_affine},
      {"perspective", call_perspective},
      {"elastic", [](const Tensor& x, KitArguments& a) -> Value {
         return F::elastic(x, a.tensor("displacement"), warp_options(a, "bilinear"));
       }}};
  return table;
}

template <Tensor (*f)(const Tensor&)> Value call_plain(const Tensor& x, KitArguments&) {
  return f(x);
}

const std::map<std::string, Function>& values() {
  static const std::map<std::string, Function> table = {
      {"rgb_to_grayscale",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::rgb_to_grayscale(x, a.integer("num_output_channels", 1));
       }},
      {"grayscale_to_rgb", call_plain<F::grayscale_to_rgb>},
      {"adjust_brightness",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::adjust_brightness(x, a.number("brightness_factor"));
       }},
      {"adjust_contrast",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::adjust_contrast(x, a.number("contrast_factor"));
       }},
      {"adjust_saturation",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::adjust_saturation(x, a.number("saturation_factor"));
       }},
      {"adjust_sharpness",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::adjust_sharpness(x, a.number("sharpness_factor"));
       }},
      {"adjust_hue",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::adjust_hue(x, a.number("hue_factor"));
       }},
      {"adjust_gamma",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::adjust_gamma(x, a.number("gamma"), a.number("gain", 1));
       }},
      {"posterize",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::posterize(x, a.integer("bits"));
       }},
      {"solarize",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::solarize(x, a.number("threshold"));
       }},
      {"invert", call_plain<F::invert>},
      {"autocontrast", call_plain<F::autocontrast>},
      {"equalize", call_plain<F::equalize>},
      {"permute_channels",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::permute_channels(x, a.shape("permutation"));
       }},
      {"normalize",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::normalize(x, a.numbers("mean"), a.numbers("std"));
       }},
      {"gaussian_blur",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::gaussian_blur(x, a.shape("kernel_size"), a.numbers("sigma"));
       }},
      {"to_dtype",
       [](const Tensor& x, KitArguments& a) -> Value {
         return F::to_dtype(x, a.dtype("dtype"), a.flag("scale", false));
       }},
      {"erase", [](const Tensor& x, KitArguments& a) -> Value {
         return F::erase(x, a.integer("i"), a.integer("j"), a.integer("h"), a.integer("w"),
                         a.tensor("v"));
       }}};
  return table;
}

}  // namespace

Value call_image_function(const std::string& name, const Tensor& image, KitArguments& arguments) {
  for (const auto* table : {&geometry(), &values()})
    if (const auto found = table->find(name); found != table->end())
      return found->second(image, arguments);
  throw Unsupported("function " + name);
}

}  // namespace taper::oracle
