package import HTTPChainRedaction

/// The location and the reason of a decoder's error, without secrets.
package struct DecodingProblem: Sendable {
    /// The path to the value, such as `items[3].name`; empty for the whole body.
    package let path: String
    /// The reason.
    package let detail: String

    package init(_ error: any Error, redaction: Redaction) {
        let context: DecodingError.Context?
        var missingKey: (any CodingKey)?
        switch error as? DecodingError {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
        case .keyNotFound(let key, let found):
            context = found
            missingKey = key
        default: context = nil
        }
        let keys = (context?.codingPath ?? []) + (missingKey.map { [$0] } ?? [])
        path = keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        if missingKey != nil {
            detail = "there is no such key"
        } else if keys.contains(where: { redaction.isSecret(name: $0.stringValue) }) {
            // The decoder's message is omitted, because it may quote the value.
            detail = "its value, which is not shown, is not valid"
        } else {
            detail = redaction.text(context?.debugDescription ?? "\(error)", upTo: Redaction.longestShown)
        }
    }
}
