package import Foundation

/// The contents of a drill's uploads.
package enum DrillContent {
    /// The content of an upload: up to 60 KB, other bytes for each number.
    package static func bytes(of number: Int) -> Data {
        var numbers = Numbers(seed: UInt64(number) + 1)
        let count = 1 + numbers.next(60_000)
        return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next(256)) })
    }
}
