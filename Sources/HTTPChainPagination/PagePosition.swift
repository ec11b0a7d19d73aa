import HTTPChainCore
import HTTPChainSupport
import HTTPChainURLBuilder
import HTTPTypes

/// The position in a list at which a page begins; kept, and given to a later run, it goes on from there.
///
/// It holds what the server said, such as a URL that is followed: keep it where nobody else can change it.
public struct PagePosition: Sendable, Hashable, Codable {
    enum Place: Sendable, Hashable, Codable {
        case first
        case url(String)
        case parameters([String: String])
    }

    let place: Place

    /// The beginning.
    public static let first = PagePosition(place: .first)

    /// A page at a URL.
    public static func url(_ url: String) -> PagePosition { PagePosition(place: .url(url)) }

    /// A page that query parameters name: a cursor, an offset.
    public static func parameters(_ parameters: [String: String]) -> PagePosition {
        PagePosition(place: .parameters(parameters))
    }

    /// The value of a query parameter that names the page.
    func parameter(_ name: String) -> String? {
        if case .parameters(let parameters) = place { parameters[name] } else { nil }
    }

    /// The request for this page, made from the one for the first.
    func request(from first: Request) -> Request {
        var request = first
        switch place {
        case .first: break
        case .url(let url):
            request.url = url
            // The URL is complete: nothing is appended to it, and braces in it are no variables.
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
