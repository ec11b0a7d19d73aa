package import Foundation

/// The contents that drills write, and that their tests expect.
package enum DrillContent {
    /// The content of an upload: up to 60 KB, other bytes for each number.
    package static func bytes(of number: Int) -> Data {
        var numbers = Numbers(seed: UInt64(number) + 1)
        let count = 1 + numbers.next(60_000)
        return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next(256)) })
    }

    /// The content of an entry of a cache, which follows from its key and its generation.
    package static func entry(_ number: Int, _ generation: Int, _ length: Int) -> Data {
        var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: generation)
        var bytes = Data(capacity: length + 8)
        while bytes.count < length {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            withUnsafeBytes(of: state) { bytes.append(contentsOf: $0) }
        }
        return bytes.prefix(length)
    }
}
