#if AllTests && DEBUG && !canImport(Darwin)
import Foundation
import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainErrorHandlerXML
import HTTPChainInMemory
import HTTPChainOData
import HTTPChainRoutesYAML
import HTTPChainStatusValidation
import HTTPChainSupport
import HTTPTypes

extension OutsideReader {
    /// Documents that a library parses, of whose work only the package's own is counted.
    static let documents = problemDetails + yaml + [markup, batches]

    /// Responses to a batch: the text is the list, or each line of it is a field and a body of one response, or of one
    /// each.
    private static let batches = OutsideReader(
        name: "batches",
        folders: ["Sources/HTTPChainOData/Batch"],
        further: ["{\"id\":\"1\",\"status\":200", ",\"headers\":{\"a\":\"b\"}", ",\"body\":", "},", "\\u0061", "YWJj"]
    ) { text in
        let lines = lines(of: text).map { JSONValue.string(String(decoding: $0, as: UTF8.self)) }
        var batch = ODataBatch()
        let ids = lines.map { _ in batch.add(.get("People")) }
        func item(_ id: ODataBatch.ID, _ fields: [JSONValue], _ body: JSONValue, type: String?) -> JSONValue {
            var headers: [String: JSONValue] = [:]
            for (number, field) in fields.enumerated() { headers["X-\(number)"] = field }
            if let type { headers["Content-Type"] = .string(type) }
            return .object([
                "id": .string(id.text), "status": .integer(type == nil ? 404 : 200), "headers": .object(headers),
                "body": body,
            ])
        }
        let types = ["text/plain; charset=iso-8859-1", "application/octet-stream", "application/json", nil]
        let each = zip(ids, lines).enumerated().map { item($1.0, [$1.1], $1.1, type: types[$0 % types.count]) }
        var documents = [Data(("{\"responses\":[" + text).utf8), Data(("{\"responses\":[" + text + "]}").utf8)]
        for items in [each, [item(ids[0], lines, .array(lines), type: "application/json")]] {
            documents.append(try JSONEncoder().encode(JSONValue.object(["responses": .array(items)])))
        }
        for document in documents {
            guard let responses = try? ODataBatchResponses(document, to: batch) else { continue }
            for id in ids { _ = try? responses.value(of: id, as: JSONValue.self) }
        }
    }

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
