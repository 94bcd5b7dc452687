# pm_layer(FOLDER [LINK LIBRARY...])
# The library pm_NAME of a folder; the path is from the root of the project, NAME is its last part. A layer may use all layers that
# were declared before it. PM_LAYERS lists them, the last one first.
function(pm_layer folder)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  get_filename_component(name ${folder} NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(pm_${name} STATIC ${sources})
  target_link_libraries(pm_${name} PUBLIC pm_options ${PM_LAYERS} PRIVATE ${arg_LINK} ${PM_FMT})
  set(PM_LAYERS pm_${name} ${PM_LAYERS} PARENT_SCOPE)
endfunction()

# pm_embed(LIBRARY SOURCE HEADER FILE SPACE NAMESPACE FIND FUNCTION NAMES FUNCTION FILES FILE...)
# Generates SOURCE, which holds the text of the files, and adds it to the library. embed.cmake describes the other arguments.
function(pm_embed library source)
  cmake_parse_arguments(arg "" "HEADER;SPACE;FIND;NAMES" "FILES" ${ARGN})
  list(JOIN arg_FILES "|" files)
  set(made ${PROJECT_BINARY_DIR}/${source})
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${made} -DHEADER=${arg_HEADER} -DSPACE=${arg_SPACE} -DFIND=${arg_FIND}
            -DNAMES=${arg_NAMES} -P ${script}
    DEPENDS ${arg_FILES} ${script}
    VERBATIM)
  target_sources(${library} PRIVATE ${made})
endfunction()
