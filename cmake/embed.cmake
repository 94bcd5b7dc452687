# Writes OUTPUT, a C++ source with the text of every file of FILES (separated by |). It defines the functions FIND (name to text) and NAMES
# of the namespace pm::SPACE, which HEADER declares.
string(REPLACE "|" ";" files "${FILES}")
set(texts "")
set(table "")
set(names "")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND texts "constexpr unsigned char text_${name}[] = {${bytes}0};\n")
  string(APPEND names "\"${name}\", ")
  string(APPEND table "    if (name == \"${name}\") return std::string_view(reinterpret_cast<const char*>(text_${name}), sizeof(text_${name}) - 1);\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by the build.
#include \"${HEADER}\"

namespace pm::${SPACE} {
namespace {
${texts}} // namespace

std::optional<std::string_view> ${FIND}(std::string_view name) {
${table}    return std::nullopt;
}

std::span<const std::string_view> ${NAMES}() {
    static constexpr std::string_view names[] = {${names}};
    return names;
}

} // namespace pm::${SPACE}
")
