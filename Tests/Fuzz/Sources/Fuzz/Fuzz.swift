import Foundation
import HTTPChainBrotli
import HTTPChainGzip
import HTTPChainZstd

/// The parsers, and the one that `FUZZ_PARSER` in the environment names; "list" prints their names.
enum Fuzz {
    /// Traps where what came of an input is wrong.
    typealias Check = @Sendable (Input) -> Int32

    static let parsers: [String: Check] = [
        "url": { checkURL($0) },
        "multipart": { checkMultipart($0) },
        "gunzip": { checkDecoding($0, [.gzip, .deflate], encoding: .gzip(level: 1)) },
        "brotli": { checkDecoding($0, [.brotli], encoding: .brotli(quality: 2)) },
        "zstd": { checkDecoding($0, [.zstd], encoding: .zstd(level: 1)) },
        "headers": { checkHeaders($0) },
        "secrets": { checkSecrets($0) },
        "challenges": { checkChallenges($0) },
        "digest": { checkDigest($0) },
        "cache": { checkCache($0) },
        "stored": { checkStored($0) },
        "index": { checkIndex($0) },
        "entry": { checkEntry($0) },
        "spool": { checkSpool($0) },
        "cookies": { checkCookies($0) },
        "events": { checkEvents($0) },
        "lines": { checkLines($0) },
        "location": { checkLocation($0) },
        "forms": { checkForms($0) },
        "har": { checkHAR($0) },
        "protobuf": { checkProtobuf($0) },
        "routes": { checkRoutes($0) },
        "uploads": { checkUploads($0) },
        "signatures": { checkSignatures($0) },
        "yaml": { checkYAML($0) },
        "batches": { checkBatches($0) },
    ]

    static let selected: Check = {
        let name = ProcessInfo.processInfo.environment["FUZZ_PARSER"] ?? ""
        guard let parser = parsers[name] else {
            fatalError("FUZZ_PARSER must name one of \(parsers.keys.sorted()), not \"\(name)\"")
        }
        return parser
    }()
}

/// What libFuzzer calls before all else.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<Int32>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> Int32 {
    guard ProcessInfo.processInfo.environment["FUZZ_PARSER"] == "list" else { return 0 }
    print(Fuzz.parsers.keys.sorted().joined(separator: "\n"))
    exit(0)
}

/// What libFuzzer, which brings the program's main, calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    Fuzz.selected(Input(start, count))
}
