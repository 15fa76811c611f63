// All that CXXRTL and the harness need of a C++ library at run time, so that none is compiled and
// the module imports nothing: memory, and the end after a fault.

#ifndef KNOTWORK_RUNTIME_H
#define KNOTWORK_RUNTIME_H

#include <cstddef>
#include <cstdint>

extern "C" unsigned char __heap_base;

namespace {

constexpr int kSizes = 32;
struct Block {
    Block* next;
};
Block* free_blocks[kSizes];
std::uintptr_t heap_end = 0;

// Blocks have sizes of 2^k bytes; the 16 before each hold k. Freed ones are used again.
void* allocate(std::size_t bytes) {
    int size = 4;
    while ((std::size_t{1} << size) < bytes + 16) ++size;
    if (Block* found = free_blocks[size]) {
        free_blocks[size] = found->next;
        return found;
    }
    constexpr std::uintptr_t kPage = 65536;
    if (!heap_end) heap_end = (reinterpret_cast<std::uintptr_t>(&__heap_base) + 15) & ~15u;
    const std::uintptr_t begin = heap_end, had = __builtin_wasm_memory_size(0) * kPage;
    heap_end += std::uintptr_t{1} << size;
    if (heap_end > had &&
        __builtin_wasm_memory_grow(0, (heap_end - had + kPage - 1) / kPage) == static_cast<std::size_t>(-1))
        __builtin_trap();
    *reinterpret_cast<int*>(begin) = size;
    return reinterpret_cast<void*>(begin + 16);
}

void release(void* given) {
    if (!given) return;
    const int size = *reinterpret_cast<int*>(reinterpret_cast<std::uintptr_t>(given) - 16);
    auto* block = static_cast<Block*>(given);
    block->next = free_blocks[size];
    free_blocks[size] = block;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* given) noexcept { release(given); }
void operator delete[](void* given) noexcept { release(given); }
void operator delete(void* given, std::size_t) noexcept { release(given); }
void operator delete[](void* given, std::size_t) noexcept { release(given); }

extern "C" int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }  // a module has no end

extern "C" int memcmp(const void* one, const void* other, std::size_t count) {
    auto *a = static_cast<const unsigned char*>(one), *b = static_cast<const unsigned char*>(other);
    for (; count; --count, ++a, ++b)
        if (*a != *b) return *a - *b;
    return 0;
}

_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD

#endif
