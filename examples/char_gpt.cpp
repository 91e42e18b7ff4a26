// A GPT on characters, trained on a text. The default text is the one that the command `bible` of
// Debian's package bible-kjv prints (`./dev setup examples`).
// examples/python/char_gpt.py prints the same output.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <taper/taper.h>

#include <CLI/CLI.hpp>

using namespace taper;

struct Options {
  std::string text;
  std::int64_t layers = 4, heads = 4, width = 128, context = 128;
  std::int64_t batch = 16, generate = 500;
  int steps = 1000, log_every = 100;
  double lr = 3e-3;
  std::uint64_t seed = 1;
};

// Characters as consecutive ids.
struct Vocabulary {
  std::string characters;  // sorted

  explicit Vocabulary(const std::string& text) {
    const std::set<char> used(text.begin(), text.end());
    characters.assign(used.begin(), used.end());
  }
  std::int64_t size() const { return std::ssize(characters); }
  Tensor encode(const std::string& text) const {
    std::vector<std::int64_t> ids;
    for (const char c : text) ids.push_back(static_cast<std::int64_t>(characters.find(c)));
    return tensor(ids);
  }
  std::string decode(const Tensor& ids) const {
    std::string text;
    for (const std::int64_t id : ids.data<std::int64_t>())
      text += characters[static_cast<std::size_t>(id)];
    return text;
  }
};

struct Attention : nn::Module {
  std::int64_t heads;
  nn::Linear qkv, proj;
  TAPER_MODULE(Attention, qkv, proj)
  explicit Attention(const Options& o)
      : heads(o.heads),
        qkv(o.width, 3 * o.width, {.bias = false}),
        proj(o.width, o.width, {.bias = false}) {}

  Tensor forward(const Tensor& x) const {
    const std::int64_t n = x.size(0), length = x.size(1);
    const auto parts = qkv(x).view({n, length, 3 * heads, -1}).transpose(1, 2).chunk(3, 1);
    const Tensor y =
        F::scaled_dot_product_attention(parts[0], parts[1], parts[2], {.is_causal = true});
    return proj(y.transpose(1, 2).reshape({n, length, -1}));
  }
};

struct Block : nn::Module {
  nn::LayerNorm ln1;
  Attention attention;
  nn::LayerNorm ln2;
  nn::Sequential mlp;
  TAPER_MODULE(Block, ln1, attention, ln2, mlp)
  explicit Block(const Options& o)
      : ln1(o.width),
        attention(o),
        ln2(o.width),
        mlp{nn::Linear(o.width, 4 * o.width, {.bias = false}), nn::GELU(),
            nn::Linear(4 * o.width, o.width, {.bias = false})} {}

  Tensor forward(Tensor x) const {
    x = x + attention(ln1(x));
    return x + mlp(ln2(x));
  }
};

struct GPT : nn::Module {
  std::int64_t context;
  nn::Embedding token, position;
  nn::Sequential blocks;
  nn::LayerNorm ln;
  nn::Linear head;
  TAPER_MODULE(GPT, token, position, blocks, ln, head)
  GPT(std::int64_t tokens, const Options& o)
      : context(o.context),
        token(tokens, o.width),
        position(o.context, o.width),
        ln(o.width),
        head(o.width, tokens, {.bias = false}) {
    for (std::int64_t i = 0; i < o.layers; ++i) blocks.append(Block(o));
    for (const Tensor& p : parameters())
      if (p.dim() > 1) nn::init::normal_(p, 0, 0.02);
  }

  // Ids (N, T) to logits (N, T, tokens).
  Tensor forward(const Tensor& ids) const {
    const Tensor x = token(ids) + position(arange(ids.size(1)));
    return head(ln(blocks(x)));
  }

  // Draws characters from the softmax of the logits divided by the temperature.
  Tensor generate(Tensor ids, std::int64_t count, double temperature) const {
    const NoGrad no_grad;
    for (std::int64_t i = 0; i < count; ++i) {
      const Tensor logits = (*this)(ids[{Slice{}, Slice{.start = -context}}])[{Slice{}, -1}];
      ids = cat({ids, multinomial(softmax(logits / temperature, -1), 1)}, 1);
    }
    return ids;
  }
};

std::string read_text(const std::string& path) {
  if (!path.empty()) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string text;
  if (std::FILE* pipe = popen("bible gen1:1-rev22:21 </dev/null", "r")) {
    for (int c = std::getc(pipe); c != EOF; c = std::getc(pipe)) text += static_cast<char>(c);
    pclose(pipe);
  }
  return text;
}

// Inputs (batch, context), and targets, which are one character further.
std::pair<Tensor, Tensor> draw_batch(const Tensor& ids, const Options& o) {
  const Tensor start = randint(ids.size(0) - o.context, {o.batch, 1});
  const Tensor index = start + arange(o.context);
  return {ids[index], ids[index + 1]};
}

Tensor loss_of(const GPT& net, const std::pair<Tensor, Tensor>& batch) {
  return F::cross_entropy(net(batch.first).flatten(0, 1), batch.second.flatten());
}

int main(int argc, char** argv) {
  Options o;
  CLI::App app{"Trains a GPT on the characters of a text."};
  app.add_option("--text", o.text, "file; default: the output of `bible`");
  app.add_option("--steps", o.steps)->capture_default_str();
  app.add_option("--log-every", o.log_every, "steps per line")->capture_default_str();
  app.add_option("--generate", o.generate, "characters at the end")->capture_default_str();
  app.add_option("--seed", o.seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const std::string text = read_text(o.text);
  if (std::ssize(text) < 20 * o.context) {
    std::fprintf(stderr, "no text, or a short one: install bible-kjv, or use --text FILE\n");
    return 1;
  }
  const Vocabulary vocabulary(text);
  const Tensor ids = vocabulary.encode(text);
  const std::int64_t split = ids.size(0) * 9 / 10;
  const Tensor train = ids[Slice{.stop = split}], valid = ids[Slice{.start = split}];

  manual_seed(o.seed);
  GPT net(vocabulary.size(), o);
  std::int64_t count = 0;
  for (const Tensor& p : net.parameters()) count += p.numel();
  std::printf("%d characters, %d different; %d parameters\n", static_cast<int>(text.size()),
              static_cast<int>(vocabulary.size()), static_cast<int>(count));

  optim::AdamW opt(net.parameters(), {.lr = o.lr, .betas = {0.9, 0.99}, .weight_decay = 0.1});
  optim::lr_scheduler::LambdaLR scheduler(opt, [&](std::int64_t step) {
    const double warmup = std::min(1.0, static_cast<double>(step + 1) / 50);
    const double done = static_cast<double>(step) / o.steps;
    return warmup * (0.55 + 0.45 * std::cos(std::numbers::pi * done));
  });
  double total = 0;
  for (int step = 1; step <= o.steps; ++step) {
    opt.zero_grad();
    const Tensor loss = loss_of(net, draw_batch(train, o));
    loss.backward();
    nn::utils::clip_grad_norm_(net.parameters(), 1.0);
    opt.step();
    scheduler.step();
    total += loss.item<double>();
    if (step % o.log_every == 0) {
      std::printf("step %4d: loss %.4f\n", step, total / o.log_every);
      std::fflush(stdout);
      total = 0;
    }
  }

  net.eval();
  total = 0;
  {
    const NoGrad no_grad;
    for (int i = 0; i < 20; ++i) total += loss_of(net, draw_batch(valid, o)).item<double>();
  }
  std::printf("loss on the last tenth of the text: %.4f\n\n", total / 20);
  const Tensor prompt = vocabulary.encode("\n").view({1, 1});
  std::printf("%s\n", vocabulary.decode(net.generate(prompt, o.generate, 0.8)[0]).c_str());
}
