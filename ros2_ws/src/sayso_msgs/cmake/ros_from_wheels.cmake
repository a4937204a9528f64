# What differs between ROS 2 from PyPI wheels and a ROS from apt. The wheels put ROS into the Python environment itself (share/, lib/,
# include/ under sys.prefix), without the set-up files that an installed ROS is sourced with.

set(Python3_EXECUTABLE "${PYTHON_EXECUTABLE}" CACHE FILEPATH "The Python that pip builds for" FORCE)

execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c
    "import numpy, sys, sysconfig; print(sys.prefix, sysconfig.get_path('include'), numpy.get_include(), sep=';')"
  OUTPUT_VARIABLE python_paths
  OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
list(POP_FRONT python_paths ros_prefix python_include numpy_include)

# ament looks packages up in AMENT_PREFIX_PATH, CMake in CMAKE_PREFIX_PATH.
if("$ENV{AMENT_PREFIX_PATH}" STREQUAL "")
  set(ENV{AMENT_PREFIX_PATH} "${ros_prefix}")
endif()
list(PREPEND CMAKE_PREFIX_PATH "${ros_prefix}")

# The exported targets name Python's and NumPy's headers of the machine that built the wheels, /opt/python/cp311-cp311/include and such.
# CMake refuses a directory that does not exist, so they go; the headers of this Python take their place.
function(drop_include_directories_of_the_build_machine)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(directories MATCHES "/opt/python/")
      list(FILTER directories EXCLUDE REGEX "^/opt/python/")
      list(APPEND directories "${python_include}" "${numpy_include}")
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${directories}")
    endif()
  endforeach()
endfunction()

# Python's nodes need the interfaces in C. Their C++ twins are two thirds of the work, and nothing in an environment of wheels includes them.
macro(leave_out_cpp)
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp")
endmacro()

# Most of the compiler's time goes into headers that the generated files share. (The files of rosidl_generator_c use the same static names.)
function(compile_many_files_at_once)
  foreach(generator rosidl_typesupport_c rosidl_typesupport_fastrtps_c rosidl_typesupport_introspection_c rosidl_generator_py)
    set_target_properties(${PROJECT_NAME}__${generator} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  endforeach()
endfunction()
