#include <taper/core/error.h>
#include <taper/core/factory.h>
#include <taper/data/image.h>
#include <taper/dist/init.h>
#include <taper/version.h>

#include <cstdio>

int main() {
  std::printf("taper %s\n", taper::version());
  try {
    const taper::Tensor image = taper::zeros({3, 4, 5}, {.dtype = taper::uint8});
    const taper::Tensor decoded = taper::data::decode_png(taper::data::encode_png(image));
    std::printf("image %s\n", decoded.shape().str().c_str());
    taper::distributed::init_process_group();  // one process, unless a launcher has set variables
    std::printf("ranks %d\n", taper::distributed::get_world_size());
  } catch (const taper::Error& error) { std::printf("error %s\n", error.what()); }
}
