#if AllTests
import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainSigning

/// The examples of RFC 9421 §2.
@Suite("Components of signatures", .timeLimit(.minutes(10)))
struct ComponentTests {
    private let request = HTTPRequest(
        method: .post,
        scheme: "https",
        authority: "www.Example.com:443",
        path: "/path?param=value&foo=bar&baz=batman&qux="
    )

    private func value(
        _ component: SignatureComponent,
        _ request: HTTPRequest? = nil,
        types: [String: StructuredFieldType] = ["example-dict": .dictionary]
    ) throws(SigningError) -> String {
        try ComponentValue(message: SignedMessage(request ?? self.request), types: types)(component)
    }

    private func request(query: String) -> HTTPRequest {
        var request = request
        request.path = "/parameters?" + query
        return request
    }

    private func request(_ fields: KeyValuePairs<String, String>) -> HTTPRequest {
        var request = request
        request.headerFields = SignatureVectors.fields(fields)
        return request
    }

    private func refusal(_ component: SignatureComponent, _ request: HTTPRequest? = nil) -> SigningError.Problem? {
        do {
            _ = try value(component, request)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test("Derived components are those of §2.2")
    func derived() throws {
        #expect(try value(.method) == "POST")
        #expect(try value(.targetURI) == "https://www.Example.com:443/path?param=value&foo=bar&baz=batman&qux=")
        #expect(try value(.authority) == "www.example.com")
        #expect(try value(.scheme) == "https")
        #expect(try value(.requestTarget) == "/path?param=value&foo=bar&baz=batman&qux=")
        #expect(try value(.path) == "/path")
        #expect(try value(.query) == "?param=value&foo=bar&baz=batman&qux=")
        var plain = request
        plain.path = ""
        plain.authority = "example.com:8080"
        #expect(try value(.path, plain) == "/")
        #expect(try value(.query, plain) == "?")
        #expect(try value(.authority, plain) == "example.com:8080")
    }

    @Test("Parameters of the query are decoded and encoded anew (§2.2.8)")
    func queryParameters() throws {
        #expect(try value(.queryParameter("baz")) == "batman")
        #expect(try value(.queryParameter("qux")) == "")
        let encoded = request(
            query: "var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something"
        )
        #expect(try value(.queryParameter("var"), encoded) == "this%20is%20a%20big%0Amultiline%20value")
        #expect(try value(.queryParameter("bar"), encoded) == "with%20plus%20whitespace")
        let facade = SignatureComponent.queryParameter("façade\": ")
        #expect(try value(facade, encoded) == "something")
        #expect(facade.description == #""@query-param";name="fa%C3%A7ade%22%3A%20""#)
    }

    @Test("A parameter that occurs twice, or not at all, is refused")
    func ambiguousParameters() {
        guard case .unsupportedComponent? = refusal(.queryParameter("a"), request(query: "a=1&a=2")) else {
            Issue.record("it is not refused")
            return
        }
        #expect(refusal(.queryParameter("b")) == .missingComponent(.queryParameter("b")))
    }

    @Test("Lines of a field are trimmed and joined (§2.1)")
    func fields() throws {
        let request = request([
            "X-OWS-Header": "  Leading and trailing whitespace.   ", "Cache-Control": "max-age=60",
            "cache-control": "must-revalidate", "Empty": "",
        ])
        #expect(try value(.field(SignatureVectors.name("X-OWS-Header")), request) == "Leading and trailing whitespace.")
        #expect(try value(.field(.cacheControl), request) == "max-age=60, must-revalidate")
        #expect(try value(.field(SignatureVectors.name("Empty")), request) == "")
        #expect(refusal(.field(.accept), request) == .missingComponent(.field(.accept)))
        #expect(refusal(.contentDigest, request) == .noContentDigest)
    }

    @Test("Host and the length of the content are what the transport will write")
    func impliedFields() throws {
        #expect(try value(.field(SignatureVectors.name("Host"))) == "www.Example.com:443")
        let message = SignedMessage(request, contentLength: 18)
        #expect(try ComponentValue(message: message, types: [:])(.field(.contentLength)) == "18")
        #expect(refusal(.field(.contentLength)) == .missingComponent(.field(.contentLength)))
    }

    @Test("A structured field is serialized strictly, and one of its members is what it is (§2.1.1, §2.1.2)")
    func structured() throws {
        let name = try #require(HTTPField.Name("Example-Dict"))
        let request = request(["Example-Dict": " a=1, b=2;x=1;y=2,   c=(a   b   c), d"])
        #expect(try value(.field(name), request) == "a=1, b=2;x=1;y=2,   c=(a   b   c), d")
        #expect(try value(.field(name).structured, request) == "a=1, b=2;x=1;y=2, c=(a b c), d")
        #expect(try value(.field(name).key("a"), request) == "1")
        #expect(try value(.field(name).key("b"), request) == "2;x=1;y=2")
        #expect(try value(.field(name).key("c"), request) == "(a b c)")
        #expect(try value(.field(name).key("d"), request) == "?1")
        #expect(refusal(.field(name).key("e"), request) == .missingComponent(.field(name).key("e")))
        let digest = self.request(["Content-Digest": "sha-256=:AAAA:;a"])
        #expect(try value(.contentDigest.structured, digest) == "sha-256=:AAAA:;a")
    }

    @Test("A field whose type is not known, or that is no such field, is refused", arguments: ["X-A", "Priority"])
    func unknownTypes(name: String) throws {
        let field = SignatureComponent.field(try #require(HTTPField.Name(name)))
        guard case .unsupportedComponent? = refusal(field.structured, request(["X-A": "1", "Priority": "u=("])) else {
            Issue.record("it is not refused")
            return
        }
    }

    @Test("The lines of a field are bytes where that is asked for (§2.1.3)")
    func binary() throws {
        let name = try #require(HTTPField.Name("Example-Header"))
        let separate = request(["Example-Header": "value, with, lots", "example-header": "of, commas"])
        #expect(try value(.field(name).binary, separate) == ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:")
        let joined = request(["Example-Header": "value, with, lots, of, commas"])
        #expect(try value(.field(name).binary, joined) == ":dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:")
    }

    @Test("What is not ASCII cannot be signed but as bytes")
    func notASCII() throws {
        let name = try #require(HTTPField.Name("X-Name"))
        let request = request(["X-Name": "Gärtnerei"])
        guard case .unsupportedComponent? = refusal(.field(name), request) else {
            Issue.record("it is not refused")
            return
        }
        #expect(try value(.field(name).binary, request) == ":R8OkcnRuZXJlaQ==:")
    }

    @Test("A field is signed with the bytes that are sent, which need not be UTF-8 (§2.1.3)")
    func otherBytes() throws {
        let name = try #require(HTTPField.Name("X-Name"))
        var request = request([:])
        request.headerFields.append(HTTPField(name: name, value: [0x20] + Array("caf".utf8) + [0xE9, 0x09]))
        #expect(try value(.field(name).binary, request) == ":Y2Fm6Q==:")
    }

    @Test("A response is signed with components of its request where it says so (§2.4)")
    func ofRequest() throws {
        let response = HTTPResponse(status: .serviceUnavailable)
        let value = ComponentValue(message: SignedMessage(response, answering: request), types: [:])
        #expect(try value(.status) == "503")
        #expect(try value(.method.fromRequest) == "POST")
        #expect(throws: SigningError.self) { try value(.method) }
        #expect(throws: SigningError.self) {
            try ComponentValue(message: SignedMessage(response, answering: nil), types: [:])(.method.fromRequest)
        }
        #expect(throws: SigningError.self) { try self.value(.status) }
        #expect(throws: SigningError.self) { try self.value(.method.fromRequest) }
    }

    @Test("Components are the same whatever the order of their parameters, and are written in theirs")
    func identity() {
        #expect(SignatureComponent.contentDigest.structured.fromRequest == .contentDigest.fromRequest.structured)
        #expect(SignatureComponent.contentDigest.fromRequest.structured.description == #""content-digest";req;sf"#)
        #expect(SignatureComponent.method != .method.fromRequest)
    }

    @Test(
        "What cannot be signed is refused with a reason",
        arguments: [
            #"a=("x";tr)"#, #"a=("@query-param")"#, #"a=("x";name="y")"#, #"a=("@signature-params")"#,
            #"a=("@method";sf)"#,
            #"a=("x";bs;sf)"#, #"a=("X-Upper")"#, #"a=("x";sf=?0)"#, #"a=("not a token")"#, #"a=("x";other)"#,
        ]
    )
    func refused(input: String) throws {
        let fields = SignatureVectors.fields(["Signature-Input": input, "Signature": "a=:AAAA:"])
        let error = try #require(throws: SigningError.self) {
            _ = try #require(try SignatureFields.parse(fields).first).get()
        }
        guard case .unsupportedComponent(_, let reason) = error.problem else {
            Issue.record("\(error.problem)")
            return
        }
        #expect(!reason.isEmpty)
    }
}
#endif
