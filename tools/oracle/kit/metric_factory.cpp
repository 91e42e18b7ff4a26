#include "kit/metric_factory.h"

#include <functional>

#include "cases/outcome.h"
#include "kit/values.h"
#include "taper/metrics/metrics.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

using metrics::Metric;
using MetricPointer = std::shared_ptr<Metric>;

void read(bool& to, const Json& value) { to = read_bool(value); }
void read(std::int64_t& to, const Json& value) { to = read_integer(value); }
void read(double& to, const Json& value) { to = read_number(value); }
void read(std::string& to, const Json& value) {
  to = value.is_null() ? "none" : value.get<std::string>();
}
template <class T> void read(std::optional<T>& to, const Json& value) {
  to.reset();
  if (!value.is_null()) read(to.emplace(), value);
}
template <class T> void read(std::vector<T>& to, const Json& value) {
  to.clear();
  if (value.is_null()) return;
  for (const Json& item : value) read(to.emplace_back(), item);
}
void read(metrics::Thresholds& to, const Json& value) {
  if (value.is_number_integer()) to = read_integer(value);
  if (value.is_array()) to = value.get<std::vector<double>>();
}
void read(metrics::NanStrategy& to, const Json& value) {
  to = value.is_string() ? metrics::NanStrategy(value.get<std::string>())
                         : metrics::NanStrategy(read_number(value));
}

/// Reads an option if the options have a member of its name.
#define READ_OPTION(name)             \
  if constexpr (requires { o.name; }) \
    if (const Json* value = args.find(#name)) read(o.name, *value);

template <class Options> Options read_options(Fields& args) {
  Options o;
  READ_OPTION(adjusted)
  READ_OPTION(aggregation_level)
  READ_OPTION(alternative)
  READ_OPTION(average)
  READ_OPTION(box_format)
  READ_OPTION(class_metrics)
  READ_OPTION(ignore_index)
  READ_OPTION(include_background)
  READ_OPTION(input_format)
  READ_OPTION(iou_threshold)
  READ_OPTION(iou_thresholds)
  READ_OPTION(log_prob)
  READ_OPTION(lowercase)
  READ_OPTION(max_detection_thresholds)
  READ_OPTION(max_fpr)
  READ_OPTION(multiclass_mode)
  READ_OPTION(multidim_average)
  READ_OPTION(multioutput)
  READ_OPTION(n_bins)
  READ_OPTION(n_gram)
  READ_OPTION(nan_strategy)
  READ_OPTION(norm)
  READ_OPTION(normalization)
  READ_OPTION(normalize)
  READ_OPTION(num_outputs)
  READ_OPTION(per_class)
  READ_OPTION(rec_thresholds)
  READ_OPTION(reduction)
  READ_OPTION(respect_labels)
  READ_OPTION(smooth)
  READ_OPTION(squared)
  READ_OPTION(substitution_cost)
  READ_OPTION(t_test)
  READ_OPTION(threshold)
  READ_OPTION(thresholds)
  READ_OPTION(tokenize)
  READ_OPTION(top_k)
  READ_OPTION(validate_args)
  READ_OPTION(variant)
  READ_OPTION(weight_type)
  READ_OPTION(weights)
  READ_OPTION(window)
  READ_OPTION(zero_division)
  return o;
}

using MakeMetric = MetricPointer (*)(Fields&);

template <class M> MetricPointer plain(Fields&) { return std::make_shared<M>(); }
template <class M, class O> MetricPointer with_options(Fields& args) {
  return std::make_shared<M>(read_options<O>(args));
}
template <class M, class O> MetricPointer with_classes(Fields& args) {
  const std::int64_t count = read_integer(args.at("num_classes"));
  return std::make_shared<M>(count, read_options<O>(args));
}
template <class M, class O> MetricPointer with_labels(Fields& args) {
  const std::int64_t count = read_integer(args.at("num_labels"));
  return std::make_shared<M>(count, read_options<O>(args));
}

using Table = std::map<std::string, MakeMetric>;

/// Adds the metrics of the three tasks.
template <class B, class BO, class C, class CO, class L, class LO>
void add_tasks(Table& table, const std::string& stem) {
  table["classification.Binary" + stem] = with_options<B, BO>;
  table["classification.Multiclass" + stem] = with_classes<C, CO>;
  table["classification.Multilabel" + stem] = with_labels<L, LO>;
}

template <metrics::Score S> void add_score(Table& table, const std::string& stem) {
  using namespace metrics;
  add_tasks<BinaryStatScoresMetric<S>, BinaryOptions, MulticlassStatScoresMetric<S>,
            MulticlassOptions, MultilabelStatScoresMetric<S>, MultilabelOptions>(table, stem);
}

void add_classification(Table& table) {
  using namespace metrics;
  add_score<Score::stat_scores>(table, "StatScores");
  add_score<Score::accuracy>(table, "Accuracy");
  add_score<Score::precision>(table, "Precision");
  add_score<Score::recall>(table, "Recall");
  add_score<Score::f_beta>(table, "F1Score");
  add_score<Score::specificity>(table, "Specificity");
  add_score<Score::hamming_distance>(table, "HammingDistance");
  table["classification.BinaryFBetaScore"] = [](Fields& args) -> MetricPointer {
    const double beta = args.number("beta");
    return std::make_shared<BinaryFBetaScore>(beta, read_options<BinaryOptions>(args));
  };
  table["classification.MulticlassFBetaScore"] = [](Fields& args) -> MetricPointer {
    const double beta = args.number("beta");
    const std::int64_t count = read_integer(args.at("num_classes"));
    return std::make_shared<MulticlassFBetaScore>(beta, count,
                                                  read_options<MulticlassOptions>(args));
  };
  table["classification.MultilabelFBetaScore"] = [](Fields& args) -> MetricPointer {
    const double beta = args.number("beta");
    const std::int64_t count = read_integer(args.at("num_labels"));
    return std::make_shared<MultilabelFBetaScore>(beta, count,
                                                  read_options<MultilabelOptions>(args));
  };
  using MatrixOptions = ConfusionMatrixOptions;
  add_tasks<BinaryConfusionMatrix, MatrixOptions, MulticlassConfusionMatrix, MatrixOptions,
            MultilabelConfusionMatrix, MatrixOptions>(table, "ConfusionMatrix");
  using Jaccard = JaccardIndexOptions;
  add_tasks<BinaryJaccardIndex, Jaccard, MulticlassJaccardIndex, Jaccard, MultilabelJaccardIndex,
            Jaccard>(table, "JaccardIndex");
  using Matthews = MatthewsCorrCoefOptions;
  add_tasks<BinaryMatthewsCorrCoef, Matthews, MulticlassMatthewsCorrCoef, Matthews,
            MultilabelMatthewsCorrCoef, Matthews>(table, "MatthewsCorrCoef");
  table["classification.BinaryCohenKappa"] = with_options<BinaryCohenKappa, CohenKappaOptions>;
  table["classification.MulticlassCohenKappa"] =
      with_classes<MulticlassCohenKappa, CohenKappaOptions>;
  table["classification.MulticlassExactMatch"] =
      with_classes<MulticlassExactMatch, ExactMatchOptions>;
  table["classification.MultilabelExactMatch"] =
      with_labels<MultilabelExactMatch, ExactMatchOptions>;
  table["classification.BinaryHingeLoss"] = with_options<BinaryHingeLoss, HingeLossOptions>;
  table["classification.MulticlassHingeLoss"] = with_classes<MulticlassHingeLoss, HingeLossOptions>;
  table["classification.BinaryCalibrationError"] =
      with_options<BinaryCalibrationError, CalibrationErrorOptions>;
  table["classification.MulticlassCalibrationError"] =
      with_classes<MulticlassCalibrationError, CalibrationErrorOptions>;
}

void add_curves(Table& table) {
  using namespace metrics;
  using O = CurveOptions;
  add_tasks<BinaryPrecisionRecallCurve, O, MulticlassPrecisionRecallCurve, O,
            MultilabelPrecisionRecallCurve, O>(table, "PrecisionRecallCurve");
  add_tasks<BinaryROC, O, MulticlassROC, O, MultilabelROC, O>(table, "ROC");
  using A = CurveAreaOptions;
  add_tasks<BinaryAUROC, A, MulticlassAUROC, A, MultilabelAUROC, A>(table, "AUROC");
  add_tasks<BinaryAveragePrecision, A, MulticlassAveragePrecision, A, MultilabelAveragePrecision,
            A>(table, "AveragePrecision");
}

void add_regression(Table& table) {
  using namespace metrics;
  table.insert({
      {"regression.MeanSquaredError", with_options<MeanSquaredError, SquaredErrorOptions>},
      {"regression.MeanAbsoluteError", with_options<MeanAbsoluteError, RegressionOptions>},
      {"regression.LogCoshError", with_options<LogCoshError, RegressionOptions>},
      {"regression.MeanSquaredLogError", plain<MeanSquaredLogError>},
      {"regression.MeanAbsolutePercentageError", plain<MeanAbsolutePercentageError>},
      {"regression.SymmetricMeanAbsolutePercentageError",
       plain<SymmetricMeanAbsolutePercentageError>},
      {"regression.WeightedMeanAbsolutePercentageError",
       plain<WeightedMeanAbsolutePercentageError>},
      {"regression.TweedieDevianceScore",
       [](Fields& args) -> MetricPointer {
         return std::make_shared<TweedieDevianceScore>(args.number("power", 0));
       }},
      {"regression.MinkowskiDistance",
       [](Fields& args) -> MetricPointer {
         return std::make_shared<MinkowskiDistance>(args.number("p"));
       }},
      {"regression.NormalizedRootMeanSquaredError",
       with_options<NormalizedRootMeanSquaredError, NormalizedRootMeanSquaredErrorOptions>},
      {"regression.R2Score", with_options<R2Score, R2ScoreOptions>},
      {"regression.RelativeSquaredError", with_options<RelativeSquaredError, SquaredErrorOptions>},
      {"regression.ExplainedVariance", with_options<ExplainedVariance, ExplainedVarianceOptions>},
      {"regression.CosineSimilarity", with_options<CosineSimilarity, CosineSimilarityOptions>},
      {"regression.KLDivergence", with_options<KLDivergence, KLDivergenceOptions>},
      {"regression.PearsonCorrCoef", with_options<PearsonCorrCoef, RegressionOptions>},
      {"regression.ConcordanceCorrCoef", with_options<ConcordanceCorrCoef, RegressionOptions>},
      {"regression.SpearmanCorrCoef", with_options<SpearmanCorrCoef, RegressionOptions>},
      {"regression.KendallRankCorrCoef",
       with_options<KendallRankCorrCoef, KendallRankCorrCoefOptions>},
  });
}

void add_others(Table& table) {
  using namespace metrics;
  using Overlap = IntersectionOverUnionOptions;
  table.insert({
      {"aggregation.MeanMetric", with_options<MeanMetric, AggregationOptions>},
      {"aggregation.SumMetric", with_options<SumMetric, AggregationOptions>},
      {"aggregation.MaxMetric", with_options<MaxMetric, AggregationOptions>},
      {"aggregation.MinMetric", with_options<MinMetric, AggregationOptions>},
      {"aggregation.CatMetric", with_options<CatMetric, AggregationOptions>},
      {"aggregation.RunningMean", with_options<RunningMean, RunningOptions>},
      {"aggregation.RunningSum", with_options<RunningSum, RunningOptions>},
      {"text.Perplexity", with_options<Perplexity, PerplexityOptions>},
      {"text.BLEUScore", with_options<BLEUScore, BLEUScoreOptions>},
      {"text.SacreBLEUScore", with_options<SacreBLEUScore, SacreBLEUScoreOptions>},
      {"text.WordErrorRate", plain<WordErrorRate>},
      {"text.CharErrorRate", plain<CharErrorRate>},
      {"text.MatchErrorRate", plain<MatchErrorRate>},
      {"text.WordInfoLost", plain<WordInfoLost>},
      {"text.WordInfoPreserved", plain<WordInfoPreserved>},
      {"text.EditDistance", with_options<EditDistance, EditDistanceOptions>},
      {"segmentation.MeanIoU", with_classes<MeanIoU, MeanIoUOptions>},
      {"segmentation.DiceScore", with_classes<DiceScore, DiceScoreOptions>},
      {"segmentation.GeneralizedDiceScore",
       with_classes<GeneralizedDiceScore, GeneralizedDiceScoreOptions>},
      {"detection.IntersectionOverUnion", with_options<IntersectionOverUnion, Overlap>},
      {"detection.GeneralizedIntersectionOverUnion",
       with_options<GeneralizedIntersectionOverUnion, Overlap>},
      {"detection.DistanceIntersectionOverUnion",
       with_options<DistanceIntersectionOverUnion, Overlap>},
      {"detection.CompleteIntersectionOverUnion",
       with_options<CompleteIntersectionOverUnion, Overlap>},
      {"detection.MeanAveragePrecision",
       with_options<MeanAveragePrecision, MeanAveragePrecisionOptions>},
  });
}

const Table& all_metrics() {
  static const Table table = [] {
    Table t;
    add_classification(t);
    add_curves(t);
    add_regression(t);
    add_others(t);
    return t;
  }();
  return table;
}

}  // namespace

MetricPointer make_metric(const std::string& name, const Json& args) {
  const auto found = all_metrics().find(name);
  if (found == all_metrics().end()) throw Unsupported("metric " + name);
  Fields fields(args);
  MetricPointer metric = found->second(fields);
  fields.done();
  return metric;
}

}  // namespace taper::oracle
