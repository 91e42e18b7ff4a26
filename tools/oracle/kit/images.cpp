// Family images: decoding and encoding of image files, and the dispatch of tables and archives.
#include <map>

#include "cases/outcome.h"
#include "kit/arguments.h"
#include "kit/families.h"
#include "kit/tables.h"
#include "taper/core/error.h"
#include "taper/core/memory.h"
#include "taper/data/image.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using data::ImageReadMode;

/// Reads the name of a mode of torchvision or Pillow. Null is Pillow's mode as stored.
ImageReadMode read_mode(const Json& name) {
  static const std::map<std::string, ImageReadMode> modes = {
      {"UNCHANGED", ImageReadMode::unchanged},   {"GRAY", ImageReadMode::gray},
      {"GRAY_ALPHA", ImageReadMode::gray_alpha}, {"RGB", ImageReadMode::rgb},
      {"RGB_ALPHA", ImageReadMode::rgb_alpha},   {"L", ImageReadMode::gray},
      {"LA", ImageReadMode::gray_alpha},         {"RGBA", ImageReadMode::rgb_alpha}};
  if (name.is_null()) return ImageReadMode::unchanged;
  const auto found = modes.find(name.get<std::string>());
  if (found == modes.end()) throw MalformedCase("unknown mode " + name.dump());
  return found->second;
}

void expect_pixels(Case& c, const Tensor& actual, const Json& expected) {
  Fields fields(expected);
  // Elements of 16 bits are stored as i32.
  if (const Json* bits = fields.find("bits"))
    c.expect_number("bits", static_cast<double>(8 * actual.element_size()),
                    static_cast<double>(read_integer(*bits)), {});
  expect_tensor(c, "pixels", actual.dtype() == DType::u16 ? actual.to(DType::i32) : actual,
                fields.at("pixels"));
  fields.done();
}

void run_decode(Case& c, Generators&) {
  const std::string by = c.text("by");
  if (by != "torchvision" && by != "PIL") throw MalformedCase("unknown decoder " + by);
  expect_pixels(c,
                data::decode_image(read_tensor(c, c.at("file")), read_mode(c.at("mode")),
                                   read_bool(c.at("exif"))),
                c.at("expected"));
}

/// Decodes the file in every mode; records a failure if that takes memory out of proportion.
/// Returns true if it was decoded in a mode.
bool decode_in_bounded_memory(Case& c) {
  constexpr std::size_t kLimit = std::size_t{64} << 20;
  const Tensor& file = read_tensor(c, c.at("file"));
  bool is_decoded = false;
  for (const ImageReadMode mode :
       {ImageReadMode::unchanged, ImageReadMode::gray, ImageReadMode::gray_alpha,
        ImageReadMode::rgb, ImageReadMode::rgb_alpha}) {
    memory::reset_peak();
    const std::size_t before = memory::stats().allocated;
    try {
      const Tensor pixels = data::decode_image(file, mode, true);
      is_decoded = true;
      if (pixels.dim() != 3 || pixels.numel() == 0)
        c.fail("decoded to the shape " + pixels.shape().str());
    } catch (const Error& error) {
      if (std::string_view(error.what()).empty()) c.fail("the error has no text");
    }
    if (memory::stats().peak - before > kLimit + 1100 * file.nbytes())
      c.fail("allocated " + std::to_string(memory::stats().peak - before) + " bytes");
  }
  return is_decoded;
}

void run_broken(Case& c, Generators&) {
  Fields expected(c.at("expected"));
  for (const Json& by : c.at("by")) {
    Fields result(expected.at(by.get<std::string>().c_str()));
    if (!read_bool(result.at("fails"))) throw MalformedCase("the case does not fail");
    result.done();
  }
  expected.done();
  if (decode_in_bounded_memory(c)) c.fail("no error");
}

void run_hostile(Case& c, Generators&) {
  c.ignore({"by", "info"});
  if (!read_bool(c.at("expected").at("returned"))) throw MalformedCase("the case does not return");
  decode_in_bounded_memory(c);
}

void run_encode(Case& c, Generators&) {
  const std::string name = c.text("name");
  const Tensor& input = read_tensor(c, c.at("input"));
  KitArguments arguments(c, c.at("args"));
  Tensor file;
  if (name == "encode_png")
    file = data::encode_png(input, arguments.integer("compression_level", 6));
  else if (name == "encode_jpeg")
    file = data::encode_jpeg(input, arguments.integer("quality", 75));
  else
    throw MalformedCase("unknown encoder " + name);
  arguments.done();
  expect_pixels(c, data::decode_image(file), c.at("expected"));
}

}  // namespace

void run_images(Case& c) {
  static const KitKinds kinds = {
      {"data", run_data},           {"decode", run_decode}, {"broken", run_broken},
      {"hostile", run_hostile},     {"encode", run_encode}, {"csv", run_csv},
      {"csv_error", run_csv_error}, {"shards", run_shards}, {"shards_error", run_shards_error}};
  run_kind(c, kinds);
}

}  // namespace taper::oracle
