#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if compiler(>=6.3)
/// Runs before `main`: so many tests run at the same time, and not all two thousand.
///
/// Each has its turn within milliseconds then, on a machine with few cores too, so that what waits for a real server,
/// a lock or a process waits for that and for nothing else. `SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH` in the
/// environment asks for another number.
@used
#if os(Linux)
@section(".init_array")
#else
@section("__DATA,__mod_init_func")
#endif
private let limitWidth: @convention(c) () -> Void = {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8", 0)
}
#endif
