#if XML
package import Foundation
import HTTPChainCore
public import HTTPChainErrorHandler
import HTTPChainSupport
import XMLCoder

extension ErrorHandler {
    /// A handler for problem details in XML (`application/problem+xml`); see ``problemDetailsXML(contentTypes:)``.
    public static var problemDetailsXML: ErrorHandler { problemDetailsXML() }

    /// A handler for problem details in XML (`application/problem+xml`), RFC 9457 Appendix B.
    ///
    /// Requires the package trait `XML`.
    ///
    /// ```swift
    /// ErrorHandlerMiddleware(.problemDetails, .problemDetailsXML)
    /// ```
    ///
    /// The call throws `ServiceError<ProblemDetails>`, as for JSON. Extension members are strings, objects of inner
    /// elements, and arrays of elements that are named `i` or repeated. Documents nested deeper than 128 levels (20 on
    /// Apple platforms, whose threads have small stacks), document types with internal declarations, and processing
    /// instructions without data are rejected.
    ///
    /// - Parameter contentTypes: The media types to decode; `application/problem+xml` by default.
    public static func problemDetailsXML(contentTypes: [String] = ["application/problem+xml"]) -> ErrorHandler {
        .content("problem details in XML", contentTypes: contentTypes) { try ProblemDetails(xml: $0) }
    }
}

extension ProblemDetails {
    /// Decodes problem details in XML; `nil` if the root element has no inner elements.
    package init?(xml content: Data) throws {
        try XMLDepth.check(content)
        let decoder = XMLDecoder()
        decoder.shouldProcessNamespaces = true
        self.init(try decoder.decode(Element.self, from: content).document)
    }
}

/// An element: its text, or its inner elements by name.
private struct Element: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let value: JSONValue

    init(from decoder: any Decoder) throws {
        Steps.take()
        if let container = try? decoder.container(keyedBy: Name.self), !container.allKeys.isEmpty {
            // A repeated name occurs several times in `allKeys`, but all of its elements are decoded together.
            let names = Set(container.allKeys.map(\.stringValue))
            var members: [String: JSONValue] = [:]
            for name in names.map(Name.init(stringValue:)) where !name.stringValue.isEmpty {
                let elements = try container.decode([Element].self, forKey: name).map(\.value)
                members[name.stringValue] = elements.count == 1 ? elements[0] : .array(elements)
            }
            if !members.isEmpty {
                value = Self.array(members) ?? .object(members)
                return
            }
        }
        value = .string(try decoder.singleValueContainer().decode(String.self))
    }

    /// Returns the array that an element contains.
    ///
    /// The elements of an array are all named `i`, RFC 9457 Appendix B.
    private static func array(_ members: [String: JSONValue]) -> JSONValue? {
        guard members.count == 1, let elements = members["i"] else { return nil }
        return elements.array == nil ? .array([elements]) : elements
    }

    /// The members of the root element, with the status as a number.
    var document: JSONValue {
        guard var members = value.object else { return value }
        if let status = members["status"]?.string.flatMap({ Int64($0) }) { members["status"] = .integer(status) }
        return .object(members)
    }
}
#endif
