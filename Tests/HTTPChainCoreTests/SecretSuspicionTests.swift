import Testing

@testable import HTTPChainRedaction

@Suite("The first look at a text")
struct SecretSuspicionTests {
    private static let key = String(repeating: "a", count: OpaqueKey.shortest)

    private func isSuspicious(_ text: String, isURL: Bool = false) -> Bool {
        SecretSuspicion(rules: Redaction.standard.rules, isURL: isURL).isRaised(by: text)
    }

    @Test(
        "Names of secrets and of schemes, web tokens, PEM blocks and what is escaped raise it",
        arguments: [
            "pwd", "otp", "x otp", "otp x", "x\notp=1", "a.otp", "[otp]", "code", "x key y", "Bearer x", "x,basic",
            #"\notp=1"#, #"x \totp"#, "eyJ", "a.eyJ", "e_y-J", "-----BEGIN X", "x -----BEGIN", "%3D", "a%3Db",
            "a&amp;b",
            "a&#38;b", #"a\u0041"#, #"a\u"#, #"a\/b"#, #"a\\b"#, "https://a@b", "x://u:p@b c",
            "https://a/" + key, "x://" + key + " b",
        ]
    )
    func raised(_ text: String) {
        #expect(isSuspicious(text))
    }

    @Test(
        "Every other text passes",
        arguments: [
            "", " ", "plain words", "notp=1", "xnotp", #"\nnotp"#, #"\nx"#, "xbegin y", "x begin", "eyj.e30",
            "eyK.e30", "aJb", "exJ", "----BEGIN X", "a---b--BEGIN", "x----BEGIN y", "a & b", "a % b", "a&b;c", #"a\nb"#,
            #"a\"b"#,
            #"a\"#, "a@b", "https://a.example b@c", "https://a.example/b c", "https://a.example\n" + key,
            key, key + " x", "x " + key, "a:" + key, "a:/" + key, "a:/a/" + key, "a:x/" + key, "a//" + key,
            "https://a " + key, "'otpx'", "x-- begin",
        ]
    )
    func passes(_ text: String) {
        #expect(!isSuspicious(text))
    }

    @Test("In a URL twenty letters and digits in a row raise the suspicion")
    func keys() {
        let shorter = String(Self.key.dropLast())
        for text in [Self.key, "/" + Self.key, Self.key + "/", "/a b/" + Self.key, "a@b", "/x." + Self.key + ".y"] {
            #expect(isSuspicious(text, isURL: true), "\(text)")
        }
        for text in [
            "", "a/b", "/a/b", shorter, "/" + shorter, shorter + "/", "." + shorter, "a/" + shorter,
            shorter + "." + shorter,
            "a b", "a." + shorter + "-a",
        ] {
            #expect(!isSuspicious(text, isURL: true), "\(text)")
        }
    }
}
