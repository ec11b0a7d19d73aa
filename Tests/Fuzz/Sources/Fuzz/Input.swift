import Foundation

/// What the fuzzer made up.
struct Input {
    let bytes: Data

    init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        bytes = start.map { Data(bytes: $0, count: count) } ?? Data()
    }

    /// All of it as text; what is not UTF-8 becomes replacement characters.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The lines as text: one input holds several arguments.
    var lines: [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes cut into pieces of sizes that depend on them alone, so that a crash comes again.
    var pieces: [Data] {
        var state = bytes.reduce(UInt32(bytes.count)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        var rest = bytes
        var pieces: [Data] = []
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let size = 1 + Int(state >> 16) % (pieces.count.isMultiple(of: 3) ? 3 : 64)
            pieces.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}

/// Ends the run with the input as a finding where something that always holds does not.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}
