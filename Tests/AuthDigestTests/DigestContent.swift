#if AllTests
import Foundation
import HTTPChainAuthDigest

/// H(content), for the server.
enum DigestContent {
    static func hash(_ content: Data, _ algorithm: DigestAlgorithm) -> String {
        String(decoding: DigestHash.hex(Array(content), algorithm), as: UTF8.self)
    }
}
#endif
