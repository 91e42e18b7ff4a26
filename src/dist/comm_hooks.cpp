// Communication hooks of DistributedDataParallel.
#include "taper/autograd/grad_mode.h"
#include "taper/dist/collectives.h"
#include "taper/dist/distributed_data_parallel.h"

namespace taper::distributed::default_hooks {
namespace {

Work reduce_compressed(const Group& group, const GradBucket& bucket, DType dtype) {
  const NoGrad no_grad;
  const Tensor buffer = bucket.buffer();
  const Tensor compressed = buffer.to(dtype, {.copy = true});
  compressed.div_(group->size());
  return all_reduce(compressed, {.group = group, .async_op = true}).then([buffer, compressed] {
    const NoGrad scope;
    buffer.copy_(compressed);
  });
}

}  // namespace

Work allreduce_hook(const Group& group, const GradBucket& bucket) {
  const NoGrad no_grad;
  bucket.buffer().div_(group->size());
  return all_reduce(bucket.buffer(), {.group = group, .async_op = true});
}

Work fp16_compress_hook(const Group& group, const GradBucket& bucket) {
  return reduce_compressed(group, bucket, DType::f16);
}

Work bf16_compress_hook(const Group& group, const GradBucket& bucket) {
  return reduce_compressed(group, bucket, DType::bf16);
}

}  // namespace taper::distributed::default_hooks
