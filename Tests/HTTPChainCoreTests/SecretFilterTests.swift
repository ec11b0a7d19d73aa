import HTTPChainCore
import HTTPChainTesting
import Testing

@Suite("The rules for secrets made ready for a log")
struct SecretFilterTests {
    private let filter = SecretFilter(.standard)

    @Test(
        "It takes the same names for secrets as the redaction does",
        arguments: [
            "token", "Token", "TOKEN", "to-ken", "access_token", "accessToken", "user[password]", "user.password",
            "a:b:secret", "[sid]", "password.", ".password", "tokens", "tok", "", ".", "_", "X-Api-Key", "x_api_key",
            "authorization", "user[name]", "paßword", "TOKEN\u{301}", "ſecret", "to\u{212A}en", "set-cookie",
        ]
    )
    func names(name: String) {
        #expect(filter.isSecret(name: name) == Redaction.standard.isSecret(name: name))
    }

    @Test("Names of any kind may be secrets, letter case outside ASCII and separators included")
    func ownNames() {
        let redaction = Redaction(fieldNames: [], queryNames: [], memberNames: ["Schlüssel", "a.b", "-"])
        let filter = SecretFilter(redaction)
        for name in ["SCHLÜSSEL", "schluessel", "x.schlüssel", "a.b", "A.B", "a", "b", "-", "_", "", "a_.b"] {
            #expect(filter.isSecret(name: name) == redaction.isSecret(name: name), "\(name)")
        }
    }

    @Test(
        "It blots out of texts what the redaction does",
        arguments: [
            "plain words", "", "token=abc", "a 'token': 'abc'", #"{"token":"abc"}"#, "<token>abc</token>", "token: abc",
            #""token\u003dabc""#, "x=1&password=2",
        ]
    )
    func texts(text: String) {
        #expect(filter.text(text) == Redaction.standard.text(text))
    }

    @Test("The two agree on whatever is made of names and what stands around them")
    func random() {
        let random = SeededRandom(seed: 1)
        let pieces = [
            "token", "Pass", "word", "-", "_", ".", "[", "]", "=", "\"", "'", ":", "<", ">", "a", " ", "\\", "ü",
        ]
        for _ in 0..<1000 {
            let text = (0..<(random.next() % 8)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
            #expect(filter.isSecret(name: text) == Redaction.standard.isSecret(name: text), "\(text)")
            #expect(filter.text(text) == Redaction.standard.text(text), "\(text)")
        }
    }
}
