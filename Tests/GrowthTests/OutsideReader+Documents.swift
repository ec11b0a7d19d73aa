#if AllTests && DEBUG && !canImport(Darwin)
import Foundation
import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainErrorHandlerXML
import HTTPChainInMemory
import HTTPChainRoutesYAML
import HTTPChainStatusValidation
import HTTPChainSupport
import HTTPTypes

extension OutsideReader {
    /// Documents that a library parses, of whose work only the package's own is counted.
    static let documents = problemDetails + yaml + [markup]

    private static let markup = OutsideReader(
        name: "markup",
        folders: ["Sources/HTTPChainSupport/Values/XMLNesting.swift"],
        further: ["<", "<!--", "<![CDATA[", "<?a ", "<!DOCTYPE a", "<a b=\"", "'>"]
    ) { text in
        try XMLNesting.checkDeclarations(Data(text.utf8))
    }

    #if YAML
    static let yaml = [
        OutsideReader(
            name: "yaml",
            folders: ["Sources/HTTPChainRoutesYAML"],
            further: ["*a", "&a ", "[*a, ", "{", ": ", "- ", "? ", "\"", "'", "# ", "|\n"]
        ) { text in
            _ = YAMLShape(text)
            _ = YAMLAliases(text)
        }
    ]
    #else
    static let yaml: [OutsideReader] = []
    #endif

    #if XML
    private static let problemDetails = [
        OutsideReader(
            name: "problem details in XML",
            folders: ["Middleware/ErrorHandler/XML"],
            further: ["<", "/", "<a", "<</", "i"]
        ) { text in
            let content = HTTPBody(document(of: text))
            let transport = InMemoryTransport { _ in
                Response(.badRequest, headers: [.contentType: "application/problem+xml"], body: content)
            }
            let chain = try Chain(transport: transport) {
                ErrorHandlerMiddleware(.problemDetailsXML)
                StatusValidationMiddleware()
            }
            _ = try await chain.send(.get("https://a.example/"))
        }
    ]

    /// A document in which "<" begins an element, "/" ends one, and any other byte is an element.
    ///
    /// It uses a quarter of the text, because XMLCoder is slow.
    private static func document(of text: String) -> String {
        var document = "<r>"
        var depth = 0
        for byte in text.utf8.prefix(text.utf8.count / 4) {
            switch byte {
            case UInt8(ascii: "<") where depth < 100:
                document += "<a>"
                depth += 1
            case UInt8(ascii: "/") where depth > 0:
                document += "</a>"
                depth -= 1
            case UInt8(ascii: "i"): document += "<i>b</i>"
            default: document += "<a/>"
            }
        }
        return document + String(repeating: "</a>", count: depth) + "</r>"
    }
    #else
    private static let problemDetails: [OutsideReader] = []
    #endif
}
#endif
