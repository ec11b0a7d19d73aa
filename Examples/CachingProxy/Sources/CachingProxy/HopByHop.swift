import HTTPTypes
import NIOHTTP1

/// The fields that apply to a single connection and aren't forwarded, RFC 9110 §7.6.1.
enum HopByHop {
    private static let names: Set<String> = [
        "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns the names listed in `Connection` fields, in lower case.
    static func listed(_ values: [some StringProtocol]) -> Set<String> {
        Set(
            values.flatMap { $0.split(separator: ",") }
                .map { $0.trimmingSpaces().lowercased() }
                .filter { !$0.isEmpty }
        )
    }

    /// Returns whether a field isn't forwarded.
    static func contains(_ name: String, listed: Set<String>) -> Bool {
        let name = name.lowercased()
        return names.contains(name) || name.hasPrefix("proxy-") || listed.contains(name)
    }
}

extension StringProtocol {
    fileprivate func trimmingSpaces() -> String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
