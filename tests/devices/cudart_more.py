#!/usr/bin/env python3
"""usage: cudart_more.py LIBCUDART.so.VERSION

What devices, kernels and addresses are; pools, peers, arrays, textures, boxes and libraries."""
import ctypes
import os
import sys
import threading
from ctypes import byref, c_char, c_char_p, c_float, c_int, c_size_t, c_ubyte, c_uint, c_uint32, c_uint64, c_void_p

os.environ["HEXEC_DEVICES"] = "2"

from cudart_calls import (ADD, Dim3, Extent, HEAD, INVALID_DEVICE, INVALID_FUNCTION, INVALID_HANDLE, INVALID_VALUE, ON_DEVICE, Pitched, Program,  # noqa: E402
                          TO_DEVICE, TO_HOST, call, cudart, kernel, last, numbers, out, put, read, values)

IS_12 = sys.argv[1].endswith(".12")
PTX = HEAD + b"""
.visible .global .align 4 .u32 start = 40;
.visible .global .attribute(.managed) .align 8 .b8 shared_with_host[24];
""" + ADD + b"""
.visible .entry limited(.param .u64 out, .param .u32 a, .param .align 8 .b8 c[24]) .reqntid 96 {
    .reg .u64 %a; .shared .align 16 .b8 room[4096]; .local .align 8 .b8 own[64];
    mov.u64 %a, room; mov.u64 %a, own; ret;
}
""" + kernel(
    "fetch", ", .param .u64 texture",
    "ld.param.u64 %a2, [texture]; and.b32 %r0, %t, 3; shr.u32 %r1, %t, 2; cvt.rn.f32.u32 %f0, %r0; cvt.rn.f32.u32 %f1, %r1;"
    " add.f32 %f0, %f0, 0f3F000000; add.f32 %f1, %f1, 0f3F000000; tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%a2, {%f0, %f1}]; st.global.u32 [%a0], %r2;"
) + kernel("paint", ", .param .u64 surface",
           "ld.param.u64 %a2, [surface]; and.b32 %r0, %t, 3; shl.b32 %r0, %r0, 2; shr.u32 %r1, %t, 2; add.u32 %r2, %t, 100;"
           " sust.b.2d.b32.trap [%a2, {%r0, %r1}], {%r2};")


class Properties(ctypes.Structure):
    """cudaDeviceProp: CUDA 13 has no fields any more whose names end with _12."""
    _fields_ = [(name, kind) for name, kind in (
        ("name", c_char * 256), ("uuid", c_ubyte * 16), ("luid", c_char * 8), ("luid_mask", c_uint), ("memory", c_size_t), ("shared", c_size_t),
        ("registers", c_int), ("warp", c_int), ("pitch", c_size_t), ("threads", c_int), ("block", c_int * 3), ("grid", c_int * 3), ("clock_12", c_int),
        ("constants", c_size_t), ("major", c_int), ("minor", c_int), ("texture", c_size_t), ("texture_pitch", c_size_t), ("overlap_12", c_int),
        ("multiprocessors", c_int), ("limit_12", c_int), ("integrated", c_int), ("maps_host", c_int), ("mode_12", c_int), ("line", c_int),
        ("line_mipmap", c_int), ("linear_12", c_int), ("flat", c_int * 2), ("flat_more", c_int * 7), ("box", c_int * 3), ("box_other", c_int * 3),
        ("layers", c_int * 8), ("surfaces", c_int * 14), ("surface", c_size_t), ("concurrent", c_int), ("ecc", c_int), ("bus", c_int), ("number", c_int),
        ("domain", c_int), ("tcc", c_int), ("engines", c_int), ("unified", c_int), ("memory_clock_12", c_int), ("bus_width", c_int), ("cache", c_int),
        ("persisting", c_int), ("threads_of_multiprocessor", c_int), ("priorities", c_int), ("global_cache", c_int), ("local_cache", c_int),
        ("shared_of_multiprocessor", c_size_t), ("registers_of_multiprocessor", c_int), ("managed", c_int), ("board", c_int * 2), ("host_atomics", c_int),
        ("ratio_12", c_int), ("pageable", c_int), ("concurrent_managed", c_int), ("preemption", c_int), ("host_pointer", c_int), ("cooperative", c_int),
        ("several_12", c_int), ("shared_most", c_size_t), ("tables", c_int), ("direct", c_int), ("blocks", c_int), ("window", c_int),
        ("shared_reserved", c_size_t), ("registers_host", c_int), ("sparse", c_int), ("read_only", c_int), ("timeline", c_int), ("pools", c_int),
        ("rdma", c_int * 3), ("handles", c_uint), ("deferred", c_int), ("events", c_int), ("clusters", c_int), ("functions", c_int),
        ("rest", c_int * 63)) if IS_12 or not name.endswith("_12")]


class Attributes(ctypes.Structure):
    """cudaFuncAttributes"""
    _fields_ = [("shared", c_size_t), ("constant", c_size_t), ("local", c_size_t), ("threads", c_int), ("registers", c_int), ("ptx", c_int),
                ("binary", c_int), ("caches", c_int), ("dynamic", c_int), ("carveout", c_int), ("more", c_int * 22)]


class Pointer(ctypes.Structure):
    """cudaPointerAttributes, and room for what is reserved in CUDA 13"""
    _fields_ = [("type", c_int), ("device", c_int), ("on_device", c_void_p), ("on_host", c_void_p), ("reserved", c_uint64 * 8)]


class Format(ctypes.Structure):
    """cudaChannelFormatDesc"""
    _fields_ = [("x", c_int), ("y", c_int), ("z", c_int), ("w", c_int), ("kind", c_int)]


class Resource(ctypes.Structure):
    """cudaResourceDesc of an array, with the room that CUDA 13 has"""
    _fields_ = [("type", c_int), ("array", c_void_p), ("room", c_uint64 * 20)]


class Texture(ctypes.Structure):
    """cudaTextureDesc"""
    _fields_ = [("address", c_int * 3), ("filter", c_int), ("read", c_int), ("srgb", c_int), ("border", c_float * 4), ("normalized", c_int),
                ("anisotropy", c_uint), ("levels", c_int), ("bias", c_float), ("least", c_float), ("most", c_float), ("other", c_int * 2)]


class Box(ctypes.Structure):
    """cudaMemcpy3DParms"""
    _fields_ = [("from_array", c_void_p), ("from_at", c_size_t * 3), ("origin", Pitched), ("to_array", c_void_p), ("to_at", c_size_t * 3),
                ("to", Pitched), ("extent", Extent), ("kind", c_int)]


def attribute(number, device=0):
    return out(c_int, "cudaDeviceGetAttribute", number, device).value


def test_properties():
    room = (c_ubyte * 2048)(*[0xA5] * 2048)
    call("cudaGetDeviceProperties_v2" if IS_12 else "cudaGetDeviceProperties", room, 0)
    size = 1032 if IS_12 else 1008
    assert ctypes.sizeof(Properties) == size and bytes(room[size:]) == b"\xA5" * (2048 - size)
    found, whole = Properties.from_buffer(room), c_size_t()
    call("cudaMemGetInfo", byref(c_size_t()), byref(whole))
    assert found.name and found.memory == whole.value and any(found.uuid)
    assert (found.warp, found.threads, list(found.block), list(found.grid)) == (32, 1024, [1024, 1024, 64], [(1 << 31) - 1, 65535, 65535])
    for field, number in (("shared", 8), ("constants", 9), ("registers", 12), ("multiprocessors", 16), ("integrated", 18), ("maps_host", 19), ("line", 21),
                          ("concurrent", 31), ("ecc", 32), ("bus", 33), ("number", 34), ("domain", 50), ("bus_width", 37), ("cache", 38),
                          ("threads_of_multiprocessor", 39), ("engines", 40), ("unified", 41), ("texture", 14), ("texture_pitch", 51), ("major", 75),
                          ("minor", 76), ("priorities", 78), ("shared_of_multiprocessor", 81), ("registers_of_multiprocessor", 82), ("managed", 83),
                          ("host_atomics", 86), ("pageable", 88), ("concurrent_managed", 89), ("preemption", 90), ("cooperative", 95),
                          ("shared_most", 97), ("tables", 100), ("direct", 101), ("blocks", 106), ("shared_reserved", 111), ("pools", 115),
                          ("clusters", 120)) + ((("clock_12", 13), ("mode_12", 20), ("memory_clock_12", 36), ("linear_12", 69),
                                                 ("several_12", 96)) if IS_12 else ()):
        assert getattr(found, field) == attribute(number), field
    assert list(found.flat) == [attribute(22), attribute(23)] and list(found.box) == [attribute(24), attribute(25), attribute(26)]
    assert found.constants == 65536 and found.unified == 1 and found.managed == 1
    if IS_12:  # what was built with CUDA 11 has no room for more
        room[:] = [0xA5] * 2048
        call("cudaGetDeviceProperties", room, 0)
        assert bytes(room[728:]) == b"\xA5" * (2048 - 728) and Properties.from_buffer(room).warp == 32
    call("cudaGetDeviceProperties", room, 2, want=INVALID_DEVICE)
    last(INVALID_DEVICE)


def test_devices():
    assert out(c_int, "cudaGetDeviceCount").value == 2 and out(c_int, "cudaGetDevice").value == 0
    version = out(c_int, "cudaRuntimeGetVersion").value
    assert version // 1000 == (12 if IS_12 else 13) and out(c_int, "cudaDriverGetVersion").value >= version
    call("cudaDeviceGetAttribute", byref(c_int()), 100000, 0, want=INVALID_VALUE)
    call("cudaDeviceGetAttribute", byref(c_int()), 1, 2, want=INVALID_DEVICE)
    for device in (2, -1):
        call("cudaSetDevice", device, want=INVALID_DEVICE)
    last(INVALID_DEVICE)
    names = set()
    for device in (0, 1):
        text = ctypes.create_string_buffer(32)
        call("cudaDeviceGetPCIBusId", text, 32, device)
        assert out(c_int, "cudaDeviceGetByPCIBusId", text).value == device
        names.add(text.value)
    assert len(names) == 2
    wanted = Properties(major=attribute(75), minor=attribute(76))
    assert out(c_int, "cudaChooseDevice", byref(wanted)).value in (0, 1)
    least, greatest = c_int(9), c_int(9)
    call("cudaDeviceGetStreamPriorityRange", byref(least), byref(greatest))
    assert greatest.value <= least.value == 0
    call("cudaDeviceSetLimit", 2, 4 << 20)  # the heap of kernels
    assert out(c_size_t, "cudaDeviceGetLimit", 2).value >= 4 << 20
    call("cudaDeviceGetLimit", byref(c_size_t()), 77, want=215)
    last(215)


def test_threads():
    """Each has a device of its own, the first at the start."""
    found = []

    def choose():
        found.append(out(c_int, "cudaGetDevice").value)
        call("cudaSetDevice", 1)
        stream = out(c_void_p, "cudaStreamCreate")
        call("cudaStreamDestroy", stream)
        found.append(out(c_int, "cudaGetDevice").value)

    threads = [threading.Thread(target=choose) for _ in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    assert found == [0, 1, 0, 1] and out(c_int, "cudaGetDevice").value == 0


def test_peers(used):
    """Each device has memory of its own, which the other reaches."""
    assert [[out(c_int, "cudaDeviceCanAccessPeer", one, other).value for other in (0, 1)] for one in (0, 1)] == [[0, 1], [1, 0]]
    call("cudaDeviceDisablePeerAccess", 1, want=705)
    call("cudaDeviceEnablePeerAccess", 1, 0)
    call("cudaDeviceEnablePeerAccess", 1, 0, want=704)
    last(704)
    for peer, flags, want in ((0, 0, INVALID_DEVICE), (2, 0, INVALID_DEVICE), (1, 1, INVALID_VALUE)):
        call("cudaDeviceEnablePeerAccess", peer, flags, want=want)
        last(want)
    first = out(c_void_p, "cudaMalloc", 128)
    call("cudaSetDevice", 1)
    second = out(c_void_p, "cudaMalloc", 128)
    put(second, *range(32))
    assert out(Pointer, "cudaPointerGetAttributes", second).device == 1 and out(Pointer, "cudaPointerGetAttributes", first).device == 0
    used.launch("add", second, c_uint32(10))
    call("cudaMemcpyPeer", first, 0, second, 1, 128)
    call("cudaMemcpyPeer", first, 0, second, 2, 128, want=INVALID_DEVICE)
    call("cudaMemcpyPeerAsync", first, -1, second, 1, 128, None, want=INVALID_DEVICE)
    last(INVALID_DEVICE)
    call("cudaSetDevice", 0)
    assert read(first, 3) == [10, 11, 12]
    used.launch("add", second, c_uint32(1))
    assert read(second, 2) == [11, 12]
    call("cudaDeviceDisablePeerAccess", 1)
    for memory in (first, second):
        call("cudaFree", memory)


def test_kernels(used):
    found = Attributes()
    call("cudaFuncGetAttributes", byref(found), used["limited"])
    assert (found.shared, found.threads) == (4096, 96) and found.local >= 64 and found.registers > 0
    assert found.dynamic == attribute(8) - 4096
    call("cudaFuncGetAttributes", byref(found), used["add"])
    assert (found.shared, found.threads) == (0, 1024)
    call("cudaFuncSetAttribute", used["add"], 8, attribute(97))
    call("cudaFuncGetAttributes", byref(found), used["add"])
    assert found.dynamic == attribute(97)
    call("cudaFuncSetAttribute", used["add"], 8, attribute(97) + 1, want=INVALID_VALUE)
    call("cudaFuncSetAttribute", used["add"], 0, 1, want=INVALID_VALUE)
    call("cudaFuncGetAttributes", byref(found), used["start"], want=INVALID_FUNCTION)
    last(INVALID_FUNCTION)
    assert out(c_char_p, "cudaFuncGetName", used["limited"]).value == b"limited"
    places = []
    for index in range(3):
        offset, size = c_size_t(), c_size_t()
        call("cudaFuncGetParamInfo", used["limited"], index, byref(offset), byref(size))
        places.append((offset.value, size.value))
    assert places == [(0, 8), (8, 4), (16, 24)], places
    call("cudaFuncGetParamInfo", used["limited"], 3, byref(c_size_t()), byref(c_size_t()), want=INVALID_VALUE)
    call("cudaLaunchKernel", used["limited"], Dim3(1), Dim3(97), values(c_uint64(), c_uint32(), (c_ubyte * 24)()), 0, None, want=INVALID_VALUE)
    last(INVALID_VALUE)
    for block in (32, 96):
        blocks = out(c_int, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", used["limited"], block, 0).value
        assert 1 <= blocks <= attribute(106) and blocks * block <= attribute(39) and blocks * 4096 <= attribute(81)
        assert out(c_int, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", used["limited"], block, 0, 0).value == blocks
    assert out(c_int, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", used["add"], 1024, 0).value == attribute(39) // 1024
    call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", byref(c_int()), used["add"], 0, 0, want=INVALID_VALUE)


def test_pointers(used):
    """Type, device, and the addresses by which the device and the host reach it."""
    device, managed, host = out(c_void_p, "cudaMalloc", 64), out(c_void_p, "cudaMallocManaged", 64, 1), out(c_void_p, "cudaHostAlloc", 64, 0)
    plain = ctypes.create_string_buffer(64)
    for address, want in ((device.value, (2, 0, device.value, None)), (device.value + 8, (2, 0, device.value + 8, None)),
                          (managed.value, (3, 0, managed.value, managed.value)), (used.managed("shared_with_host").value, (3, 0, ) + (used.managed(
                              "shared_with_host").value, ) * 2)):
        found = Pointer()
        call("cudaPointerGetAttributes", byref(found), c_void_p(address))
        assert (found.type, found.device, found.on_device, found.on_host) == want, want
    found = out(Pointer, "cudaPointerGetAttributes", host)
    assert (found.type, found.on_host) == (1, host.value) and found.on_device == out(c_void_p, "cudaHostGetDevicePointer", host, 0).value
    found = out(Pointer, "cudaPointerGetAttributes", plain)
    assert (found.type, found.device, found.on_host) == (0, -2, ctypes.addressof(plain))
    call("cudaPointerGetAttributes", None, device, want=INVALID_VALUE)
    call("cudaFreeHost", host)
    for memory in (device, managed):
        call("cudaFree", memory)


def test_pools(used):
    pool, stream = out(c_void_p, "cudaDeviceGetDefaultMemPool", 0), out(c_void_p, "cudaStreamCreate")
    assert out(c_void_p, "cudaDeviceGetMemPool", 0).value == pool.value
    memory = out(c_void_p, "cudaMallocAsync", 128, stream)
    call("cudaMemsetAsync", memory, 0, 128, stream)
    used.launch("add", memory, c_uint32(6), stream=stream)
    host = numbers(*[0] * 32)
    call("cudaMemcpyAsync", host, memory, 128, TO_HOST, stream)
    call("cudaFreeAsync", memory, stream)
    call("cudaStreamSynchronize", stream)
    assert list(host) == [6] * 32
    used_bytes = c_uint64(1)
    call("cudaMemPoolGetAttribute", pool, 7, byref(used_bytes))
    assert used_bytes.value == 0
    threshold = c_uint64(1 << 20)
    call("cudaMemPoolSetAttribute", pool, 4, byref(threshold))
    threshold.value = 0
    call("cudaMemPoolGetAttribute", pool, 4, byref(threshold))
    assert threshold.value == 1 << 20
    call("cudaMemPoolGetAttribute", pool, 99, byref(threshold), want=INVALID_VALUE)
    properties = (c_int * 22)(1, 0, 1, 0)  # pinned, no handles, a device, its number
    own = out(c_void_p, "cudaMemPoolCreate", properties)
    memory = out(c_void_p, "cudaMallocFromPoolAsync", 64, own, stream)
    call("cudaMemset", memory, 0, 64)
    call("cudaFreeAsync", memory, stream)
    call("cudaStreamSynchronize", stream)
    call("cudaMemPoolTrimTo", own, 0)
    call("cudaMemPoolDestroy", own)
    call("cudaFreeAsync", c_void_p(64), stream, want=INVALID_VALUE)
    last(INVALID_VALUE)
    call("cudaStreamDestroy", stream)


def test_boxes():
    """A box of 8 bytes by 2 rows by 2 planes, at (4, 1, 0) of a larger one; rows alike."""
    large = Pitched()
    call("cudaMalloc3D", byref(large), Extent(16, 4, 2))
    call("cudaMemset3D", large, 0, Extent(16, 4, 2))
    host = numbers(*range(1, 9))
    box = Box(origin=Pitched(ctypes.addressof(host), 8, 8, 2), to=large, to_at=(c_size_t * 3)(4, 1, 0), extent=Extent(8, 2, 2), kind=TO_DEVICE)
    call("cudaMemcpy3D", byref(box))
    rows, row = read(c_void_p(large.address), large.pitch * 8 // 4), large.pitch // 4
    rows = [rows[y * row:y * row + 4] for y in range(8)]
    assert rows == [[0] * 4, [0, 1, 2, 0], [0, 3, 4, 0], [0] * 4, [0] * 4, [0, 5, 6, 0], [0, 7, 8, 0], [0] * 4], rows
    result = numbers(*[9] * 6)
    call("cudaMemcpy2D", result, 12, c_void_p(large.address + large.pitch + 4), large.pitch, 8, 2, TO_HOST)
    assert list(result) == [1, 2, 9, 3, 4, 9]
    call("cudaMemcpy2DAsync", c_void_p(large.address), large.pitch, result, 12, 4, 2, TO_DEVICE, None)
    assert read(c_void_p(large.address), 2) == [1, 0]
    call("cudaMemcpy2D", result, 4, c_void_p(large.address), large.pitch, 8, 2, TO_HOST, want=12)
    call("cudaMemcpy2D", result, 12, c_void_p(large.address), large.pitch, 8, 2, 9, want=21)
    last(21)
    call("cudaMemcpy2D", result, 12, c_void_p(large.address), large.pitch, 8, 0, TO_HOST)
    call("cudaMemcpy3D", byref(Box(origin=box.origin, extent=box.extent, kind=TO_DEVICE)), want=INVALID_VALUE)
    last(INVALID_VALUE)
    ends = {"device": c_void_p(large.address), "host": result, "nothing": None}  # a kind must fit the addresses
    for to, origin, kind in (("device", "device", TO_DEVICE), ("device", "device", TO_HOST), ("device", "host", ON_DEVICE), ("host", "device", TO_DEVICE),
                             ("device", "host", TO_HOST), ("host", "device", 0), ("nothing", "device", TO_HOST), ("device", "nothing", TO_DEVICE)):
        call("cudaMemcpy2D", ends[to], 8, ends[origin], 8, 8, 2, kind, want=INVALID_VALUE)
    call("cudaMemcpy3D", byref(Box(origin=large, to=large, extent=Extent(8, 2, 2), kind=TO_DEVICE)), want=INVALID_VALUE)
    last(INVALID_VALUE)
    call("cudaFree", c_void_p(large.address))


def test_arrays(used):
    """Textures and surfaces of one; a copy to a part of it."""
    Program.function("cudaCreateChannelDesc", Format)
    of = cudart.cudaCreateChannelDesc(32, 0, 0, 0, 1)
    assert (of.x, of.y, of.kind) == (32, 0, 1)
    array, memory = out(c_void_p, "cudaMallocArray", byref(of), 4, 2, 2), out(c_void_p, "cudaMalloc", 32)
    found, extent, flags = Format(), Extent(), c_uint()
    call("cudaArrayGetInfo", byref(found), byref(extent), byref(flags), array)
    assert (found.x, found.y, found.kind, extent.width, extent.height, extent.depth, flags.value) == (32, 0, 1, 4, 2, 0, 2)
    call("cudaMemcpy2DToArray", array, 0, 0, numbers(*range(8)), 16, 16, 2, TO_DEVICE)
    call("cudaMemcpy2DToArray", array, 8, 1, numbers(70, 71), 8, 8, 1, TO_DEVICE)
    resource, texture = Resource(0, array), Texture(address=(c_int * 3)(1, 1, 1))
    fetched = out(c_uint64, "cudaCreateTextureObject", byref(resource), byref(texture), None)
    used.launch("fetch", memory, fetched, block=8)
    assert read(memory, 8) == [0, 1, 2, 3, 4, 5, 70, 71]
    kept = Resource()
    call("cudaGetTextureObjectResourceDesc", byref(kept), fetched)
    assert (kept.type, kept.array) == (0, array.value)
    painted = out(c_uint64, "cudaCreateSurfaceObject", byref(resource))
    used.launch("paint", memory, painted, block=8)
    host = numbers(*[0] * 8)
    call("cudaMemcpy2DFromArray", host, 16, array, 0, 0, 16, 2, TO_HOST)
    assert list(host) == list(range(100, 108))
    call("cudaMemcpy2DToArray", array, 4, 0, host, 16, 16, 2, TO_DEVICE, want=INVALID_VALUE)
    call("cudaMemcpy2DToArray", array, 0, 0, memory, 16, 16, 2, TO_DEVICE, want=INVALID_VALUE)
    call("cudaMemcpy2DToArray", array, 0, 0, host, 16, 16, 2, TO_HOST, want=21)
    call("cudaMemcpy2DFromArray", memory, 16, array, 0, 0, 16, 2, TO_HOST, want=INVALID_VALUE)
    call("cudaMemcpyToArray", array, 0, 0, None, 16, TO_DEVICE, want=INVALID_VALUE)
    last(INVALID_VALUE)
    assert out(c_size_t, "cudaDeviceGetTexture1DLinearMaxWidth", byref(of), 0).value == 1 << 28
    call("cudaDeviceGetTexture1DLinearMaxWidth", byref(c_size_t()), byref(Format(24)), 0, want=20)
    last(20)
    other = out(c_void_p, "cudaMallocArray", byref(of), 4, 2, 0)
    call("cudaMemcpy2DArrayToArray", other, 0, 0, array, 8, 0, 8, 2, ON_DEVICE)
    call("cudaMemcpy2DFromArray", host, 16, other, 0, 0, 8, 2, TO_HOST)
    assert list(host)[:2] == [102, 103] and list(host)[4:6] == [106, 107]
    call("cudaCreateSurfaceObject", byref(c_uint64()), byref(Resource(0, other)), want=INVALID_VALUE)
    last(INVALID_VALUE)
    call("cudaDestroyTextureObject", fetched)
    call("cudaDestroySurfaceObject", painted)
    for made in (array, other):
        call("cudaFreeArray", made)
    call("cudaFreeArray", None)
    call("cudaFree", memory)


def test_libraries():
    """Modules that a program loads itself; their kernels are launched as its own are."""
    library = out(c_void_p, "cudaLibraryLoadData", PTX + b"\0", None, None, 0, None, None, 0)
    memory, loaded = out(c_void_p, "cudaMalloc", 128), out(c_void_p, "cudaLibraryGetKernel", library, b"add")
    put(memory, *range(32))
    call("cudaLaunchKernel", loaded, Dim3(1), Dim3(32), values(memory, c_uint32(3)), 0, None)
    assert read(memory, 2) == [3, 4]
    count = out(c_uint, "cudaLibraryGetKernelCount", library).value
    assert count == 4
    kernels = (c_void_p * count)()
    call("cudaLibraryEnumerateKernels", kernels, count, library)
    assert loaded.value in kernels
    place, size = c_void_p(), c_size_t()
    call("cudaLibraryGetGlobal", byref(place), byref(size), library, b"start")
    assert size.value == 4 and read(place, 1) == [40]
    call("cudaLibraryGetManaged", byref(place), byref(size), library, b"shared_with_host")
    assert size.value == 24 and list((c_ubyte * 24).from_address(place.value)) == [0] * 24
    call("cudaLibraryGetKernel", byref(c_void_p()), library, b"nowhere", want=500)
    last(500)
    call("cudaLibraryUnload", library)
    call("cudaLibraryLoadData", byref(library), b"nonsense\0", None, None, 0, None, None, 0, want=218)
    call("cudaLibraryUnload", None, want=INVALID_HANDLE)
    last(INVALID_HANDLE)
    status, found = c_int(9), c_void_p()
    call("cudaGetDriverEntryPointByVersion", b"cuDeviceGetCount", byref(found), 12000, 0, byref(status))
    devices = c_int()
    assert status.value == 0 and ctypes.CFUNCTYPE(c_int, c_void_p)(found.value)(byref(devices)) == 0 and devices.value == 2
    call("cudaGetDriverEntryPointByVersion", b"cuNowhere", byref(found), 12000, 0, byref(status))
    assert status.value == 1 and not found.value
    call("cudaFree", memory)


registered = Program(PTX, kernels=("add", "limited", "fetch", "paint"), variables=(("start", 4), ), managed=(("shared_with_host", 24), ))
for test in (test_properties, test_devices, test_threads, test_boxes, test_libraries):
    test()
for test in (test_pointers, test_peers, test_kernels, test_pools, test_arrays):
    test(registered)
registered.end()
print("cudart_more: ok")
