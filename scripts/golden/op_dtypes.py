"""Writes tests/data/op_dtypes.json: the dtypes that PyTorch accepts on the CPU, per op of the library.

    python scripts/golden/op_dtypes.py tests/data/op_dtypes.json [--errors]

Each op is named as in src/ops/op_list.inc and calls its counterpart in PyTorch with operands of one dtype; masks,
indices and targets have the dtypes that PyTorch requires. Several calls of one op differ in attributes that restrict
the dtypes, such as the `dtype` of `mean`: the op accepts a dtype if one of the calls does. `--errors` prints the error
of each rejected call. tests/ops/torch_dtypes_test.cpp compares the table with OpInfo::dtypes; the known differences and
the ops without a counterpart are in tests/data/op_dtype_differences.json.
"""
import json
import sys
import warnings

import torch
import torch.nn.functional as F

aten = torch.ops.aten
# In the order of include/taper/core/dtypes.inc.
DTYPES = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "uint16",
          "uint32", "uint64"]

INDEX = torch.tensor([0, 1])
INDEX_2D = torch.zeros(2, 3, dtype=torch.int64)
MASK = torch.tensor([[True, False, True], [False, True, False]])


def ones(t, *shape):
    return torch.ones(shape or (2, 3), dtype=t)


def unary(f):
    return lambda t: f(ones(t))


def binary(f):
    return lambda t: f(ones(t), ones(t))


def images(t, size=4):
    return torch.ones(1, 2, size, size, dtype=t)



def layer_norm_backward(t):
    x = ones(t)
    _, mean, rstd = torch.native_layer_norm(x, [3], None, None, 1e-5)
    return aten.native_layer_norm_backward(x, x, [3], mean, rstd, None, None, [True, False, False])


def group_norm_backward(t):
    x = torch.ones(4, 4, 16, dtype=t)
    _, mean, rstd = torch.native_group_norm(x, None, None, 4, 4, 16, 2, 1e-5)
    return aten.native_group_norm_backward(x, x, mean, rstd, None, 4, 4, 16, 2, [True, False, False])


def batch_norm_backward(t):
    x = images(t)
    wide = torch.float32 if t in (torch.float16, torch.bfloat16) else t
    mean, invstd = ones(wide, 2), ones(wide, 2)
    return aten.native_batch_norm_backward(x, x, None, None, None, mean, invstd, True, 1e-5, [True, False, False])


def max_pool_backward(t):
    indices = torch.zeros(1, 2, 2, 2, dtype=torch.int64)
    return aten.max_pool2d_with_indices_backward(images(t, 2), images(t), [2, 2], [2, 2], [0, 0], [1, 1], False, indices)


def convolution_backward(t, mask):
    return aten.convolution_backward(images(t, 2), images(t), ones(t, 2, 2, 3, 3), None, [1, 1], [0, 0], [1, 1], False,
                                     [0, 0], 1, mask)


def nll_loss_backward(t):
    return aten.nll_loss_backward(ones(t, 1)[0], ones(t), INDEX, None, 1, -100, ones(t, 1)[0])


def nll_loss2d_backward(t):
    return aten.nll_loss2d_backward(ones(t, 1)[0], images(t), torch.zeros(1, 4, 4, dtype=torch.int64), None, 1, -100,
                                    ones(t, 1)[0])


def attention_backward(t):
    x = images(t)
    out, logsumexp = aten._scaled_dot_product_flash_attention_for_cpu(x, x, x)
    return aten._scaled_dot_product_flash_attention_for_cpu_backward(x, x, x, x, out, logsumexp, 0.0, False)


CALLS = {
    "abs": unary(torch.abs),
    "adaptive_avg_pool2d": lambda t: F.adaptive_avg_pool2d(images(t), 2),
    "adaptive_avg_pool2d_backward": lambda t: aten._adaptive_avg_pool2d_backward(images(t, 2), images(t)),
    "adaptive_max_pool2d": lambda t: F.adaptive_max_pool2d(images(t), 2, return_indices=True),
    "add": binary(torch.add),
    "addcdiv": lambda t: torch.addcdiv(ones(t), ones(t), ones(t)),
    "addcmul": lambda t: torch.addcmul(ones(t), ones(t), ones(t)),
    "addmm": lambda t: torch.addmm(ones(t, 2, 2), ones(t), ones(t, 3, 2)),
    "addmv": lambda t: torch.addmv(ones(t, 2), ones(t), ones(t, 3)),
    "all": [unary(torch.all), lambda t: torch.all(ones(t), 0)],
    "amax": unary(torch.amax),
    "amin": unary(torch.amin),
    "any": [unary(torch.any), lambda t: torch.any(ones(t), 0)],
    "argmax": unary(torch.argmax),
    "argmin": unary(torch.argmin),
    "as_strided": lambda t: torch.as_strided(ones(t), [2], [1]),
    "avg_pool2d": lambda t: F.avg_pool2d(images(t), 2),
    "avg_pool2d_backward": lambda t: aten.avg_pool2d_backward(images(t, 2), images(t), [2, 2], [2, 2], [0, 0], False,
                                                              True, None),
    "baddbmm": lambda t: torch.baddbmm(ones(t, 2, 2, 2), ones(t, 2, 2, 3), ones(t, 2, 3, 2)),
    "bernoulli": unary(lambda x: x.bernoulli_(0.5)),
    "bitwise_and": binary(torch.bitwise_and),
    "bitwise_left_shift": binary(torch.bitwise_left_shift),
    "bitwise_not": unary(torch.bitwise_not),
    "bitwise_or": binary(torch.bitwise_or),
    "bitwise_right_shift": binary(torch.bitwise_right_shift),
    "bitwise_xor": binary(torch.bitwise_xor),
    "bmm": lambda t: torch.bmm(ones(t, 2, 2, 3), ones(t, 2, 3, 2)),
    "border_pad": [lambda t: F.pad(ones(t, 1, 3), [1, 1], "circular"), lambda t: F.pad(ones(t, 1, 3), [1, 1], "reflect")],
    "border_pad_backward": lambda t: aten.reflection_pad1d_backward(ones(t, 1, 5), ones(t, 1, 3), [1, 1]),
    "cat": lambda t: torch.cat([ones(t), ones(t)]),
    "cauchy": unary(lambda x: x.cauchy_()),
    "ceil": unary(torch.ceil),
    "clamp": lambda t: torch.clamp(ones(t), 0, 1),
    "clamp_max": lambda t: torch.clamp_max(ones(t), 1),
    "clamp_max_tensor": binary(torch.clamp_max),
    "clamp_min": lambda t: torch.clamp_min(ones(t), 0),
    "clamp_min_tensor": binary(torch.clamp_min),
    "clamp_tensor": [lambda t: torch.clamp(ones(t), ones(t), ones(t)), lambda t: torch.clamp(ones(t), min=ones(t))],
    "clone": unary(torch.clone),
    "col2im": lambda t: aten.col2im(torch.ones(1, 4, 4, dtype=t), [3, 3], [2, 2], [1, 1], [0, 0], [1, 1]),
    "constant_pad_nd": lambda t: F.pad(ones(t), [1, 1]),
    "conv_transpose": lambda t: torch.conv_transpose2d(images(t), ones(t, 2, 2, 3, 3)),
    "convolution": lambda t: torch.conv2d(images(t), ones(t, 2, 2, 3, 3)),
    "convolution_input": lambda t: convolution_backward(t, [True, False, False]),
    "convolution_weight": lambda t: convolution_backward(t, [False, True, True]),
    "copy": binary(lambda x, y: x.copy_(y)),
    "cos": unary(torch.cos),
    "count_nonzero": unary(torch.count_nonzero),
    "cummax": lambda t: torch.cummax(ones(t), 0),
    "cummin": lambda t: torch.cummin(ones(t), 0),
    "cumprod": lambda t: torch.cumprod(ones(t), 0),
    "cumsum": lambda t: torch.cumsum(ones(t), 0),
    "diagonal": unary(torch.diagonal),
    "div": binary(torch.div),
    "div_mode": lambda t: torch.div(ones(t), ones(t), rounding_mode="trunc"),
    "dot": lambda t: torch.dot(ones(t, 3), ones(t, 3)),
    "dropout": lambda t: F.dropout(ones(t), 0.5, True),
    "elu": unary(F.elu),
    "elu_backward": lambda t: aten.elu_backward(ones(t), 1, 1, 1, False, ones(t)),
    "eq": binary(torch.eq),
    "erf": unary(torch.erf),
    "exp": unary(torch.exp),
    "expand": lambda t: ones(t, 1, 3).expand(2, 3),
    "expm1": unary(torch.expm1),
    "exponential": unary(lambda x: x.exponential_()),
    "fill": unary(lambda x: x.fill_(1)),
    "flip": lambda t: torch.flip(ones(t), (0,)),
    "floor": unary(torch.floor),
    "fmod": binary(torch.fmod),
    "gather": lambda t: torch.gather(ones(t), 0, INDEX_2D),
    "ge": binary(torch.ge),
    "gelu": unary(F.gelu),
    "gelu_backward": lambda t: aten.gelu_backward(ones(t), ones(t)),
    "geometric": unary(lambda x: x.geometric_(0.5)),
    "geqrf": lambda t: torch.geqrf(ones(t)),
    "grid_sampler": lambda t: aten.grid_sampler(images(t), torch.zeros(images(t).shape[0], 2, 2, 2, dtype=t), 0, 0, False),
    "grid_sampler_backward": lambda t: aten.grid_sampler_2d_backward(
        torch.ones(*images(t).shape[:2], 2, 2, dtype=t), images(t), torch.zeros(images(t).shape[0], 2, 2, 2, dtype=t), 0, 0,
        False, [True, True]),
    "gt": binary(torch.gt),
    "hardshrink": unary(torch.hardshrink),
    "hardshrink_backward": lambda t: aten.hardshrink_backward(ones(t), ones(t), 0.5),
    "hardswish": unary(F.hardswish),
    "hardswish_backward": binary(aten.hardswish_backward),
    "im2col": lambda t: aten.im2col(torch.ones(1, 1, 3, 3, dtype=t), [2, 2], [1, 1], [0, 0], [1, 1]),
    "index": lambda t: ones(t)[INDEX],
    "index_add": lambda t: torch.index_add(ones(t), 0, INDEX, ones(t)),
    "index_copy": lambda t: torch.index_copy(ones(t), 0, INDEX, ones(t)),
    "index_fill": lambda t: torch.index_fill(ones(t), 0, INDEX, 1),
    "index_fill_tensor": lambda t: torch.index_fill(ones(t), 0, INDEX, ones(t, 1)[0]),
    "index_put": [lambda t: aten.index_put(ones(t), [INDEX], ones(t)),
                  lambda t: aten.index_put(ones(t), [INDEX], ones(t), True)],
    "index_select": lambda t: torch.index_select(ones(t), 0, INDEX),
    "interpolate": lambda t: F.interpolate(torch.ones(1, 1, 3, dtype=t), 2),
    "isfinite": unary(torch.isfinite),
    "isinf": unary(torch.isinf),
    "isnan": unary(torch.isnan),
    "kthvalue": lambda t: torch.kthvalue(ones(t), 2),
    "le": binary(torch.le),
    "leaky_relu": unary(F.leaky_relu),
    "leaky_relu_backward": lambda t: aten.leaky_relu_backward(ones(t), ones(t), 0.01, False),
    "lerp": lambda t: torch.lerp(ones(t), ones(t), 0.5),
    "lerp_tensor": lambda t: torch.lerp(ones(t), ones(t), ones(t)),
    "linalg_cholesky_ex": lambda t: torch.linalg.cholesky_ex(torch.eye(2, dtype=t)),
    "linalg_det": lambda t: torch.linalg.det(ones(t, 2, 2)),
    "linalg_eigh": lambda t: torch.linalg.eigh(ones(t, 2, 2)),
    "linalg_householder_product": lambda t: torch.linalg.householder_product(ones(t, 3, 2), ones(t, 2)),
    "linalg_inv_ex": lambda t: torch.linalg.inv_ex(torch.eye(2, dtype=t)),
    "linalg_ldl_factor_ex": lambda t: torch.linalg.ldl_factor_ex(ones(t, 2, 2)),
    "linalg_ldl_solve": lambda t: torch.linalg.ldl_solve(ones(t, 2, 2), torch.tensor([1, 2]), ones(t, 2, 2)),
    "linalg_lstsq": lambda t: torch.linalg.lstsq(ones(t, 3, 2), ones(t, 3, 2)),
    "linalg_lu_factor_ex": lambda t: torch.linalg.lu_factor_ex(ones(t, 2, 2)),
    "linalg_matrix_exp": lambda t: torch.linalg.matrix_exp(ones(t, 2, 2)),
    "linalg_pinv": lambda t: torch.linalg.pinv(ones(t, 2, 2)),
    "linalg_qr": lambda t: torch.linalg.qr(ones(t, 2, 2)),
    "linalg_slogdet": lambda t: torch.linalg.slogdet(ones(t, 2, 2)),
    "linalg_solve": lambda t: torch.linalg.solve(torch.eye(2, dtype=t), ones(t, 2, 2)),
    "linalg_solve_triangular": lambda t: torch.linalg.solve_triangular(torch.eye(2, dtype=t), ones(t, 2, 2), upper=True),
    "linalg_svd": lambda t: torch.linalg.svd(ones(t, 2, 2)),
    "linalg_vector_norm": unary(torch.linalg.vector_norm),
    "linear": lambda t: F.linear(ones(t), ones(t, 4, 3), ones(t, 4)),
    "log": unary(torch.log),
    "log1p": unary(torch.log1p),
    "log_normal": unary(lambda x: x.log_normal_()),
    "log_softmax": [lambda t: torch.log_softmax(ones(t), 1),
                    lambda t: torch.log_softmax(ones(t), 1, dtype=torch.float32)],
    "log_softmax_backward_data": lambda t: aten._log_softmax_backward_data(ones(t), ones(t), 1, t),
    "logcumsumexp": lambda t: torch.logcumsumexp(ones(t), 0),
    "logical_and": binary(torch.logical_and),
    "logical_not": unary(torch.logical_not),
    "logical_or": binary(torch.logical_or),
    "logical_xor": binary(torch.logical_xor),
    "logsumexp": lambda t: torch.logsumexp(ones(t), 1),
    "lt": binary(torch.lt),
    "masked_fill": lambda t: torch.masked_fill(ones(t), MASK, 1),
    "masked_fill_tensor": lambda t: torch.masked_fill(ones(t), MASK, ones(t, 1)[0]),
    "masked_scatter": lambda t: torch.masked_scatter(ones(t), MASK, ones(t)),
    "masked_select": lambda t: torch.masked_select(ones(t), MASK),
    "max": lambda t: torch.max(ones(t), 0),
    "max_all": unary(torch.max),
    "max_pool2d": lambda t: F.max_pool2d(images(t), 2),
    "max_pool2d_with_indices": lambda t: F.max_pool2d(images(t), 2, return_indices=True),
    "max_pool2d_with_indices_backward": max_pool_backward,
    "maximum": binary(torch.maximum),
    "mean": [lambda t: torch.mean(ones(t), 0), lambda t: torch.mean(ones(t), 0, dtype=torch.float32)],
    "mean_all": [unary(torch.mean), lambda t: torch.mean(ones(t), dtype=torch.float32)],
    "median": lambda t: torch.median(ones(t), 0),
    "median_all": unary(torch.median),
    "min": lambda t: torch.min(ones(t), 0),
    "min_all": unary(torch.min),
    "minimum": binary(torch.minimum),
    "mm": lambda t: torch.mm(ones(t), ones(t, 3, 2)),
    "mode": unary(torch.mode),
    "mul": binary(torch.mul),
    "acos": unary(torch.acos),
    "acosh": unary(torch.acosh),
    "angle": unary(torch.angle),
    "asin": unary(torch.asin),
    "asinh": unary(torch.asinh),
    "atan": unary(torch.atan),
    "atan2": binary(torch.atan2),
    "atanh": unary(torch.atanh),
    "celu": unary(F.celu),
    "copysign": binary(torch.copysign),
    "cosh": unary(torch.cosh),
    "deg2rad": unary(torch.deg2rad),
    "digamma": unary(torch.digamma),
    "erfc": unary(torch.erfc),
    "erfinv": unary(torch.erfinv),
    "exp2": unary(torch.exp2),
    "fmax": binary(torch.fmax),
    "fmin": binary(torch.fmin),
    "frac": unary(torch.frac),
    "frexp": unary(torch.frexp),
    "gcd": binary(torch.gcd),
    "glu": lambda t: F.glu(ones(t), 0),
    "hardsigmoid": unary(F.hardsigmoid),
    "hardsigmoid_backward": binary(aten.hardsigmoid_backward),
    "heaviside": binary(torch.heaviside),
    "hypot": binary(torch.hypot),
    "isneginf": unary(torch.isneginf),
    "isposinf": unary(torch.isposinf),
    "isreal": unary(torch.isreal),
    "lcm": binary(torch.lcm),
    "lgamma": unary(torch.lgamma),
    "log10": unary(torch.log10),
    "log2": unary(torch.log2),
    "log_sigmoid": unary(F.logsigmoid),
    "log_sigmoid_backward": lambda t: aten.log_sigmoid_backward(ones(t), ones(t), ones(t)),
    "logaddexp": binary(torch.logaddexp),
    "logaddexp2": binary(torch.logaddexp2),
    "logit": unary(torch.logit),
    "mish": unary(F.mish),
    "mish_backward": binary(aten.mish_backward),
    "nan_to_num": unary(torch.nan_to_num),
    "nextafter": binary(torch.nextafter),
    "polygamma": lambda t: torch.polygamma(1, ones(t)),
    "prelu_kernel": lambda t: F.prelu(ones(t), ones(t, 1)),
    "rad2deg": unary(torch.rad2deg),
    "round_decimals": lambda t: torch.round(ones(t), decimals=1),
    "sgn": unary(torch.sgn),
    "signbit": unary(torch.signbit),
    "silu": unary(F.silu),
    "silu_backward": binary(aten.silu_backward),
    "sinc": unary(torch.sinc),
    "sinh": unary(torch.sinh),
    "softplus": unary(F.softplus),
    "softplus_backward": lambda t: aten.softplus_backward(ones(t), ones(t), 1, 20),
    "xlogy": binary(torch.xlogy),
    "i0": unary(torch.i0),
    "igamma": binary(torch.igamma),
    "igammac": binary(torch.igammac),
    "special_airy_ai": unary(torch.special.airy_ai),
    "special_bessel_j0": unary(torch.special.bessel_j0),
    "special_bessel_j1": unary(torch.special.bessel_j1),
    "special_bessel_y0": unary(torch.special.bessel_y0),
    "special_bessel_y1": unary(torch.special.bessel_y1),
    "special_chebyshev_polynomial_t": binary(torch.special.chebyshev_polynomial_t),
    "special_chebyshev_polynomial_u": binary(torch.special.chebyshev_polynomial_u),
    "special_chebyshev_polynomial_v": binary(torch.special.chebyshev_polynomial_v),
    "special_chebyshev_polynomial_w": binary(torch.special.chebyshev_polynomial_w),
    "special_entr": unary(torch.special.entr),
    "special_erfcx": unary(torch.special.erfcx),
    "special_hermite_polynomial_h": binary(torch.special.hermite_polynomial_h),
    "special_hermite_polynomial_he": binary(torch.special.hermite_polynomial_he),
    "special_i0e": unary(torch.special.i0e),
    "special_i1": unary(torch.special.i1),
    "special_i1e": unary(torch.special.i1e),
    "special_laguerre_polynomial_l": binary(torch.special.laguerre_polynomial_l),
    "special_legendre_polynomial_p": binary(torch.special.legendre_polynomial_p),
    "special_log_ndtr": unary(torch.special.log_ndtr),
    "special_modified_bessel_i0": unary(torch.special.modified_bessel_i0),
    "special_modified_bessel_i1": unary(torch.special.modified_bessel_i1),
    "special_modified_bessel_k0": unary(torch.special.modified_bessel_k0),
    "special_modified_bessel_k1": unary(torch.special.modified_bessel_k1),
    "special_ndtr": unary(torch.special.ndtr),
    "special_ndtri": unary(torch.special.ndtri),
    "special_scaled_modified_bessel_k0": unary(torch.special.scaled_modified_bessel_k0),
    "special_scaled_modified_bessel_k1": unary(torch.special.scaled_modified_bessel_k1),
    "special_shifted_chebyshev_polynomial_t": binary(torch.special.shifted_chebyshev_polynomial_t),
    "special_shifted_chebyshev_polynomial_u": binary(torch.special.shifted_chebyshev_polynomial_u),
    "special_shifted_chebyshev_polynomial_v": binary(torch.special.shifted_chebyshev_polynomial_v),
    "special_shifted_chebyshev_polynomial_w": binary(torch.special.shifted_chebyshev_polynomial_w),
    "special_spherical_bessel_j0": unary(torch.special.spherical_bessel_j0),
    "special_xlog1py": binary(torch.special.xlog1py),
    "special_zeta": binary(torch.special.zeta),
    "multinomial": lambda t: torch.multinomial(ones(t), 1),
    "mv": lambda t: torch.mv(ones(t), ones(t, 3)),
    "nansum": [unary(torch.nansum), lambda t: torch.nansum(ones(t), 0)],
    "embedding": lambda t: torch.embedding(ones(t), INDEX),
    "embedding_bag": lambda t: torch.embedding_bag(ones(t), INDEX, torch.tensor([0])),
    "embedding_dense_backward": lambda t: aten.embedding_dense_backward(ones(t), INDEX, 3, -1, False),
    "embedding_renorm": lambda t: torch.embedding_renorm_(ones(t), INDEX, 1.0, 2.0),
    "native_layer_norm": lambda t: torch.native_layer_norm(ones(t), [3], None, None, 1e-5),
    "native_layer_norm_backward": layer_norm_backward,
    "native_group_norm": lambda t: torch.native_group_norm(torch.ones(4, 4, 16, dtype=t), None, None, 4, 4, 16, 2, 1e-5),
    "native_group_norm_backward": group_norm_backward,
    "rms_norm": lambda t: F.rms_norm(ones(t), (3,)),
    "native_batch_norm": lambda t: torch.native_batch_norm(images(t), None, None, None, None, True, 0.1, 1e-5),
    "native_batch_norm_backward": batch_norm_backward,
    "ne": binary(torch.ne),
    "neg": unary(torch.neg),
    "dirichlet_grad": lambda t: torch._dirichlet_grad(ones(t) / 2, ones(t), ones(t) * 3),
    "sample_dirichlet": unary(torch._sample_dirichlet),
    "standard_gamma": unary(torch._standard_gamma),
    "standard_gamma_grad": lambda t: aten._standard_gamma_grad(ones(t), ones(t)),
    "binomial": binary(torch.binomial),
    "binary_cross_entropy": lambda t: F.binary_cross_entropy(ones(t), ones(t)),
    "binary_cross_entropy_backward": lambda t: aten.binary_cross_entropy_backward(ones(t), ones(t), ones(t)),
    "binary_cross_entropy_with_logits": lambda t: F.binary_cross_entropy_with_logits(ones(t), ones(t)),
    "cross_entropy_loss": lambda t: aten.cross_entropy_loss(ones(t), INDEX),
    "huber_loss": lambda t: F.huber_loss(ones(t), ones(t)),
    "huber_loss_backward": lambda t: aten.huber_loss_backward(ones(t), ones(t), ones(t), 1, 1.0),
    "linalg_cross": lambda t: torch.linalg.cross(ones(t), ones(t)),
    "smooth_l1_loss": lambda t: F.smooth_l1_loss(ones(t), ones(t)),
    "smooth_l1_loss_backward": lambda t: aten.smooth_l1_loss_backward(ones(t), ones(t), ones(t), 1, 1.0),
    "ctc_loss": lambda t: aten._ctc_loss(ones(t, 4, 2, 3), INDEX_2D[:, :2] + 1, INDEX + 3, INDEX),
    "ctc_loss_backward": lambda t: aten._ctc_loss_backward(ones(t, 2), ones(t, 4, 2, 3), INDEX_2D[:, :2] + 1, INDEX + 3, INDEX, ones(t, 2),
                                                           ones(t, 2, 4, 5), 0),
    "multilabel_margin_loss": lambda t: F.multilabel_margin_loss(ones(t), INDEX_2D),
    "nll_loss": lambda t: F.nll_loss(ones(t), INDEX),
    "nll_loss2d": lambda t: F.nll_loss(images(t), torch.zeros(1, 4, 4, dtype=torch.int64)),
    "nll_loss2d_backward": nll_loss2d_backward,
    "nll_loss_backward": nll_loss_backward,
    "nonzero_static": lambda t: torch.nonzero_static(ones(t), size=2),
    "normal": unary(lambda x: x.normal_()),
    "permute": lambda t: torch.permute(ones(t), (1, 0)),
    "poisson": unary(torch.poisson),
    "pow": [lambda t: torch.pow(ones(t), 2), lambda t: torch.pow(ones(t), 2.5)],
    "pow_number": [lambda t: torch.pow(2, ones(t)), lambda t: torch.pow(2.5, ones(t))],
    "pow_tensor": binary(torch.pow),
    "prod": lambda t: torch.prod(ones(t), 0),
    "prod_all": unary(torch.prod),
    "random": [unary(lambda x: x.random_()), unary(lambda x: x.random_(0, 2))],
    "reciprocal": unary(torch.reciprocal),
    "relu": unary(torch.relu),
    "remainder": binary(torch.remainder),
    "round": unary(torch.round),
    "rrelu_with_noise": [lambda t: aten.rrelu_with_noise(ones(t), ones(t), 0.125, 0.25, True),
                         lambda t: aten.rrelu_with_noise(ones(t), ones(t), 0.125, 0.25, False)],
    "rsqrt": unary(torch.rsqrt),
    "rsub": binary(torch.rsub),
    "scaled_dot_product_attention": lambda t: F.scaled_dot_product_attention(images(t), images(t), images(t)),
    "scaled_dot_product_attention_backward": attention_backward,
    "scatter": lambda t: torch.scatter(ones(t), 0, INDEX_2D, ones(t)),
    "scatter_add": lambda t: torch.scatter_add(ones(t), 0, INDEX_2D, ones(t)),
    "scatter_reduce": lambda t: torch.scatter_reduce(ones(t), 0, INDEX_2D, ones(t), "amax"),
    "scatter_value": lambda t: torch.scatter(ones(t), 0, INDEX_2D, 1),
    "searchsorted": lambda t: torch.searchsorted(ones(t, 3), ones(t)),
    "select": lambda t: torch.select(ones(t), 0, 1),
    "sigmoid": unary(torch.sigmoid),
    "sigmoid_backward": binary(aten.sigmoid_backward),
    "sign": unary(torch.sign),
    "sin": unary(torch.sin),
    "slice": lambda t: ones(t)[:1],
    "softmax": [lambda t: torch.softmax(ones(t), 1), lambda t: torch.softmax(ones(t), 1, dtype=torch.float32)],
    "softmax_backward_data": lambda t: aten._softmax_backward_data(ones(t), ones(t), 1, t),
    "softshrink": unary(F.softshrink),
    "softshrink_backward": lambda t: aten.softshrink_backward(ones(t), ones(t), 0.5),
    "sort": unary(torch.sort),
    "sqrt": unary(torch.sqrt),
    "squeeze": unary(torch.squeeze),
    "stack": lambda t: torch.stack([ones(t), ones(t)]),
    "std": unary(torch.std),
    "std_mean": unary(torch.std_mean),
    "sub": binary(torch.sub),
    "sum": lambda t: torch.sum(ones(t), 0),
    "sum_all": unary(torch.sum),
    "t": unary(torch.t),
    "tan": unary(torch.tan),
    "tanh": unary(torch.tanh),
    "tanh_backward": binary(aten.tanh_backward),
    "threshold": lambda t: F.threshold(ones(t), 0, 1),
    "threshold_backward": lambda t: aten.threshold_backward(ones(t), ones(t), 0),
    "to_copy": [lambda t: aten._to_copy(ones(t), dtype=torch.float64), lambda t: aten._to_copy(ones(t), dtype=t)],
    "topk": lambda t: torch.topk(ones(t), 2),
    "transpose": lambda t: torch.transpose(ones(t), 0, 1),
    "tril": unary(torch.tril),
    "triu": unary(torch.triu),
    "trunc": unary(torch.trunc),
    "trunc_normal": unary(torch.nn.init.trunc_normal_),
    "unfold": lambda t: ones(t).unfold(0, 1, 1),
    "uniform": unary(lambda x: x.uniform_()),
    "unsafe_view": lambda t: aten._unsafe_view(ones(t), [6]),
    "unsqueeze": lambda t: torch.unsqueeze(ones(t), 0),
    "var": unary(torch.var),
    "var_mean": unary(torch.var_mean),
    "view": lambda t: ones(t).view(6),
    "where": lambda t: torch.where(MASK, ones(t), ones(t)),
}


def main(path, show_errors):
    warnings.simplefilter("ignore")
    rows = []
    for op, calls in CALLS.items():
        calls = calls if isinstance(calls, list) else [calls]
        accepted = []
        for name in DTYPES:
            errors = []
            for call in calls:
                try:
                    call(getattr(torch, name))
                except (RuntimeError, NotImplementedError, TypeError, ValueError) as e:
                    errors.append(str(e).splitlines()[0])
            if len(errors) < len(calls):
                accepted.append(name)
            elif show_errors:
                print(f"{op}: {name}: {errors[0]}", file=sys.stderr)
        if not accepted:
            sys.exit(f"{op}: no dtype is accepted; correct the call")
        rows.append(f"{json.dumps(op)}: {json.dumps(accepted)}")
    with open(path, "w") as file:
        file.write('{"torch": "%s", "ops": {\n%s\n}}\n' % (torch.__version__.split("+")[0], ",\n".join(rows)))


main(sys.argv[1], "--errors" in sys.argv[2:])
