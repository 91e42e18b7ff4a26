// Includes tensors, autograd, modules, optimizers, data loading and checkpoints.
//
// Programs include these headers in addition if they use them:
//   taper/backend/backend.h              external backends
//   taper/data/image.h, image_folder.h, image_grid.h, transforms/transforms.h
//   taper/data/cifar.h, csv.h, tensor_files.h, text_lines.h, web_dataset.h, nested_batch_sampler.h
//   taper/dist/dist.h                    distributed training
//   taper/distributions/distributions.h  probability distributions
//   taper/io/distributed_checkpoint.h    checkpoints of torch.distributed.checkpoint
//   taper/metrics/metrics.h              metrics
//   taper/profiler/profiler.h            profiler
//   taper/train/train.h                  Trainer and logs
#pragma once
#include "taper/autograd/autocast.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/checkpoint.h"
#include "taper/autograd/function.h"
#include "taper/autograd/gradcheck.h"
#include "taper/autograd/saved_tensors.h"
#include "taper/core/cpu_capability.h"
#include "taper/core/deterministic.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/finfo.h"
#include "taper/core/generator.h"
#include "taper/core/memory.h"
#include "taper/core/parallel.h"
#include "taper/core/printing.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"
#include "taper/core/warning.h"
#include "taper/data/data.h"
#include "taper/io/checkpoint_files.h"
#include "taper/io/file_kind.h"
#include "taper/io/foreign_tensor.h"
#include "taper/io/load.h"
#include "taper/io/load_error.h"
#include "taper/io/pickle_scan.h"
#include "taper/io/pickled_module.h"
#include "taper/io/save.h"
#include "taper/io/shared_tensors.h"
#include "taper/nn/nn.h"
#include "taper/nn/python_interop.h"
#include "taper/nn/safetensors_model.h"
#include "taper/ops/ctc_loss.h"
#include "taper/ops/decomposition.h"
#include "taper/ops/dropout.h"
#include "taper/ops/elementwise_loss.h"
#include "taper/ops/embedding.h"
#include "taper/ops/gradient.h"
#include "taper/ops/grid_sampler.h"
#include "taper/ops/margin_loss.h"
#include "taper/ops/norm.h"
#include "taper/ops/pad.h"
#include "taper/ops/result_type.h"
#include "taper/ops/special.h"
#include "taper/ops/window.h"
#include "taper/optim/optim.h"
#include "taper/version.h"
