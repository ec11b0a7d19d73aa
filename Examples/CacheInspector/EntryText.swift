import Foundation
import HTTPChain

/// Returns a number in hexadecimal, as in the names of files.
func hexadecimal(_ number: UInt64, digits: Int = 16) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

extension CacheEntry {
    /// The entry's name in the store, as accepted by `--entry`.
    var shortName: String { hexadecimal(id.rawValue, digits: 12) }

    /// The properties of the entry that its URL doesn't show.
    var notes: [String] {
        var notes: [String] = []
        if !key.partition.isEmpty { notes.append("of \(Redaction.standard.text(key.partition))") }
        if let identifier = key.identifier { notes.append("identifier \(Redaction.standard.text(identifier))") }
        if let name = metadata.classification { notes.append("class \(name)") }
        let variant = "\(metadata.variant)"
        if !variant.isEmpty { notes.append("for \(variant)") }
        switch metadata.lifetime {
        case .server: break
        case .atMost(let duration): notes.append("for at most \(duration)")
        case .whenUnspecified(let duration): notes.append("for \(duration) where the server says nothing")
        case .exactly(let duration): notes.append("for \(duration) whatever the server says")
        }
        if metadata.isInvalidated { notes.append("invalidated") }
        return notes
    }

    /// The response's age and remaining freshness, for a private cache.
    var freshness: String {
        let freshness = CacheRules().freshness(of: self, at: Date())
        return "age \(Int64(freshness.age)) s, \(freshness)"
    }

    /// The size of the stored content.
    var heldBytes: String { ByteCount(bodyLength).abbreviated }
}
