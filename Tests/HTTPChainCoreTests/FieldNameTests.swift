import HTTPChainSupport
import HTTPTypes
import Testing

@Suite("Constant field names")
struct FieldNameTests {
    @Test("A name that stands in the code is the one that is read from a message")
    func constant() {
        #expect(HTTPField.Name(constant: "X-Garden") == HTTPField.Name("x-garden"))
        #expect(HTTPField.Name(constant: "X-Garden").rawName == "X-Garden")
    }

    @Test("What is not a token ends the process")
    func notAToken() async {
        await #expect(processExitsWith: .failure) { _ = HTTPField.Name(constant: "two words") }
    }
}
