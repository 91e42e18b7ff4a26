// A transformer that classifies sequences of different lengths: padded batches, a key padding mask,
// a warm-up of the learning rate. A sequence has class c if its first topic token is c + 1.
// examples/python/text_classifier.py prints the same output.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <utility>
#include <vector>

#include <taper/taper.h>

using namespace taper;

constexpr std::int64_t kTokens = 20, kClasses = 4, kPadding = 0, kMaxLength = 10;
constexpr std::int64_t kFeatures = 32, kHeads = 4, kFeedForward = 64;

using Sentence = std::pair<Tensor, std::int64_t>;  // tokens (T), class

// Returns a uniform integer in [low, high).
std::int64_t draw(std::int64_t low, std::int64_t high) {
  return randint(low, high, {}).item<std::int64_t>();
}

// Returns sentences that contain two topic tokens, 1 to kClasses, among other tokens.
std::vector<Sentence> make_sentences(int count) {
  std::vector<Sentence> sentences;
  for (int i = 0; i < count; ++i) {
    const std::int64_t length = draw(3, kMaxLength + 1), label = draw(0, kClasses);
    const Tensor tokens = randint(1 + kClasses, kTokens, {length});
    const std::int64_t first = draw(0, length - 1), second = draw(first + 1, length);
    tokens[first] = 1 + label;
    tokens[second] = draw(1, 1 + kClasses);
    sentences.emplace_back(tokens, label);
  }
  return sentences;
}

// Returns the tokens (N, T), padded to the longest sentence, and the classes (N).
std::pair<Tensor, Tensor> pad_batch(std::vector<Sentence>&& sentences) {
  std::vector<Tensor> tokens;
  std::vector<std::int64_t> labels;
  for (const auto& [t, label] : sentences) {
    tokens.push_back(t);
    labels.push_back(label);
  }
  return {nn::utils::rnn::pad_sequence(tokens, {.batch_first = true}), tensor(labels)};
}

// Adds sines and cosines of the position to embeddings (N, T, E) of N sentences, T tokens and E
// features.
struct PositionalEncoding : nn::Module {
  nn::Buffer table;
  TAPER_MODULE(PositionalEncoding, table)

  PositionalEncoding(std::int64_t features, std::int64_t max_length) {
    const Tensor position = arange(max_length).unsqueeze(1);
    const Tensor rate =
        exp(arange(0, features, 2) * (-std::log(1e4) / static_cast<double>(features)));
    table = zeros({max_length, features});
    table[{ellipsis, Slice{.step = 2}}] = sin(position * rate);
    table[{ellipsis, Slice{.start = 1, .step = 2}}] = cos(position * rate);
  }
  Tensor forward(const Tensor& x) const { return x + table[Slice{.stop = x.size(1)}]; }
};

struct TextClassifier : nn::Module {
  nn::Embedding embedding{kTokens, kFeatures, {.padding_idx = kPadding}};
  PositionalEncoding position{kFeatures, kMaxLength};
  nn::TransformerEncoder encoder{
      nn::TransformerEncoderLayer(
          kFeatures, kHeads, {.dim_feedforward = kFeedForward, .dropout = 0, .batch_first = true}),
      2};
  nn::Linear head{kFeatures, kClasses};
  TAPER_MODULE(TextClassifier, embedding, position, encoder, head)

  Tensor forward(const Tensor& tokens) const {
    const Tensor padding = tokens == kPadding;
    const Tensor x = encoder(position(embedding(tokens)), {.src_key_padding_mask = padding});
    const Tensor weight = (~padding).unsqueeze(-1).to(float32);
    return head((x * weight).sum(1) / weight.sum(1));
  }
};

int main() {
  manual_seed(5);
  data::DataLoader train(make_sentences(512), {.batch_size = 32, .shuffle = true}, pad_batch);
  data::DataLoader test(make_sentences(128), {.batch_size = 128}, pad_batch);

  TextClassifier net;
  std::cout << net << '\n';
  std::int64_t count = 0;
  for (const Tensor& p : net.parameters()) count += p.numel();
  std::printf("%d parameters\n", static_cast<int>(count));

  optim::AdamW opt(net.parameters(), {.lr = 3e-3});
  optim::lr_scheduler::LambdaLR scheduler(
      opt, [](std::int64_t step) { return std::min(1.0, static_cast<double>(step + 1) / 20); });
  for (int epoch = 0; epoch < 6; ++epoch) {
    double total = 0;
    for (auto& [tokens, labels] : train) {
      opt.zero_grad();
      const Tensor loss = F::cross_entropy(net(tokens), labels);
      loss.backward();
      nn::utils::clip_grad_norm_(net.parameters(), 1.0);
      opt.step();
      scheduler.step();
      total += loss.item<double>();
    }
    std::printf("epoch %d: loss %.2f\n", epoch + 1, total / static_cast<double>(train.size()));
  }

  net.eval();
  const NoGrad no_grad;
  std::int64_t correct = 0;
  for (auto& [tokens, labels] : test)
    correct += (net(tokens).argmax(1) == labels).sum().item<std::int64_t>();
  const double accuracy = static_cast<double>(correct) / static_cast<double>(test.dataset().size());
  std::printf("accuracy above 0.9: %s\n", accuracy > 0.9 ? "True" : "False");
}
