import Foundation
import HTTPChainCore
import HTTPChainErrorHandler
import HTTPTypes
import Testing

/// What a handler makes of content, in words: the details described, or `nil` where it passes.
func details<Details: Sendable>(
    _ type: Details.Type,
    from handler: ErrorHandler,
    _ text: String,
    as contentType: String?
) async throws -> Details? {
    do {
        _ = try await send(answered: .badRequest, text, as: contentType, through: ErrorHandlerMiddleware(handler))
        return nil
    } catch let error as ServiceError<Details> {
        return error.details
    } catch is StatusFailure {
        return nil
    }
}

@Suite("Problem details (RFC 9457)")
struct ProblemDetailsTests {
    private func problem(_ text: String, as type: String? = "application/problem+json") async throws -> ProblemDetails?
    {
        try await details(ProblemDetails.self, from: .problemDetails, text, as: type)
    }

    @Test("The members of the RFC's example are read, and its extensions kept")
    func example() async throws {
        let problem = try #require(
            await problem(
                """
                {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.",
                 "detail": "Your current balance is 30, but that costs 50.", "status": 403,
                 "instance": "/account/12345/msgs/abc", "balance": 30, "accounts": ["/account/12345", "/account/67890"]}
                """
            )
        )
        #expect(
            problem
                == ProblemDetails(
                    type: "https://example.com/probs/out-of-credit",
                    status: 403,
                    title: "You do not have enough credit.",
                    detail: "Your current balance is 30, but that costs 50.",
                    instance: "/account/12345/msgs/abc",
                    extensions: ["balance": 30, "accounts": ["/account/12345", "/account/67890"]]
                )
        )
        struct Account: Decodable { let balance: Int, accounts: [String] }
        #expect(try problem.extensions(as: Account.self).accounts.count == 2)
        #expect(problem.description.contains("costs 50. (https://example.com/probs/out-of-credit)"))
    }

    @Test(
        "A member of the wrong type counts as absent and is kept as an extension (§3.1)",
        arguments: [
            (#"{"type": 7}"#, ProblemDetails(extensions: ["type": 7])),
            (#"{"status": "403"}"#, ProblemDetails(extensions: ["status": "403"])),
            (#"{"status": 4030}"#, ProblemDetails(extensions: ["status": 4030])),
            (#"{"title": null, "detail": ["a"]}"#, ProblemDetails(extensions: ["title": nil, "detail": ["a"]])),
            (#"{"status": 404.0, "title": "x"}"#, ProblemDetails(status: 404, title: "x")),
            ("{}", ProblemDetails()),
        ]
    )
    func wrongTypes(text: String, expected: ProblemDetails) async throws {
        #expect(try await problem(text) == expected)
    }

    @Test(
        "Content types are compared without parameters and letter case",
        arguments: [
            ("application/problem+json", true), ("Application/Problem+JSON; charset=utf-8", true),
            ("application/json", false), ("text/html", false), (nil, false),
        ]
    )
    func contentTypes(type: String?, isRead: Bool) async throws {
        #expect((try await problem("{}", as: type) != nil) == isRead)
    }

    @Test("Services that give another content type can be read too")
    func otherContentType() async throws {
        let handler = ErrorHandler.problemDetails(contentTypes: ["application/json"])
        #expect(try await details(ProblemDetails.self, from: handler, "{}", as: "application/json") != nil)
    }

    @Test("A problem document must be a JSON object", arguments: ["", "[]", "7", "{", "<html>", "null"])
    func malformed(text: String) async throws {
        #expect(try await problem(text) == nil)
    }

    @Test("Nesting without end does no harm")
    func depth() async throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(try await problem(#"{"a":"# + deep) == nil)
        func nested(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        #expect(try await problem(nested(100))?.extensions["a"]?.array?.count == 1)
        #expect(try await problem(nested(200)) == nil)
    }
}

@Suite("The errors of JSON:API")
struct JSONAPIErrorsTests {
    @Test("All errors of a document are read")
    func document() async throws {
        let errors = try #require(
            await details(
                JSONAPIErrors.self,
                from: .jsonAPI,
                """
                {"errors": [
                  {"id": "1", "status": "422", "code": "E7", "title": "Invalid Attribute", "detail": "Too short.",
                   "source": {"pointer": "/data/attributes/firstName"}, "links": {"about": "https://e.example/1",
                   "type": {"href": "https://e.example/t"}}, "meta": {"min": 3}},
                  {"status": 400, "code": 9, "source": {"parameter": "include"}}, "not an object"
                 ], "meta": {"request": "r1"}}
                """,
                as: "application/vnd.api+json"
            )
        )
        #expect(errors.errors.count == 2)
        #expect(errors.errors[0].status == 422)
        #expect(errors.errors[0].pointer == "/data/attributes/firstName")
        #expect(errors.errors[0].links == ["about": "https://e.example/1", "type": "https://e.example/t"])
        #expect(errors.errors[0].meta["min"] == 3)
        #expect(errors.errors[1].status == 400)
        #expect(errors.errors[1].code == "9")
        #expect(errors.errors[1].parameter == "include")
        #expect(errors.meta["request"] == "r1")
        #expect(errors.description == "Invalid Attribute: Too short.; 9")
    }

    @Test(
        "The status is a number, or a text that begins with one",
        arguments: [
            (#""422""#, 422), ("422", 422), (#""422 Unprocessable Content""#, 422), (#"" 404\tNot Found""#, 404),
            (#""422Unprocessable""#, nil), (#""Unprocessable 422""#, nil), (#""""#, nil), (#"" ""#, nil), ("null", nil),
            (#""99999999999999999999 x""#, nil), ("[422]", nil), (#""4.22""#, nil),
        ] as [(String, Int?)]
    )
    func status(value: String, expected: Int?) async throws {
        let text = #"{"errors": [{"title": "x", "status": \#(value)}]}"#
        let errors = try await details(JSONAPIErrors.self, from: .jsonAPI, text, as: "application/vnd.api+json")
        #expect(try #require(errors).errors.map(\.status) == [expected])
    }

    @Test("A document without errors is none", arguments: [#"{"data": []}"#, #"{"errors": []}"#, #"{"errors": {}}"#])
    func none(text: String) async throws {
        let found = try await details(JSONAPIErrors.self, from: .jsonAPI, text, as: "application/vnd.api+json")
        #expect(found == nil)
    }
}

@Suite("The errors of OData")
struct ODataErrorTests {
    private func error(_ text: String) async throws -> ODataError? {
        try await details(ODataError.self, from: .oData, text, as: "application/json;odata.metadata=minimal")
    }

    @Test("Version 4 is read whole")
    func version4() async throws {
        let error = try #require(
            await error(
                """
                {"error": {"code": "err123", "message": "Unsupported functionality", "target": "query",
                 "details": [{"code": "forty-two", "target": "$search", "message": "not supported"}],
                 "innererror": {"trace": [1]}, "@retry.after": 5}}
                """
            )
        )
        #expect(error.code == "err123")
        #expect(error.message == "Unsupported functionality")
        #expect(error.target == "query")
        #expect(error.details.first?.target == "$search")
        #expect(error.innerError["trace"]?[0] == 1)
        #expect(error.annotations == ["@retry.after": 5])
        #expect(error.description == "Unsupported functionality (err123)")
    }

    @Test("Versions 2 and 3 have the message in an object")
    func olderVersions() async throws {
        let text = #"{"odata.error": {"code": "", "message": {"lang": "en-US", "value": "Not found."}}}"#
        #expect(try await error(text)?.message == "Not found.")
    }

    @Test(
        "Other JSON is no error of this format",
        arguments: [#"{"error": "no"}"#, #"{"error": {}}"#, "[]", #"{"message": "x"}"#, #"{"error": {"code": null}}"#]
    )
    func none(text: String) async throws {
        #expect(try await error(text) == nil)
    }
}
