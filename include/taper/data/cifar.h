// read_cifar10, read_cifar100: readers of the CIFAR data sets.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace data {

/// Images and labels of a CIFAR data set.
struct CifarImages {
  Tensor images;           ///< (N, 3, 32, 32), u8
  Tensor labels;           ///< (N), i64: classes 0 to 9, or the fine classes 0 to 99
  Tensor coarse_labels{};  ///< (N), i64: superclasses 0 to 19 of CIFAR-100; undefined for CIFAR-10
};

/// Reads CIFAR-10 in its binary version: the files data_batch_1.bin to data_batch_5.bin, or
/// test_batch.bin if `train` is false, in the directory `path` or in its directory
/// cifar-10-batches-bin. If `path` is a file, only that is read. Files may be compressed with gzip.
/// Throws IoError if a file cannot be read, is not a whole number of images, or has a label out of
/// range. PyTorch: torchvision.datasets.CIFAR10.
CifarImages read_cifar10(const std::string& path, bool train = true);
/// Reads CIFAR-100, as read_cifar10: the file train.bin or test.bin, in `path` or in its directory
/// cifar-100-binary. PyTorch: torchvision.datasets.CIFAR100.
CifarImages read_cifar100(const std::string& path, bool train = true);

}  // namespace data
}  // namespace taper
