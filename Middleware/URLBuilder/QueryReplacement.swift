import HTTPChainSupport

extension [UInt8] {
    /// Sets parameters in a path's query.
    ///
    /// They replace those with the same names, regardless of encoding.
    package mutating func setQuery(_ parameters: [String: String]) {
        if parameters.isEmpty { return }
        let names = Set(parameters.keys.map { Array($0.utf8) })
        let question = firstIndex(of: .question) ?? endIndex
        var pairs = queryPairs.filter { !$0.isNamed(oneOf: names) }
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            var pair: [UInt8] = []
            pair.append(percentEncoding: name, allowed: .unreserved)
            pair.append(.equals)
            pair.append(percentEncoding: value, allowed: .unreserved)
            pairs.append(pair[...])
        }
        self = self[..<question] + [.question] + pairs.joined(separator: [.ampersand])
    }

    /// Returns the decoded value of the first parameter with a name in a path's query, or `nil` if there is none.
    ///
    /// The name may be encoded in any way.
    package func queryValue(of name: String) -> String? {
        queryPairs.first { $0.isNamed(oneOf: [Array(name.utf8)]) }.map { pair in
            String(decoding: pair.drop { $0 != .equals }.dropFirst().percentDecoded(plusIsSpace: true), as: UTF8.self)
        }
    }

    /// The parameters of a path's query, in encoded form.
    private var queryPairs: [ArraySlice<UInt8>] {
        self[(firstIndex(of: .question) ?? endIndex)...].dropFirst().split(separator: .ampersand)
    }
}

extension ArraySlice<UInt8> {
    /// Returns whether an encoded query parameter has one of the names.
    fileprivate func isNamed(oneOf names: Set<[UInt8]>) -> Bool {
        let name = prefix { $0 != .equals }
        // A plus sign is a space in a form, and a plus sign elsewhere.
        return names.contains(name.percentDecoded()) || names.contains(name.percentDecoded(plusIsSpace: true))
    }
}
