#pragma once
#include <string>

#include <dlfcn.h>

namespace pm::runtime {

/// A library that is looked for at run time, where the system's linker looks; null where there is none. It stays: what
/// it loads itself, as NVIDIA's do, cannot be unloaded.
inline void* open_library(const char* file) { return ::dlopen(file, RTLD_NOW | RTLD_LOCAL); }

/// Of the last one that could not be opened, with its name: "libcuda.so.1: cannot open shared object file: ...".
inline std::string why_not_opened() {
    const char* const text = ::dlerror();
    return text == nullptr ? "" : text;
}

/// False where the library has no function of that name.
template <class F>
bool find_function(void* library, const std::string& name, F*& function) {
    function = reinterpret_cast<F*>(::dlsym(library, name.c_str()));
    return function != nullptr;
}

} // namespace pm::runtime
