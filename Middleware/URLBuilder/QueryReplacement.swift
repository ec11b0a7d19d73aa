import HTTPChainSupport

extension [UInt8] {
    /// Sets parameters in a path's query, replacing those with the same names, however they are encoded.
    package mutating func setQuery(_ parameters: [String: String]) {
        if parameters.isEmpty { return }
        let names = Set(parameters.keys.map { Array($0.utf8) })
        let question = firstIndex(of: .question) ?? endIndex
        var pairs = self[question...].dropFirst().split(separator: .ampersand).filter { pair in
            let name = pair.prefix { $0 != .equals }
            // A plus sign is a space in a form, and itself elsewhere.
            return !names.contains(name.percentDecoded()) && !names.contains(name.percentDecoded(plusIsSpace: true))
        }
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            var pair: [UInt8] = []
            pair.append(percentEncoding: name, allowed: .unreserved)
            pair.append(.equals)
            pair.append(percentEncoding: value, allowed: .unreserved)
            pairs.append(pair[...])
        }
        self = self[..<question] + [.question] + pairs.joined(separator: [.ampersand])
    }
}
