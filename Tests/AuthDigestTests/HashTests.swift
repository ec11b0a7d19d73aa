#if AllTests
import Foundation
import HTTPChainSupport
import Testing

@testable import HTTPChainAuthDigest

@Suite("SHA-512/256")
struct HashTests {
    private func hash(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: DigestHash.hex(Array(bytes), .sha512256), as: UTF8.self)
    }

    /// Of FIPS 180-4's examples and NIST's CAVP short messages.
    @Test(
        "The hash gives NIST's published digests",
        arguments: [
            ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                    + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "9a59a052930187a97038cae692f30708aa6491923ef5194394dc68d56c74fb21"
            ),
        ]
    )
    func published(message: String, digest: String) {
        #expect(hash(message.utf8) == digest)
    }

    /// The digests are those of Python's hashlib.
    @Test(
        "The hash agrees with another implementation at each edge of a block",
        arguments: [
            (1, "10baad1713566ac2333467bddb0597dec9066120dd72ac2dcb8394221dcbe43d"),
            (8, "11db387617dd2a906eb6a3ca018f2a5ca79f44ceeee6131c5d73d0e39e5ba21a"),
            (63, "27da9964ca8e3e07142259c70aa28d4a7ed918ce4102e76effe58fdad60edcf7"),
            (111, "fe05f95a81e48e53dcd275664fb4fe739f84e4c617a7c756a4398a1b1534119f"),
            (112, "3a518cc56feb86a1e3b85c262b8a5f4d209e4acdc2b1b5af72e49020bd84d7a0"),
            (113, "8f5e8bd3c00a2220ab974dc519513686b54b05a78f001ed6ca9333de6afd134c"),
            (119, "c74f79d21e011a3a16ff71f509503a4ae2231f7eb91f679c4e992bbfc0dc295b"),
            (120, "1b97aee7544fd98ce52ae834bea122344ee0dcc4648404ebdd838c278fb22cd0"),
            (127, "791ad5c3b05901099ab96bff29f05f517c892e0d55c5f056483c5a22c3b8301d"),
            (128, "ece50bea01326751d73f091ee36b3fccce496e289db73356389723777b8788e7"),
            (129, "c8eb2bb0fbf44b8f5a57d3bb57e304a43e89ac9db8153498e7a2db512d391938"),
            (239, "fc60d91cd9be375cb8e208d518a1a2d9e26398dcc669543a5fc0a3ea70c3d2d0"),
            (240, "9910476babd59b34dbf911465c0dda88d85dfbe1525f9af9eaa5a09d0f1f347c"),
            (255, "1fd29c16e5b9e380e7db8b6b034cfeeeb7605a412534461ab181676531db2993"),
            (256, "61a9b27327d1e6ffbd5a24551a9731b3456ec9698375624308110adc8b1695dd"),
            (257, "163a450afc7a19a8ff7699d70d678e7386f60f3b0bffab88553d2643a1b3ccf8"),
            (1000, "9fcc4b1db1bb5edafdad4c6c54a1e6a5552ab30a7d5fbf82a6597ed3292c6290"),
            (4096, "71d08d15fffcd110de5ca10f52712758c1de9e04cc30ae14be19f6ce9dc2ca54"),
            (65537, "1cfe797228ec4efd083e261ddaafc8527fe6e52bc591df5d3a12ff82079eea81"),
        ]
    )
    func edges(count: Int, digest: String) {
        #expect(hash((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }) == digest)
    }

    @Test("The hash agrees with another implementation for every length up to four blocks")
    func everyLength() {
        var all = SHA512256()
        for count in 0..<520 {
            var one = SHA512256()
            one.update((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
            all.update(one.finalize())
        }
        // Python: the digest of the digests of all 520 messages, one after the other.
        let digest = String(decoding: all.finalize().hexadecimal, as: UTF8.self)
        #expect(digest == "676d3a899dcdc0cdf86ddeba8f4ab44c47dfd97e84c31ebccf95af16f5321283")
    }

    @Test("What is hashed in pieces is hashed as a whole", arguments: DigestAlgorithm.allCases)
    func pieces(algorithm: DigestAlgorithm) {
        let bytes = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
        for size in [1, 3, 64, 127, 128, 129, 999] {
            var hash = DigestHash(algorithm)
            var rest = bytes
            while !rest.isEmpty {
                hash.update(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(hash.hex == DigestHash.hex(Array(bytes), algorithm), "\(size)")
        }
    }

    @Test("A digest can be taken in the middle, and hashing goes on")
    func middle() {
        var hash = DigestHash(.sha512256)
        hash.update(Data("ab".utf8))
        _ = hash.hex
        hash.update(Data("c".utf8))
        #expect(hash.hex == DigestHash.hex(Array("abc".utf8), .sha512256))
    }
}
#endif
