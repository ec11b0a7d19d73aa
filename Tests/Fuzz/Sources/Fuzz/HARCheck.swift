import Foundation
import HTTPChainCore
import HTTPChainHAR

/// An archive of whatever program.
///
/// What is read is written so that it is read the same again; what is cut off gives the entries before the cut; redacted
/// twice is redacted once; and a request is taken for itself.
func checkHAR(_ input: Input) -> Int32 {
    let limits = HARLimits(size: .mebibytes(1), entries: 100, depth: 32)
    guard let archive = try? HARArchive(input.bytes, limits: limits) else {
        _ = try? HARArchive(input.bytes, limits: limits, salvaging: true)
        return -1
    }
    let data = archive.data
    // A date far from now may be written as another one; from then on it stays.
    guard let again = try? HARArchive(data, limits: HARLimits(depth: 64)) else {
        require(false, "what was written is not read: \(String(decoding: data, as: UTF8.self))")
        return 0
    }
    require(again.data == data, "written twice, it differs")
    require(again.entries.count == archive.entries.count, "entries are lost")
    if let half = try? HARArchive(data.prefix(data.count / 2), limits: HARLimits(depth: 64), salvaging: true) {
        require(half.entries == Array(again.entries.prefix(half.entries.count)), "the beginning is another one")
    }
    let redacted = archive.redacted()
    require(redacted.redacted().data == redacted.data, "redacted twice, it differs")
    for entry in archive.entries {
        let differences = ReplayMatching.standard.differences(between: entry.request, and: entry.request)
        require(differences.isEmpty, "a request is not itself: \(differences)")
    }
    return 0
}
