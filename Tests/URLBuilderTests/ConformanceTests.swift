import Foundation
import HTTPChainURLBuilder
import Testing

/// One case of the public RFC 6570 test files.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    let group: String
    let template: String
    let variables: URLParameters
    /// Any of these is right; `nil` for one that must fail.
    let expected: [String]?

    var testDescription: String { "\(group): \(template)" }

    static func all(in file: String) throws -> [ConformanceCase] {
        let url = try #require(Bundle.module.url(forResource: "Resources/\(file)", withExtension: "json"))
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
        let groups = try #require(json as? [String: [String: Any]])
        return try groups.sorted { $0.key < $1.key }.flatMap { group, content in
            let variables = try #require(content["variables"] as? [String: Any])
            let cases = try #require(content["testcases"] as? [[Any]])
            return try cases.map { item in
                ConformanceCase(
                    group: group,
                    template: try #require(item.first as? String),
                    variables: URLParameters(
                        try variables.sorted { $0.key < $1.key }.map { ($0.key, try value($0.value)) }
                    ),
                    expected: (item.last as? String).map { [$0] } ?? item.last as? [String]
                )
            }
        }
    }

    private static func value(_ json: Any) throws -> URLValue {
        switch json {
        case let text as String: .string(text)
        case let list as [Any]: .array(try list.map(value))
        case let map as [String: Any]:
            .dictionary(URLParameters(try map.sorted { $0.key < $1.key }.map { ($0.key, try value($0.value)) }))
        default: try #require(nil as URLValue?)
        }
    }
}

@Suite("The public RFC 6570 cases")
struct ConformanceTests {
    @Test("The cases of the RFC's own examples all expand as they say")
    func specification() throws {
        let cases = try ConformanceCase.all(in: "spec-examples")
        #expect(cases.count == 64)
        for test in cases {
            let result = try URITemplate(test.template).expand(test.variables)
            #expect(test.expected?.contains(result) == true, "\(test.testDescription) gave \(result)")
        }
    }

    @Test("The cases that must fail all fail, with a typed error")
    func failures() throws {
        let cases = try ConformanceCase.all(in: "negative-tests")
        #expect(cases.count == 36)
        for test in cases {
            #expect(test.expected == nil)
            #expect(throws: URLBuilderError.self, "\(test.testDescription)") {
                try URITemplate(test.template).expand(test.variables)
            }
        }
    }
}
