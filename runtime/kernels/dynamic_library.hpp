#pragma once
#include <cstdlib>
#include <string>

#include <dlfcn.h>

namespace pm::runtime {

/// Opens a library at run time. The system's dynamic linker searches for the library. Returns null if it finds none. A
/// library in use is never closed, because it may have loaded further libraries that cannot be unloaded, as NVIDIA's
/// libraries do.
inline void* open_library(const char* file) { return ::dlopen(file, RTLD_NOW | RTLD_LOCAL); }

/// Sets an environment variable for the life of the object. A library reads the variable while it is opened. If the
/// user has set the variable, its value is kept. If `value` is null, nothing is set.
class VariableForLibrary {
  public:
    VariableForLibrary(const char* name, const char* value)
        : name_(value != nullptr && std::getenv(name) == nullptr ? name : nullptr) {
        if (name_ != nullptr) setenv(name_, value, 0);
    }
    ~VariableForLibrary() {
        if (name_ != nullptr) unsetenv(name_);
    }
    VariableForLibrary(const VariableForLibrary&) = delete;
    VariableForLibrary& operator=(const VariableForLibrary&) = delete;

  private:
    const char* name_;
};

/// The name of the last library that could not be opened, and the error: "libcuda.so.1: cannot open shared object file:
/// ...".
inline std::string why_not_opened() {
    const char* const text = ::dlerror();
    return text == nullptr ? "" : text;
}

/// Finds a function in a library. Returns false if the library has no function of that name.
template <class F>
bool find_function(void* library, const std::string& name, F*& function) {
    function = reinterpret_cast<F*>(::dlsym(library, name.c_str()));
    return function != nullptr;
}

} // namespace pm::runtime
