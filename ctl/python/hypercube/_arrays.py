# SPDX-License-Identifier: GPL-2.0
"""Numpy arrays as arguments of the library: types, elements, and memory that it reads or fills."""

import operator

import numpy as np

from ._native import lib
from .names import RECORD_MAX, Oper, Type

_LETTERS = {'u': 'U', 'i': 'I', 'f': 'F'}
_ADVICE = {'b': '; view it as uint8', 'c': '; its parts have one: .real and .imag'}


def number(value, what, least=0, most=0xffffffff):
    """Check that value is an integer from least to most. Returns it as an int."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f'{what} is a number, not {type(value).__name__}') from None
    if not least <= value <= most:
        raise ValueError(f'{what} {value} is not within {least} .. {most}')
    return value


def milliseconds(seconds, what):
    """Convert a time in seconds to whole milliseconds; a time that is not 0 becomes at least 1."""
    if not hasattr(seconds, '__float__') and not hasattr(seconds, '__index__'):
        raise TypeError(f'{what} is in seconds, not {type(seconds).__name__}')
    ms = float(seconds) * 1000
    if not 0 <= ms <= 0x7fffffff:
        raise ValueError(f'{what} of {seconds} s is not within 0 .. {0x7fffffff / 1000}')
    return max(int(ms), 1) if ms else 0


def _native_order(dtype):
    if not dtype.isnative:
        raise TypeError(f'{dtype} is not in the byte order of this machine: .astype({dtype.newbyteorder("=")!r})')


def type_of(dtype):
    """The Type and the width of the elements of a dtype."""
    _native_order(dtype)
    # numpy has no bfloat16; this is the dtype of ml_dtypes, jax and other packages.
    if dtype.name == 'bfloat16' and dtype.itemsize == 2:
        return Type.BF16, 0
    if dtype.kind in 'SV' and dtype.names is None and not dtype.hasobject and dtype.subdtype is None:
        if not 1 <= dtype.itemsize <= RECORD_MAX:
            raise TypeError(f'a record of {dtype.itemsize} bytes: they have 1 .. {RECORD_MAX}')
        return Type.RECORD, dtype.itemsize
    name = f'{_LETTERS.get(dtype.kind, "")}{dtype.itemsize * 8}'
    if name not in Type.__members__:
        raise TypeError(f'there is no type for {dtype}{_ADVICE.get(dtype.kind, "")}: int8 .. int64, uint8 .. uint64, '
                        'float16, bfloat16, float32, float64, S1 .. S256, V1 .. V256')
    return Type[name], 0


def loc_dtype(base):
    """The dtype of elements for minloc and maxloc: the fields "value", of the dtype base, and "index"."""
    base = np.dtype(base)
    kind, _ = type_of(base)
    if kind == Type.RECORD:
        raise TypeError(f'minloc and maxloc are not for {base}')
    return np.dtype({'names': ['value', 'index'], 'formats': [base, np.uint64], 'offsets': [0, 8],
                     'itemsize': 16})


def loc(values, index):
    """Make elements for minloc and maxloc from values and their indices."""
    values = np.asarray(values)
    pairs = np.zeros(values.shape, loc_dtype(values.dtype))
    pairs['value'] = values
    pairs['index'] = index
    return pairs


def _is_loc(dtype):
    return dtype.names == ('value', 'index') and dtype == loc_dtype(dtype['value'])


def element(dtype, oper):
    """The Type and the width with which the library applies the operator to a dtype."""
    if oper in (Oper.MINLOC, Oper.MAXLOC):
        if not _is_loc(dtype):
            raise TypeError(f'{oper.name.lower()} wants elements of loc() or loc_dtype(), not {dtype}')
        return type_of(dtype['value'])
    if dtype.names == ('value', 'index'):
        raise TypeError(f'operator {oper.name.lower()} is not for elements of loc(): minloc or maxloc')
    kind, width = type_of(dtype)
    if lib.hcl_elem_size(oper, kind, width) < 0:
        raise TypeError(f'operator {oper.name.lower()} is not for {dtype}')
    return kind, width


def _array(array, what):
    if not isinstance(array, np.ndarray):
        raise TypeError(f'{what} is to be a numpy array, not {type(array).__name__}')
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f'{what} is a masked array, whose mask would be lost: .filled()')
    if array.dtype.hasobject:
        raise TypeError(f'{what} holds Python objects, of which only addresses would be sent')
    if not array.flags.c_contiguous:
        raise ValueError(f'{what} is not contiguous: numpy.ascontiguousarray()')
    return array


def readable(data, what='data'):
    """The array to send: data itself, or an array of the bytes of a bytes-like object."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        try:
            return np.frombuffer(data, np.uint8)
        except (ValueError, BufferError):
            # numpy refuses an empty buffer, and a memoryview that is not contiguous.
            return np.frombuffer(bytes(data), np.uint8) if len(data) else np.empty(0, np.uint8)
    return _array(data, what)


def writable(out, what='out'):
    """Check that out is an array in which data can be received. Returns out."""
    if not _array(out, what).flags.writeable:
        raise ValueError(f'{what} is read-only')
    return out


def contribution(data, oper):
    """The array to contribute, its Type and width. Elements of loc() are copied, because their padding must be 0."""
    data = _array(data, 'data')
    kind, width = element(data.dtype, oper)
    if oper in (Oper.MINLOC, Oper.MAXLOC) and data.dtype['value'].itemsize < 8:
        data = loc(data['value'], data['index'])
    return data, kind, width


def like(out, data, oper, what='data'):
    """Check that out can hold the result for data: it has the same dtype and size. Returns out."""
    writable(out)
    if out.dtype != data.dtype:
        raise TypeError(f'out has {out.dtype}, data has {data.dtype}')
    if oper != Oper.MERGE and out.size != data.size:
        raise ValueError(f'out has {out.size} elements, {what} has {data.size}')
    return out


def apart(data, out):
    """data, or a copy of it if it may share memory with out, which is filled while data is still sent."""
    return data.copy() if out is not None and np.may_share_memory(data, out) else data


def flat(array):
    """A flat view of the elements. Unlike array.reshape(-1), it is flat for a numpy.matrix, too."""
    return np.asarray(array).reshape(-1)


def filled(out, size):
    """The part of out that the first size bytes fill: out itself, or if it is not full, a flat array."""
    if size >= out.nbytes:
        return out
    if out.itemsize and size % out.itemsize == 0:
        return flat(out)[:size // out.itemsize]
    return flat(out).view(np.uint8)[:size]


def ascending(array):
    """A flat, sorted copy, in the order of the operator merge. Floats are in the total order of IEEE 754."""
    array = flat(array)
    if array.dtype.kind == 'V':
        return np.sort(array.view(f'S{array.itemsize}')).view(array.dtype)
    if array.dtype.kind != 'f':
        return np.sort(array)
    # Floats have a sign and a magnitude, so as integers the negative floats are in reverse order.
    keys = array.view(f'i{array.itemsize}')
    greatest = np.iinfo(keys.dtype).max
    keys = np.sort(np.where(keys < 0, keys ^ greatest, keys))
    return np.where(keys < 0, keys ^ greatest, keys).view(array.dtype)


def address(array):
    """The address of the array's memory, or None."""
    return None if array is None else array.__array_interface__['data'][0]
