public import HTTPChainCore
import HTTPChainSupport

/// A selection of entries to list or remove.
public enum CacheSelection: Sendable, Hashable {
    /// Every entry.
    case all
    /// The variants of one key.
    case key(CacheKey)
    /// Every entry of a URL, for any method, partition and identifier.
    ///
    /// A store compares it with the normalised URLs of keys. ``CacheMiddleware`` normalises it first.
    case url(String)
    /// The entries with this identifier, in every partition.
    case identifier(String)
    /// The entries whose identifier begins with this text.
    case identifierPrefix(String)
    /// The entries of a class of data; `nil` for entries without a class.
    case classification(String?)
    /// The entries from one origin.
    case origin(Origin)
    /// The entries of one user.
    case partition(String)
    /// One entry.
    case entry(CacheEntryID)

    /// Whether both select the same entries; texts are compared by bytes.
    public static func == (one: CacheSelection, other: CacheSelection) -> Bool {
        switch (one, other) {
        case (.all, .all): true
        case (.key(let one), .key(let other)): one == other
        case (.url(let one), .url(let other)), (.identifier(let one), .identifier(let other)),
            (.identifierPrefix(let one), .identifierPrefix(let other)), (.partition(let one), .partition(let other)):
            one.hasSameBytes(as: other)
        case (.classification(let one), .classification(let other)): one.hasSameBytes(as: other)
        case (.origin(let one), .origin(let other)): one == other
        case (.entry(let one), .entry(let other)): one == other
        default: false
        }
    }

    /// The URL that all selected entries have; `nil` if their URLs may differ.
    package var commonURL: String? {
        switch self {
        case .url(let url): url
        case .key(let key): key.url
        default: nil
        }
    }

    /// Whether an entry is selected.
    public func contains(_ entry: CacheEntry) -> Bool {
        switch self {
        case .all: true
        case .key(let key): entry.key == key
        case .url(let url): entry.key.url.hasSameBytes(as: url)
        case .identifier(let identifier): entry.key.identifier.hasSameBytes(as: identifier)
        case .identifierPrefix(let prefix): entry.key.identifier.map { $0.utf8.starts(with: prefix.utf8) } ?? false
        case .classification(let name): entry.response.metadata.classification.hasSameBytes(as: name)
        case .origin(let origin): entry.key.origin == origin
        case .partition(let partition): entry.key.partition.hasSameBytes(as: partition)
        case .entry(let id): entry.id == id
        }
    }
}
