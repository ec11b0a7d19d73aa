import HTTPTypes
import NIOHTTP1

/// The fields that are for one connection and not for the next, RFC 9110 §7.6.1.
enum HopByHop {
    private static let names: Set<String> = [
        "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The names, in lower case, that the `Connection` fields list.
    static func listed(_ values: [some StringProtocol]) -> Set<String> {
        Set(
            values.flatMap { $0.split(separator: ",") }
                .map { $0.trimmingSpaces().lowercased() }
                .filter { !$0.isEmpty }
        )
    }

    /// Whether a field stays behind.
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
