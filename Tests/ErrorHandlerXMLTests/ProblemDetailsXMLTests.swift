#if AllTests
#if XML
import Foundation
import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainErrorHandlerXML
import HTTPChainInMemory
import HTTPChainStatusValidation
import HTTPTypes
import TestSupport
import Testing

@Suite("Problem details in XML (RFC 9457 Appendix B)")
struct ProblemDetailsXMLTests {
    private func problem(_ text: String) async throws -> ProblemDetails? {
        let transport = InMemoryTransport { _ in
            Response(.forbidden, headers: [.contentType: "application/problem+xml"], body: HTTPBody(text))
        }
        let chain = try Chain(transport: transport) {
            ErrorHandlerMiddleware(.problemDetails, .problemDetailsXML)
            StatusValidationMiddleware()
        }
        do {
            _ = try await chain.send(.get("https://api.example.com/a"))
            return nil
        } catch let error as ServiceError<ProblemDetails> {
            return error.details
        } catch is StatusError {
            return nil
        }
    }

    @Test("A document that is nested too deep is none", arguments: [1000, 100_000])
    func tooDeep(depth: Int) async throws {
        let open = String(repeating: "<i>", count: depth)
        let close = String(repeating: "</i>", count: depth)
        #expect(try await problem("<problem><title>a</title>\(open)\(close)</problem>") == nil)
        #expect(try await problem("<problem><title>a</title>\(open)") == nil)
    }

    @Test("The deepest document for Apple platforms fits the stack of their threads")
    func smallStack() async throws {
        let depth = DocumentDepth.smallXML
        let open = String(repeating: "<a>", count: depth - 1)
        let document = Data("<problem>\(open)x\(String(repeating: "</a>", count: depth - 1))</problem>".utf8)
        let details = try await SmallStack.run { try ProblemDetails(xml: document) }
        #expect(details?.extensions["a"]?["a"]?["a"] != nil)
    }

    @Test(
        "A document type, or a mistake in the markup, doesn't hide the depth of a document",
        arguments: [
            "<!DOCTYPE a SYSTEM \"<!--\">", "<!DOCTYPE a PUBLIC 'x' '<?'>", "<!DOCTYPE a [<!ENTITY e '<![CDATA['>]>",
            "<? ", "<problem><a b='",
        ]
    )
    func hiddenDepth(start: String) async throws {
        for depth in [1000, 50_000] {
            let open = String(repeating: "<i>", count: depth)
            let close = String(repeating: "</i>", count: depth)
            #expect(try await problem(start + open + close) == nil)
        }
    }

    @Test(
        "A document with its own declarations, or an instruction without data, is none",
        arguments: [
            "<!DOCTYPE problem [<!ATTLIST problem k CDATA #IMPLIED>]>", "<!DOCTYPE problem [<!NOTATION n SYSTEM 'x'>]>",
            "<!DOCTYPE problem [<!NOTATION n SYSTEM 'x'><!ENTITY e SYSTEM 'y' NDATA n>]>",
            "<!DOCTYPE problem [<!ENTITY a 'x'>]>", "<!DOCTYPE problem SYSTEM 'x' [<!ELEMENT problem ANY>]>", "<?p?>",
            "<!-- \u{1} --><?p?>", "<?xml version='1.0' encoding='UTF-7'?>",
        ]
    )
    func declarations(start: String) async throws {
        #expect(try await problem("\(start)<problem><title>a</title></problem>") == nil)
    }

    @Test("A document with an instruction that has data is read")
    func instruction() async throws {
        #expect(try await problem("<?p q?><problem><title>a</title><!-- <?p?> --></problem>")?.title == "a")
    }

    @Test("Each element is decoded once, however many have its name")
    func repeatedNames() async throws {
        let open = String(repeating: "<a><a/>", count: 100)
        let close = String(repeating: "</a>", count: 100)
        let nested = try await problem("<problem><title>a</title>\(open)\(close)</problem>")
        #expect(nested?.extensions["a"]?["a"]?.array?.count == 2)
        let bad = "<errors>\(String(repeating: "<i>bad</i>", count: 2000))</errors>"
        let flat = try await problem("<problem><title>a</title>\(bad)</problem>")
        #expect(flat?.extensions["errors"]?.array?.count == 2000)
    }

    @Test("The members and extensions of a document are read")
    func document() async throws {
        let problem = try #require(
            await problem(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <problem xmlns="urn:ietf:rfc:7807">
                  <type>https://example.com/probs/out-of-credit</type>
                  <title>You do not have enough credit.</title>
                  <detail>Your balance is 30 &lt; 50.</detail>
                  <status>403</status>
                  <instance>https://example.net/account/12345/msgs/abc</instance>
                  <balance>30</balance>
                  <accounts><i>https://example.net/account/12345</i><i>https://example.net/account/67890</i></accounts>
                  <single><i>one</i></single>
                  <owner><name>Ada</name><city>London</city></owner>
                </problem>
                """
            )
        )
        #expect(problem.type == "https://example.com/probs/out-of-credit")
        #expect(problem.title == "You do not have enough credit.")
        #expect(problem.detail == "Your balance is 30 < 50.")
        #expect(problem.status == 403)
        #expect(problem.instance == "https://example.net/account/12345/msgs/abc")
        #expect(problem.extensions["balance"] == "30")
        #expect(
            problem.extensions["accounts"]
                == ["https://example.net/account/12345", "https://example.net/account/67890"]
        )
        #expect(problem.extensions["single"] == ["one"])
        #expect(problem.extensions["owner"] == ["name": "Ada", "city": "London"])
    }

    @Test("A prefix for the namespace changes nothing")
    func prefix() async throws {
        let text = #"<p:problem xmlns:p="urn:ietf:rfc:7807"><p:title>No</p:title><p:status>404</p:status></p:problem>"#
        let problem = try #require(await problem(text))
        #expect(problem.title == "No")
        #expect(problem.status == 404)
    }

    @Test("Other or empty XML content isn't a problem", arguments: ["", "{}", "<problem>", "<problem/>", "text"])
    func malformed(text: String) async throws {
        #expect(try await problem(text) == nil)
    }
}
#else
import Testing

@Test("LOUD NOTE: problem details in XML are NOT tested here; run `swift test --enable-all-traits` to test them")
func problemDetailsXMLNeedTheirTrait() {
    print("note: the tests of problem details in XML need `swift test --enable-all-traits`")
}
#endif
#endif
