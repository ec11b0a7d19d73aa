#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainEventStream
import Testing

extension Data {
    /// The bytes cut into pieces of one size.
    func pieces(of size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { Data(self[$0..<Swift.min($0 + size, count)]) }
    }
}
#endif
