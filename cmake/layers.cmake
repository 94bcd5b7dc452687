# pm_sources(TARGET FILE...)
# Adds sources that are compiled PM_UNIT_SIZE at a time, since headers are most of the work. Names in unnamed namespaces are unique within a
# target. Units include their sources by relative paths, so that ccache finds them from every clone. A source with the property
# SKIP_UNITY_BUILD_INCLUSION is a separate unit.
function(pm_sources target)
  set(united)
  foreach(source ${ARGN})
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(alone OR PM_UNIT_SIZE EQUAL 1)
      target_sources(${target} PRIVATE ${source})
    else()
      cmake_path(ABSOLUTE_PATH source)
      file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
      list(APPEND united ${path})
    endif()
  endforeach()
  set(number 0)
  while(united)
    list(SUBLIST united 0 ${PM_UNIT_SIZE} unit)
    list(REMOVE_ITEM united ${unit})
    list(TRANSFORM unit REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN unit "" text)
    set(made ${PROJECT_BINARY_DIR}/units/${target}_${number}.cpp)
    file(CONFIGURE OUTPUT ${made} CONTENT "${text}" @ONLY)
    target_sources(${target} PRIVATE ${made})
    math(EXPR number "${number} + 1")
  endwhile()
endfunction()

# pm_layer(FOLDER [LINK LIBRARY...])
# Declares the library pm_NAME of a folder. The path is from the root of the project, NAME is its last part. A layer may use all layers that
# were declared before it. PM_LAYERS lists them, the last one first.
function(pm_layer folder)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  get_filename_component(name ${folder} NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/(main|[a-z]*_plugin)\\.cpp$")
  add_library(pm_${name} STATIC)
  pm_sources(pm_${name} ${sources})
  target_link_libraries(pm_${name} PUBLIC pm_options ${PM_LAYERS} PRIVATE ${arg_LINK} ${PM_FMT})
  set(PM_LAYERS pm_${name} ${PM_LAYERS} PARENT_SCOPE)
endfunction()

# pm_embed(LIBRARY SOURCE HEADER FILE SPACE NAMESPACE FIND FUNCTION NAMES FUNCTION FILES FILE...)
# Generates SOURCE with the texts of the files, and adds it to the library. embed.cmake describes the other arguments.
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
