#if AllTests
import Foundation
import TestSupport

/// CacheKillDrill, the process that tests start beside themselves.
enum Helper {
    /// It stands beside the tests.
    static var url: URL? { Programs.beside("CacheKillDrill") }

    /// What it stores.
    static func content(_ number: Int, _ generation: Int, _ length: Int) -> Data {
        var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: generation)
        var bytes = Data(capacity: length + 8)
        while bytes.count < length {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            withUnsafeBytes(of: state) { bytes.append(contentsOf: $0) }
        }
        return bytes.prefix(length)
    }
}
#endif
