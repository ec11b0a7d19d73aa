package import HTTPTypes

extension HTTPRequest {
    /// Percent-encodes the square brackets of the path and query, as they are sent.
    package mutating func encodeSquareBrackets() {
        guard let path, path.utf8.contains(where: ASCII.isSquareBracket) else { return }
        self.path = path.encodingSquareBrackets
    }
}
