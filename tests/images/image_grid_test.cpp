// make_grid and save_image.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "support/temp_dir.h"
#include "support/tensors.h"
#include "taper/core/error.h"
#include "taper/data/image.h"
#include "taper/data/image_grid.h"

namespace taper {
namespace {

using test::arange_shaped, test::error_text, test::TempDir;

// Three images 2 x 2 with the values 0 to 11. Expected grids are those of torchvision 0.29.
Tensor three_images() { return arange_shaped({3, 1, 2, 2}, DType::f32); }

TEST(MakeGrid, ArrangesImagesInRows) {
  const Tensor grid = data::make_grid(three_images(), {.nrow = 2, .padding = 1, .pad_value = -1});
  const Tensor expected = tensor({{-1., -1., -1., -1., -1., -1., -1.},
                                  {-1., 0., 1., -1., 4., 5., -1.},
                                  {-1., 2., 3., -1., 6., 7., -1.},
                                  {-1., -1., -1., -1., -1., -1., -1.},
                                  {-1., 8., 9., -1., -1., -1., -1.},
                                  {-1., 10., 11., -1., -1., -1., -1.},
                                  {-1., -1., -1., -1., -1., -1., -1.}});
  EXPECT_TRUE(equal(grid, expected.expand({3, 7, 7})));
}

TEST(MakeGrid, Normalizes) {
  const Tensor x = three_images();
  EXPECT_TRUE(allclose(data::make_grid(x, {.padding = 0, .normalize = true})[0],
                       tensor({{0., 1., 4., 5., 8., 9.}, {2., 3., 6., 7., 10., 11.}}) / 11));
  EXPECT_TRUE(allclose(data::make_grid(x, {.padding = 0, .normalize = true, .scale_each = true})[1],
                       tensor({{0., 1., 0., 1., 0., 1.}, {2., 3., 2., 3., 2., 3.}}) / 3));
  EXPECT_TRUE(equal(
      data::make_grid(x, {.padding = 0, .normalize = true, .value_range = std::pair{2., 6.}})[2],
      tensor({{0., 0., 0.5, 0.75, 1., 1.}, {0., 0.25, 1., 1., 1., 1.}})));
  EXPECT_TRUE(equal(x, three_images()));  // not modified
}

TEST(MakeGrid, AcceptsOtherShapes) {
  EXPECT_EQ(data::make_grid(three_images()[0]).shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(data::make_grid(three_images()[0][0]).shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(data::make_grid(ones({1, 3, 4, 5})).shape(), (Shape{3, 4, 5}));
  EXPECT_EQ(data::make_grid(ones({2, 2, 4, 5})).shape(), (Shape{2, 8, 16}));
  EXPECT_EQ(data::make_grid({ones({3, 4, 5}), ones({3, 4, 5})}).shape(), (Shape{3, 8, 16}));
  EXPECT_EQ(data::make_grid(ones({2, 3, 4, 5}, {.dtype = DType::u8})).dtype(), DType::u8);
}

TEST(MakeGrid, RejectsOtherArguments) {
  EXPECT_EQ(error_text<ShapeError>([] {
              (void)data::make_grid(ones({0, 3, 4, 4}));
            }),
            "make_grid: expected nonempty images (B, C, H, W), (C, H, W) or (H, W): got [0, 3, 4, "
            "4]");
  EXPECT_THROW((void)data::make_grid(ones({4})), ShapeError);
  EXPECT_THROW((void)data::make_grid(three_images(), {.nrow = 0}), ValueError);
  EXPECT_THROW((void)data::make_grid(three_images(), {.padding = -1}), ValueError);
  EXPECT_THROW((void)data::make_grid(three_images().to(DType::u8), {.normalize = true}),
               DTypeError);
  EXPECT_THROW((void)data::make_grid({ones({3, 4, 5}), ones({3, 4, 4})}), ShapeError);
}

TEST(SaveImage, RoundsAndClamps) {
  const TempDir folder;
  const Tensor image = tensor({{-1., 0., 0.3}, {0.5, 1., 2.}});
  data::save_image(image, folder / "a.png");
  const Tensor read = data::read_image(folder / "a.png");
  EXPECT_TRUE(equal(read, tensor({{0, 0, 77}, {128, 255, 255}}).to(DType::u8).expand({3, 2, 3})));

  data::save_image(three_images() / 11, folder / "b.jpg", {.padding = 1});
  EXPECT_EQ(data::read_image(folder / "b.jpg").shape(), (Shape{3, 4, 10}));
}

TEST(SaveImage, RejectsOtherArguments) {
  const TempDir folder;
  EXPECT_EQ(error_text<ValueError>([] {
              data::save_image(ones({3, 4, 4}), "a.gif");
            }),
            "save_image: the name of the file must end in .png, .jpg or .jpeg: got 'a.gif'");
  EXPECT_THROW(data::save_image(ones({3, 4, 4}, {.dtype = DType::u8}), folder / "a.png"),
               DTypeError);
  EXPECT_THROW(data::save_image(ones({3, 4, 4}), folder / "none/a.png"), IoError);
}

}  // namespace
}  // namespace taper
