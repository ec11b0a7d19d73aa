import HTTPChainSupport
package import HTTPTypes
import RawStructuredFieldValues

/// The directives of `Cache-Control` in a response, RFC 9111 §5.2.2.
///
/// If a directive is repeated, the first one applies (§4.2.1). A restrictive directive with an invalid argument applies
/// as if it had none: `no-cache=(` is `no-cache`.
package struct ResponseDirectives: Equatable, Sendable {
    package var maxAge = DeltaSeconds.absent
    package var sMaxAge = DeltaSeconds.absent
    package var noStore = false
    package var noCache = false
    /// The fields named by `no-cache`, in lower case; the directive then applies only to them.
    package var noCacheFields: [String] = []
    package var isPrivate = false
    /// The fields named by `private`, in lower case.
    package var privateFields: [String] = []
    package var isPublic = false
    var mustRevalidate = false
    var proxyRevalidate = false
    var mustUnderstand = false
    /// RFC 8246 §2.
    package var immutable = false
    /// RFC 5861 §3, in seconds; zero if the value is invalid.
    package var staleWhileRevalidate: Int64?
    /// RFC 5861 §4, in seconds; zero if the value is invalid.
    package var staleIfError: Int64?

    /// Parses all lines of the field.
    package init(_ fields: HTTPFields) {
        for field in fields where field.name == .cacheControl {
            for directive in DirectiveScanner.directives(in: field.value) { take(directive) }
        }
    }

    /// Parses a targeted field, RFC 9213 §2.1: a dictionary (RFC 9651 §3.2).
    ///
    /// - Returns: `nil` if the field is empty or malformed. It is then ignored (RFC 9213 §2.2).
    package init?(targeted lines: [String]) {
        guard let bytes = lines.joined(separator: ",").structuredFieldBytes else { return nil }
        var parser = StructuredFieldValueParser(bytes)
        guard let dictionary = try? parser.parseDictionaryFieldValue(), dictionary.startIndex != dictionary.endIndex
        else { return nil }
        for (name, member) in dictionary {
            guard case .item(let item) = member else { continue }
            switch item.rfc9651BareItem {
            case .bool(true): take(ScannedDirective(name: name, argument: .none))
            case .bool(false): continue
            case .integer(let number): take(ScannedDirective(name: name, argument: .value("\(number)")))
            case .string(let text):
                take(ScannedDirective(name: name, argument: isCount(name) ? .malformed : .value(text)))
            // A token is never a number in a structured field.
            case .token(let text): take(ScannedDirective(name: name, argument: .value(text)))
            default: take(ScannedDirective(name: name, argument: .malformed))
            }
        }
    }

    /// Whether the directive's argument is a number, which a structured field must write as an integer.
    private func isCount(_ name: String) -> Bool {
        ["max-age", "s-maxage", "stale-while-revalidate", "stale-if-error"].contains(name)
    }

    private mutating func take(_ directive: ScannedDirective) {
        let argument = directive.argument
        switch directive.name {
        case "max-age": if maxAge == .absent { maxAge = DeltaSeconds(argument) }
        case "s-maxage": if sMaxAge == .absent { sMaxAge = DeltaSeconds(argument) }
        case "no-store": noStore = true
        case "no-cache":
            let names = Self.fieldNames(argument)
            if names.isEmpty { noCache = true } else { noCacheFields += names }
        case "private":
            let names = Self.fieldNames(argument)
            if names.isEmpty { isPrivate = true } else { privateFields += names }
        case "public": isPublic = true
        case "must-revalidate": mustRevalidate = true
        case "proxy-revalidate": proxyRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": immutable = true
        case "stale-while-revalidate":
            if staleWhileRevalidate == nil { staleWhileRevalidate = DeltaSeconds(argument).seconds ?? 0 }
        case "stale-if-error":
            if staleIfError == nil { staleIfError = DeltaSeconds(argument).seconds ?? 0 }
        default: break
        }
    }

    private static func fieldNames(_ argument: ScannedDirective.Argument) -> [String] {
        guard case .value(let text) = argument else { return [] }
        return text.utf8.split { !ASCII.isTokenByte($0) }.map { Substring($0).lowercased() }
    }
}
