import HTTPChainCore
import HTTPChainSupport
import HTTPChainURLBuilder
import HTTPTypes

/// The position of a page in a list, which can be stored to continue from it in a later run.
///
/// It contains data from the server, such as a URL that is followed: store it where no one else can change it.
public struct PagePosition: Sendable, Hashable, Codable {
    enum Place: Sendable, Hashable, Codable {
        case first
        case url(String)
        case parameters([String: String])
    }

    let place: Place

    /// The first page.
    public static let first = PagePosition(place: .first)

    /// Returns the position of a page at a URL.
    public static func url(_ url: String) -> PagePosition { PagePosition(place: .url(url)) }

    /// Returns the position of a page given by query parameters: a cursor, an offset.
    public static func parameters(_ parameters: [String: String]) -> PagePosition {
        PagePosition(place: .parameters(parameters))
    }

    /// Returns the value of a query parameter of the position.
    func parameter(_ name: String) -> String? {
        if case .parameters(let parameters) = place { parameters[name] } else { nil }
    }

    /// Returns the request for this page, made from the one for the first.
    func request(from first: Request) -> Request {
        var request = first
        switch place {
        case .first: break
        case .url(let url):
            request.url = url
            // The URL is complete: nothing is appended to it, and braces in it aren't variables.
            request.urlArguments = URLArguments(syntax: [])
        case .parameters(let parameters):
            var path = request.head.path ?? ""
            for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
                path = QueryParameter.setting(name, to: value, in: path)
            }
            request.head.path = path
        }
        return request
    }
}

/// Sets a parameter in the query of a path.
enum QueryParameter {
    static func setting(_ name: String, to value: String, in path: String) -> String {
        let question = path.utf8.firstIndex(of: UInt8(ascii: "?"))
        let base = question.map { String(path[..<$0]) } ?? path
        let query = question.map { path[path.utf8.index(after: $0)...] } ?? ""
        let name = encoded(name)
        let kept = query.pieces(at: "&").filter { pair in
            pair != name && !pair.utf8.starts(with: "\(name)=".utf8)
        }
        return base + "?" + (kept.map(String.init) + ["\(name)=\(encoded(value))"]).joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        String(percentEncoding: text.utf8, keeping: ASCII.isUnreserved)
    }
}
