// Bessel functions of f32, computed in f64. Include this file in the same way as math-inl.h. Errors
// are at most 1 ulp, and 1 ulp of 0.01 near the roots of J and Y; results for 0, infinities and NaN
// are those of PyTorch. The polynomials were fitted at Chebyshev nodes.
#if defined(TAPER_CPU_SIMD_BESSEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_BESSEL_INL_H_
#undef TAPER_CPU_SIMD_BESSEL_INL_H_
#else
#define TAPER_CPU_SIMD_BESSEL_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "cpu/simd/inverse-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
constexpr double kTwoOverPi = 0.63661977236758134308;

/// Computes e^-|x| I(kOrder, x) for orders 0 and 1: a polynomial of x up to 8, beyond it one of
/// 1/x.
template <int kOrder> struct ScaledBesselIOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V a = hn::Abs(x), one = hn::Set(d, 1.0), eight = hn::Set(d, 8.0);
    const V inverse = hn::Div(one, hn::Max(a, eight));
    const V t = hn::MulSub(a, hn::Set(d, 0.25), one);
    const V s = hn::MulSub(inverse, hn::Set(d, 16.0), one);
    V near, far;
    if constexpr (kOrder == 0) {
      near = horner(
          d, t, hn::Set(d, 5.072910567537764e-05), -0.00013604737781950743, 9.498288686468161e-05,
          -0.00020575934590192718, 0.0009516482082003593, -0.002047345079767122,
          0.00353515983718427, -0.006604619497155474, 0.012004880892660118, -0.019776206071507256,
          0.030162278410181226, -0.042956915743848974, 0.05678042010445671, -0.0695465912494123,
          0.07927479864866682, -0.08496283115339737, 0.0873434437582664, -0.08904346700054298,
          0.09451562784636895, -0.11300432653445609, 0.20700192122686667);
      far = horner(d, s, hn::Set(d, 3.161985528463981e-08), 1.0867942482266837e-07,
                   3.0733229173158885e-07, 1.4761157343412484e-06, 1.113981565861345e-05,
                   0.00013621716424322397, 0.003360552241721043, 0.4021765094192122);
    } else {
      near = hn::Mul(a, horner(d, t, hn::Set(d, 6.153141642272913e-06), -1.7467938500777154e-05,
                               1.6755628726995344e-05, -4.071009185021585e-05,
                               0.00015894533080722356, -0.00036857200457151716,
                               0.0007354892036761357, -0.001517091516185905, 0.0030106852061542004,
                               -0.005545398143907737, 0.009582246706917544, -0.015567952954333901,
                               0.023686388346182016, -0.0336719785673654, 0.04467452582423304,
                               -0.0552799757994209, 0.06376740673256692, -0.06848260916189904,
                               0.06805759983363337, -0.061124337989135455, 0.04468770987592376));
      far = horner(d, s, hn::Set(d, -3.5774358158058136e-08), -1.2273217235085558e-07,
                   -3.584298887257214e-07, -1.8256907317698838e-06, -1.5035268029521159e-05,
                   -0.00021923712538189863, -0.009749577457556757, 0.3893984590596593);
    }
    V y = hn::IfThenElse(hn::Le(a, eight), near, hn::Mul(far, hn::Sqrt(inverse)));
    if constexpr (kOrder == 1) y = hn::CopySign(y, x);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

/// Computes I(kOrder, x); NaN for infinities, as in PyTorch.
template <int kOrder> struct BesselIOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    return hn::Mul(ScaledBesselIOfDouble<kOrder>::apply(d, x), vec_exp(d, hn::Abs(x)));
  }
};

/// Computes K(kOrder, x), or e^x K(kOrder, x) if kScaled: polynomials of x^2 and a logarithm up to
/// 2, beyond it a polynomial of 1/x.
template <int kOrder, bool kScaled> struct BesselKOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V one = hn::Set(d, 1.0), half = hn::Set(d, 0.5), two = hn::Set(d, 2.0);
    const V inverse = hn::Div(one, x), log_half = vec_log(d, hn::Mul(x, half));
    const V t = hn::MulSub(hn::Mul(x, x), half, one);
    const V s = hn::MulSub(inverse, hn::Set(d, 4.0), one);
    V small, large;
    if constexpr (kOrder == 0) {
      const V i0 = horner(d, t, hn::Set(d, 3.2367353282159444e-08), 2.3581518413478157e-06,
                          0.0001198206826414951, 0.003928564819204235, 0.07358986836168832,
                          0.635861728191873, 1.5660829297563308);
      const V rest = horner(d, t, hn::Set(d, 6.094452407104669e-08), 4.055665726441839e-06,
                            0.00018280555146344958, 0.005053392063629651, 0.07177701034376824,
                            0.3404973210858272, -0.3036207729157981);
      small = hn::NegMulAdd(log_half, i0, rest);
      large = horner(d, s, hn::Set(d, -4.345688344035997e-07), 1.0974763542290208e-06,
                     -2.004933657112187e-06, 6.658850937766007e-06, -2.4821674586151484e-05,
                     9.96896497244622e-05, -0.00047975304301230826, 0.0030328751571715384,
                     -0.03107146264564701, 1.2185953388536366);
    } else {
      const V i1 = hn::Mul(x, horner(d, t, hn::Set(d, 1.9420919949985476e-07),
                                     1.1791332095274502e-05, 0.0004792827254861735,
                                     0.011785694027946303, 0.1471797367243291, 0.6358617282276785));
      const V rest = horner(d, t, hn::Set(d, -7.082840418351123e-07), -3.8934498265055494e-05,
                            -0.001383168739947689, -0.027854227315728137, -0.2438385288890774,
                            -0.3322409562283331, 0.885088287730256);
      small = hn::MulAdd(log_half, i1, hn::Mul(rest, inverse));
      large = horner(d, s, hn::Set(d, 5.158527373304409e-07), -1.3242575956067964e-06,
                     2.5136251812945398e-06, -8.557758738667407e-06, 3.2944246439136535e-05,
                     -0.00013974174903297364, 0.0007357055760682905, -0.005566710345998928,
                     0.10334973870570138, 1.3631518899724002);
    }
    large = hn::Mul(large, hn::Sqrt(inverse));
    if constexpr (kScaled)
      small = hn::Mul(small, vec_exp(d, x));
    else
      large = hn::Mul(large, vec_exp(d, hn::Neg(x)));
    const V zero = hn::Zero(d), inf = hn::Set(d, std::numeric_limits<double>::infinity());
    const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const V y = hn::IfThenElse(hn::Le(x, two), small, large);
    return hn::IfThenElse(hn::Gt(x, zero), y, hn::IfThenElse(hn::Eq(x, zero), inf, nan));
  }
};

/// Computes the variable x^2 / 312.5 - 1 of the polynomials for |x| <= 25.
template <class D, class V> HWY_INLINE V bessel_variable(D d, V x) {
  return hn::MulSub(hn::Mul(x, x), hn::Set(d, 1 / 312.5), hn::Set(d, 1.0));
}
/// Computes 2 log(x / 2) / pi, the factor of J in Y.
template <class D, class V> HWY_INLINE V bessel_logarithm(D d, V x) {
  return hn::Mul(hn::Set(d, kTwoOverPi), vec_log(d, hn::Mul(x, hn::Set(d, 0.5))));
}

/// Computes J(0, x) for |x| <= 25.
struct BesselJ0OfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    return of_square(d, bessel_variable(d, x));
  }
  /// `t` is bessel_variable(d, x).
  template <class D, class V> static HWY_INLINE V of_square(D d, V t) {
    return horner(d, t, hn::Set(d, -3.929123952981566e-05), 0.0002754692491977837,
                  -0.0015127438203470333, 0.008510951539217937, -0.043449040545053226,
                  0.19441609450476127, -0.761114738136809, 2.5720265667260156, -7.335470971596852,
                  17.060646648950666, -30.364799422357812, 35.04066594501248, -6.289574507992557,
                  -68.02526027101607, 137.94321476358178, -98.710938485681, -67.87405017031706,
                  184.08681124322084, -88.2511906801139, -76.60227903853449, 82.74217027003064,
                  2.9377806426183364, -21.783653064391892, 2.0582337267059825, 1.5676029885373661,
                  -0.07275610165811923);
  }
};

/// Computes J(1, x) for |x| <= 25.
struct BesselJ1OfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V t = bessel_variable(d, x);
    return hn::Mul(x, of_square(d, t));
  }
  /// Computes J(1, x) / x.
  template <class D, class V> static HWY_INLINE V of_square(D d, V t) {
    return horner(d, t, hn::Set(d, 6.313223001599543e-06), -4.252610043841797e-05,
                  0.00022252279846331633, -0.0011971648460328743, 0.005839935443026873,
                  -0.02488806915848095, 0.09255099886337062, -0.29629364818858284,
                  0.798099745602547, -1.747013457306064, 2.9150204422106643, -3.1396418778961745,
                  0.5232927197340483, 5.224339342144582, -9.711202350959962, 6.317500212524004,
                  3.9095452950388334, -9.425244756667967, 3.953653341960769, 2.941527516714229,
                  -2.647749448615564, -0.07520718450940457, 0.4182461388358292,
                  -0.026345391701224248, -0.010032659126637557);
  }
};

/// Computes Y(0, x) for x <= 25: -infinity at 0, NaN for negative numbers.
struct BesselY0OfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V t = bessel_variable(d, x);
    const V logarithm = bessel_logarithm(d, x);
    const V rest = horner(
        d, t, hn::Set(d, 7.774909579710597e-05), -0.0005359473295963972, 0.0028726476824456042,
        -0.015811157107084382, 0.07884738569730362, -0.3431081113950742, 1.2997398142448213,
        -4.220540336015519, 11.437640798468149, -24.76170406872375, 39.09281026323939,
        -32.808522077309334, -26.768713588403592, 135.00335710615042, -188.7346475842529,
        51.84579735051466, 207.41946379578468, -269.80106068671444, 17.862655904204416,
        187.22388936302954, -92.13046284049648, -45.78344466528846, 32.86609119273628,
        3.7786909177926375, -2.751128773129169, -0.07429401753597813);
    return hn::MulAdd(logarithm, BesselJ0OfDouble::of_square(d, t), rest);
  }
};

/// Computes Y(1, x) for x <= 25: -infinity at 0, NaN for negative numbers.
struct BesselY1OfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V t = bessel_variable(d, x);
    const V logarithm = bessel_logarithm(d, x);
    const V rest = horner(
        d, t, hn::Set(d, 1.709151079817734e-06), -1.2402662590351818e-05, 7.141982561009094e-05,
        -0.00041888160954885157, 0.0022322046957268336, -0.01048814618943346, 0.04337100931922918,
        -0.1559912746580423, 0.47895043443036284, -1.22217661128688, 2.478577331402815,
        -3.6340553916715117, 2.7494167971423606, 2.430207917991618, -10.43273239012206,
        13.070374867406866, -2.900493743853584, -12.22672589411737, 13.718160430164318,
        -0.5248093322047623, -7.308782116603051, 2.8989986157056906, 1.2152475808463437,
        -0.6298430548471836, -0.053746139115913694, 0.01979262493280308);
    const V sum = hn::MulAdd(logarithm, BesselJ1OfDouble::of_square(d, t), rest);
    const V y = hn::MulSub(x, sum, hn::Div(hn::Set(d, kTwoOverPi), x));
    const V infinity = hn::Set(d, -std::numeric_limits<double>::infinity());
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), infinity, y);
  }
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
