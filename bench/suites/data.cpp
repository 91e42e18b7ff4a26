// Loading of data: batches of a loader, images and tables.
#include <fstream>
#include <span>
#include <utility>

#include "../benchmark.h"
#include "../files.h"
#include "../folder.h"
#include "taper/data/csv.h"
#include "taper/data/image.h"
#include "taper/data/transforms/functional.h"
#include "taper/taper.h"

#ifdef TAPER_BENCH_JPEG
// jpeglib.h uses FILE without its header.
#include <cstdio>

#include <jpeglib.h>
#endif

namespace taper::bench {
namespace {

constexpr std::int64_t kImages = 60'000;

/// Images of the size of MNIST, normalized when they are read.
struct Digits {
  Tensor images = randint(256, {kImages, 1, 28, 28}).to(uint8), labels = randint(10, {kImages});

  std::int64_t size() const { return kImages; }
  std::pair<Tensor, Tensor> get(std::int64_t i) const { return {normalized(images[i]), labels[i]}; }
  static Tensor normalized(const Tensor& x) { return (x.to(float32) / 255.0 - 0.13) / 0.31; }
};
/// The same images, of which a batch is read at once. PyTorch: `__getitems__`.
struct DigitBatches : Digits {
  std::pair<Tensor, Tensor> get_batch(std::span<const std::int64_t> indices) const {
    const Tensor rows = tensor(std::vector<std::int64_t>(indices.begin(), indices.end()));
    return {normalized(images.index_select(0, rows)), labels.index_select(0, rows)};
  }
};

template <class Dataset> double epoch() {
  data::DataLoader loader(Dataset{}, {.batch_size = 64, .shuffle = true, .num_workers = 2});
  return time_once([&] {
           for (const auto& batch : loader) static_cast<void>(batch);
         }) *
         1e3;
}

template <class Dataset> Benchmark loader_row(const char* what, std::string baseline) {
  return {.name = std::string("60,000 28x28 normalized by a loader, ") + what,
          .unit = "ms",
          .measure = epoch<Dataset>,
          .budget_ratio = 0.2,
          .baseline = std::move(baseline),
          .rounds = 3};
}

/// Returns `n` images in color, smooth as photographs, with some noise, and with values in [0,
/// 255].
Tensor photographs(std::int64_t n, std::int64_t height, std::int64_t width) {
  const Tensor smooth =
      F::interpolate(rand({n, 3, 16, 16}), {.size = {height, width}, .mode = "bicubic"});
  return (smooth * 200.0 + randn({n, 3, height, width}) * 4.0 + 20.0).clamp(0.0, 255.0);
}

Benchmark resize_row(const char* type, std::string baseline, DType dtype) {
  return {
      .name = std::string("resize of 32x3x256x256 to 224, ") + type,
      .threads = 2,
      .unit = "ms",
      .measure =
          [dtype] {
            const Tensor images = photographs(32, 256, 256).to(dtype);
            return seconds_per_call([&] {
                     static_cast<void>(data::transforms::functional::resize(images, {224, 224}));
                   }) *
                   1e3;
          },
      .budget_ratio = 0.8,
      .baseline = std::move(baseline)};
}

/// Returns the path of a table of a million rows with ten columns of numbers of six decimals.
std::string table_path() {
  const std::string path = memory_folder() + "/table.csv";
  if (std::ifstream(path)) return path;
  constexpr std::int64_t kRows = 1'000'000, kColumns = 10;
  const Tensor values = randn({kRows, kColumns});
  const std::span<const float> numbers = values.data<const float>();
  std::ofstream file(path);
  file << "a,b,c,d,e,f,g,h,i,j\n";
  char text[32];
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::snprintf(text, sizeof text, "%.6f%c", static_cast<double>(numbers[i]),
                  (i + 1) % kColumns == 0 ? '\n' : ',');
    file << text;
  }
  return path;
}

#ifdef TAPER_BENCH_JPEG
/// Decodes a JPEG into one buffer by libjpeg, as tjDecompress does.
void decode_by_libjpeg(std::span<const std::uint8_t> jpeg, std::vector<std::uint8_t>& pixels) {
  jpeg_decompress_struct state;
  jpeg_error_mgr errors;
  state.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&state);
  jpeg_mem_src(&state, jpeg.data(), jpeg.size());
  jpeg_read_header(&state, TRUE);
  state.out_color_space = JCS_RGB;
  jpeg_start_decompress(&state);
  const std::size_t row_size = std::size_t{3} * state.output_width;
  pixels.resize(row_size * state.output_height);
  while (state.output_scanline < state.output_height) {
    JSAMPROW row = pixels.data() + state.output_scanline * row_size;
    jpeg_read_scanlines(&state, &row, 1);
  }
  jpeg_finish_decompress(&state);
  jpeg_destroy_decompress(&state);
}

struct Jpeg {
  Tensor bytes = data::encode_jpeg(photographs(1, 768, 1024)[0].to(uint8), 90);
  std::vector<std::uint8_t> pixels{};

  void decode() { decode_by_libjpeg(bytes.data<const std::uint8_t>(), pixels); }
};

Benchmark jpeg_row() {
  return {.name = "JPEG 768x1024 decoded, over libjpeg alone",
          .unit = "x",
          .measure =
              [] {
                Jpeg jpeg;
                return time_ratio([&] { static_cast<void>(data::decode_jpeg(jpeg.bytes)); },
                                  [&] { jpeg.decode(); }, 21);
              },
          .budget = 1 / 0.95};
}
Benchmark jpeg_resize_row() {
  return {.name = "JPEG 768x1024 decoded and resized to 224, over both apart",
          .unit = "x",
          .measure =
              [] {
                Jpeg jpeg;
                const auto resize = [](const Tensor& image) {
                  static_cast<void>(data::transforms::functional::resize(image, {224, 224}));
                };
                const Tensor image = data::decode_jpeg(jpeg.bytes);
                return time_ratio([&] { resize(data::decode_jpeg(jpeg.bytes)); },
                                  [&] { jpeg.decode(), resize(image); }, 21);
              },
          .budget = 1 / 0.9};
}
#endif

}  // namespace

std::vector<Benchmark> data_suite() {
  std::vector<Benchmark> suite = {
      loader_row<Digits>("2 workers", "loader"),
      loader_row<DigitBatches>("whole batches", "loader_batches"),
      resize_row("float32", "resize_float", DType::f32),
      resize_row("uint8", "resize_bytes", DType::u8),
      {.name = "CSV of 1e6 rows, 10 columns read",
       .threads = 2,
       .unit = "ms",
       .measure =
           [] {
             const std::string path = table_path();
             return time_once([&] { static_cast<void>(data::read_csv(path)); }) * 1e3;
           },
       .budget_ratio = 1,
       .baseline = "csv"}};
#ifdef TAPER_BENCH_JPEG
  suite.push_back(jpeg_row());
  suite.push_back(jpeg_resize_row());
#endif
  return suite;
}

}  // namespace taper::bench
