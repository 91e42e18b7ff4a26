// Inference and training steps of the networks in models/, for the tables of docs/models.
#include "../benchmark.h"
#include "bert/heads.h"
#include "gpt2/gpt2.h"
#include "llama/llama.h"
#include "lstm_tagger/lstm_tagger.h"
#include "taper/nn/registry.h"
#include "taper/taper.h"
#include "transformer/seq2seq.h"
#include "unet/unet.h"
#include "vision/registry.h"
#include "vit_hf/vit.h"

namespace taper::bench {
namespace {

constexpr std::int64_t kImage = 224, kTokens = 128;  // size of an image, length of a sequence

/// A network with a batch of inputs.
struct Workload {
  std::shared_ptr<nn::Module> net;
  std::function<Tensor()> output, loss;
};

Tensor random_images(std::int64_t batch) { return randn({batch, 3, kImage, kImage}); }

Workload image_classifier(const char* name, std::int64_t batch) {
  vision::register_models();
  const std::shared_ptr<nn::Module> net = nn::make(name);
  const Tensor x = random_images(batch), y = randint(0, 1000, {batch});
  return {net, [net, x] { return (*net)(x); },
          [net, x, y] { return F::cross_entropy((*net)(x), y); }};
}

Workload segmentation(std::int64_t batch) {
  const auto net = std::make_shared<unet::UNet>(3, 2);
  const Tensor x = random_images(batch), y = randint(0, 2, {batch, kImage, kImage});
  return {net, [net, x] { return (*net)(x); },
          [net, x, y] { return F::cross_entropy((*net)(x), y); }};
}

/// The tagger accepts one sentence.
Workload tagging(std::int64_t) {
  const auto net = std::make_shared<lstm_tagger::LSTMTagger>(64, 128, 10000, 20);
  const Tensor words = randint(0, 10000, {kTokens}), tags = randint(0, 20, {kTokens});
  return {net, [net, words] { return (*net)(words); },
          [net, words, tags] { return F::nll_loss((*net)(words), tags); }};
}

Workload translation(std::int64_t batch) {
  const auto net = std::make_shared<transformer::Seq2Seq>(37000, 512);
  const Tensor source = randint(1, 37000, {batch, kTokens}),
               target = randint(1, 37000, {batch, kTokens});
  return {net, [net, source, target] { return (*net)(source, target); },
          [net, source, target] {
            return F::cross_entropy((*net)(source, target).flatten(0, 1), target.flatten());
          }};
}

/// Returns a network of Hugging Face that computes logits and their loss.
template <class M>
Workload with_labels(const typename M::Config& config, const Tensor& inputs, const Tensor& labels) {
  const auto net = std::make_shared<M>(config);
  return {net, [net, inputs] { return (*net)(inputs).logits; },
          [net, inputs, labels] { return (*net)(inputs, {.labels = labels}).loss; }};
}

template <class M> Workload language_model(const typename M::Config& config, std::int64_t batch) {
  const Tensor ids = randint(0, config.vocab_size, {batch, kTokens});
  return with_labels<M>(config, ids, ids);
}

Workload gpt2_model(std::int64_t batch) { return language_model<gpt2::GPT2LMHeadModel>({}, batch); }

Workload llama_model(std::int64_t batch) {
  llama::LlamaConfig config;
  config.hidden_size = 768, config.intermediate_size = 2048, config.num_hidden_layers = 12;
  config.num_attention_heads = 12, config.num_key_value_heads = 4;
  return language_model<llama::LlamaForCausalLM>(config, batch);
}

Workload sequence_encoder(std::int64_t batch) {
  const auto net = std::make_shared<bert::BertModel>(bert::BertConfig());
  const Tensor ids = randint(0, 30522, {batch, kTokens});
  return {net, [net, ids] { return (*net)(ids).last_hidden_state; }, {}};
}

Workload sequence_classifier(std::int64_t batch) {
  return with_labels<bert::BertForSequenceClassification>({}, randint(0, 30522, {batch, kTokens}),
                                                          randint(0, 2, {batch}));
}

Workload patch_classifier(std::int64_t batch) {
  vit_hf::ViTConfig config;
  config.num_labels = 1000;
  return with_labels<vit_hf::ViTForImageClassification>(config, random_images(batch),
                                                        randint(0, 1000, {batch}));
}

/// A network of a page of docs/models.
struct Network {
  const char *page, *name;
  std::int64_t training_batch = 0;                 ///< 0: its training step is not measured
  Workload (*make)(std::int64_t batch) = nullptr;  ///< null: a constructor of torchvision
};

constexpr Network kNetworks[] = {
    {"resnet", "resnet18", 4},
    {"resnet", "resnet34"},
    {"resnet", "resnet50", 4},
    {"resnet", "resnet101"},
    {"resnet", "resnet152"},
    {"resnet", "resnext50_32x4d", 4},
    {"resnet", "resnext101_32x8d"},
    {"resnet", "resnext101_64x4d"},
    {"resnet", "wide_resnet50_2"},
    {"resnet", "wide_resnet101_2"},
    {"vgg", "vgg11", 4},
    {"vgg", "vgg11_bn"},
    {"vgg", "vgg13"},
    {"vgg", "vgg13_bn"},
    {"vgg", "vgg16"},
    {"vgg", "vgg16_bn"},
    {"vgg", "vgg19"},
    {"vgg", "vgg19_bn"},
    {"densenet", "densenet121", 4},
    {"densenet", "densenet161"},
    {"densenet", "densenet169"},
    {"densenet", "densenet201"},
    {"mobilenet_v2", "mobilenet_v2", 4},
    {"mobilenet_v3", "mobilenet_v3_large", 4},
    {"mobilenet_v3", "mobilenet_v3_small", 4},
    {"efficientnet", "efficientnet_b0", 4},
    {"efficientnet", "efficientnet_b1"},
    {"efficientnet", "efficientnet_b2"},
    {"convnext", "convnext_tiny", 4},
    {"convnext", "convnext_small"},
    {"convnext", "convnext_base"},
    {"convnext", "convnext_large"},
    {"vision_transformer", "vit_b_16", 4},
    {"vision_transformer", "vit_b_32"},
    {"vision_transformer", "vit_l_16"},
    {"unet", "UNet", 1, segmentation},
    {"lstm_tagger", "LSTMTagger", 1, tagging},
    {"seq2seq", "Seq2Seq", 4, translation},
    {"gpt2", "GPT2LMHeadModel", 4, gpt2_model},
    {"llama", "LlamaForCausalLM", 4, llama_model},
    {"bert", "BertModel", 0, sequence_encoder},
    {"bert", "BertForSequenceClassification", 4, sequence_classifier},
    {"vit_hf", "ViTForImageClassification", 4, patch_classifier},
};

Workload make_workload(const Network& network, std::int64_t batch) {
  return network.make ? network.make(batch) : image_classifier(network.name, batch);
}

double milliseconds_per_step(const std::function<void()>& step) {
  return seconds_per_call(step, 0.5) * 1e3;
}

double network_inference(const Network& network) {
  const Workload work = make_workload(network, 1);
  work.net->eval();
  const NoGrad guard;
  return milliseconds_per_step([&] { static_cast<void>(work.output()); });
}

double network_training_step(const Network& network) {
  const Workload work = make_workload(network, network.training_batch);
  optim::SGD sgd(work.net->parameters(), {.lr = 1e-3});
  return milliseconds_per_step([&] {
    sgd.zero_grad();
    work.loss().backward();
    sgd.step();
  });
}

Benchmark network_row(const Network& network, const char* kind, std::int64_t batch,
                      double (*measure)(const Network&)) {
  const std::string name = network.name;
  return {.name = std::string("models/") + network.page + "/" + name + ": " + kind + ", batch " +
                  std::to_string(batch),
          .threads = 2,
          .unit = "ms",
          .measure = [network, measure] { return measure(network); },
          .baseline = "models:" + name + "/" + kind + "/" + std::to_string(batch),
          .rounds = 3};
}

}  // namespace

std::vector<Benchmark> model_suite() {
  std::vector<Benchmark> rows;
  for (const Network& network : kNetworks) {
    rows.push_back(network_row(network, "inference", 1, network_inference));
    if (network.training_batch > 0)
      rows.push_back(
          network_row(network, "training", network.training_batch, network_training_step));
  }
  return rows;
}

}  // namespace taper::bench
