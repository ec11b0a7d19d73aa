import HTTPChainCore
import HTTPChainSupport
import HTTPChainURLBuilder
import HTTPTypes

/// The position of a page in a list; it can be stored, to continue from it in a later run.
///
/// It contains data from the server, such as a URL that will be followed, so store it where no one else can change it.
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

    /// Returns the position of a page given by query parameters, such as a cursor or an offset.
    public static func parameters(_ parameters: [String: String]) -> PagePosition {
        PagePosition(place: .parameters(parameters))
    }

    /// Returns the value of a query parameter of the position.
    func parameter(_ name: String) -> String? {
        if case .parameters(let parameters) = place { parameters[name] } else { nil }
    }

    /// Whether the position counts pages or items: it is the first position, or all its parameters are numbers.
    var isCounted: Bool {
        switch place {
        case .first: true
        case .url: false
        case .parameters(let parameters): parameters.values.allSatisfy { Int($0) != nil }
        }
    }

    /// Returns a URL in which invalid characters that services write in links are percent-encoded: braces, and percent
    /// signs that don't begin an escape.
    private static func encoded(_ url: String) -> String {
        var encoded = URIReference(String(encodingReference: Array(url.utf8)))
        // The host must not be percent-encoded.
        encoded.authority = URIReference(url).authority
        return encoded.text
    }

    /// Returns the request for this page, made from the request for the first page.
    func request(from first: Request) -> Request {
        var request = first
        switch place {
        case .first: break
        case .url(let url):
            request.url = Self.encoded(url)
            // The URL is complete, so nothing is appended to it, and braces in it aren't template variables.
            var arguments = URLArguments(syntax: [])
            arguments.leavesOrigin = first.urlArguments.leavesOrigin
            request.urlArguments = arguments
        case .parameters(let parameters):
            var path = Array((request.head.path ?? "").utf8)
            // In a template, text that looks like a query may not be one yet, so this is left to the URL builder.
            if !path.contains(UInt8(ascii: "{")) {
                path.setQuery(parameters)
                request.head.path = String(decoding: path, as: UTF8.self)
            }
            request.urlArguments.replacements = parameters
        }
        return request
    }
}

extension PagePosition: DescribedValue, RedactedDisplay {
    /// The URL, with secrets redacted, or the names of the parameters.
    package var words: String {
        switch place {
        case .first: "the first page"
        case .url(let url): Redaction.standard.url(url).printable()
        case .parameters(let parameters): "the page of \(parameters.keys.sorted().joined(separator: ", ").printable())"
        }
    }
}
