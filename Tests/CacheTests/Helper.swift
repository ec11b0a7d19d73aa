#if AllTests
import Foundation
import TestSupport

/// CacheKillDrill, the process that tests start beside themselves.
enum Helper {
    /// It stands beside the tests.
    static var url: URL? { Programs.beside("CacheKillDrill") }
}
#endif
