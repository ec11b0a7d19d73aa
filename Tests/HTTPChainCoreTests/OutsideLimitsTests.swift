#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import TestSupport
import Testing

@Suite("Limits for what comes from outside")
struct OutsideLimitsTests {
    @Test("Fields are added up to a limit that leaves room for those of stages")
    func fields() throws {
        var fields = HTTPFields()
        for _ in 0..<10_000 { try fields.append(received: HTTPField(name: .via, value: "")) }
        #expect(throws: TooManyFieldsError.self) { try fields.append(received: HTTPField(name: .via, value: "")) }
        #expect(fields.count == 10_000)
        for _ in 0..<(HTTPFields.capacity - 10_000) { fields.append(HTTPField(name: .via, value: "")) }
        #expect(fields.count == 65_534)
    }

    @Test("JSON values are read up to the limit of levels", arguments: [("[", "]"), ("{\"a\":", "}")])
    func depth(open: String, close: String) throws {
        func value(_ depth: Int) throws -> JSONValue {
            let inner = String(repeating: open, count: depth - 1) + "[]" + String(repeating: close, count: depth - 1)
            return try JSONDecoder().decode(JSONValue.self, from: Data(inner.utf8))
        }
        _ = try value(DocumentDepth.limit)
        for depth in [DocumentDepth.limit + 1, 500, 100_000] {
            #expect(throws: DecodingError.self) { try value(depth) }
        }
    }

    @Test("The deepest JSON values for Apple platforms fit the stack of their threads")
    func smallStack() async throws {
        let depth = DocumentDepth.small
        let text = String(repeating: "{\"a\":", count: depth) + "null" + String(repeating: "}", count: depth)
        let value = try await SmallStack.run { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }
        #expect(value["a"]?["a"] != nil && DocumentDepth.small <= DocumentDepth.limit)
    }
}
#endif
